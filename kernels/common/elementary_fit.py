"""Fits the coefficients of elementary.cuh and evaluates the terms of its error bounds.  python elementary_fit.py   (numpy, mpmath; 1 min)

Fit: weighted minimax by Lawson's iteration (reweighted least squares) on Chebyshev points; the coefficients are rounded to FP32 from the
constant term on, and the others fitted again after each. Truncation is then measured with the rounded coefficients on a finer grid.
Bounds: first-order error of each operation, in units U = 2^-24 (one rounding to nearest is at most U of its result), summed without
cancellation and maximised over a grid; second-order terms are below 1e-5 U and covered by rounding the results up.
"""
import mpmath as mp
import numpy as np

mp.mp.dps = 40
U = 2.0**-24
LN2 = float(mp.log(2))
EX2 = 5 * U  # ex2.approx: 2 ulp from the correctly rounded value (PTX ISA), so 2.5 * 2^-23


def chebyshev(low, high, count):
    return (low + high) / 2 - (high - low) / 2 * np.cos(np.pi * (np.arange(count) + 0.5) / count)


def exact(function, points):
    return np.array([float(function(mp.mpf(p))) for p in points])


def fit(points, target, weight, terms):
    fixed = []
    while len(fixed) < terms:
        rest = target - np.polynomial.polynomial.polyval(points, fixed or [0])
        basis = np.stack([points**i for i in range(len(fixed), terms)], 1)
        emphasis = np.ones(len(points))
        for _ in range(300):
            scale = np.sqrt(emphasis) * weight
            free, *_ = np.linalg.lstsq(basis * scale[:, None], rest * scale, rcond=None)
            emphasis *= np.abs(basis @ free - rest) * weight + 1e-30
            emphasis /= emphasis.sum()
        fixed.append(float(np.float32(free[0])))
    return fixed


def fused_horner(coefficients, t, t_error):
    """Value and absolute error of the fused Horner scheme at t, whose own absolute error is t_error."""
    value, error = np.full_like(t, coefficients[-1]), np.zeros_like(t)
    for c in coefficients[-2::-1]:
        error = error * t + np.abs(value) * t_error
        value = value * t + c
        error = error + U * np.abs(value)
    return value, error


def report(name, coefficients, terms):
    print(name, ", ".join(float(c).hex() for c in coefficients))
    for term, worst in terms.items():
        print(f"  {term}: {np.max(worst) / U:.4f} U")


def odd_part(name, function, offset_power):
    """f(a) = a + a q(a), q = u^offset_power P(u), u = a a, 0 <= a < 1."""
    quotient = lambda v: (function(mp.sqrt(v)) / mp.sqrt(v) - 1) / v**offset_power
    relative = lambda v: v**offset_power * mp.sqrt(v) / function(mp.sqrt(v))
    u = chebyshev(1e-9, 1, 3000)
    c = fit(u, exact(quotient, u), exact(relative, u), 7)
    u = chebyshev(1e-9, 1, 7919)
    weight = exact(relative, u)
    value, error = fused_horner(c, u, U * u)
    truncation = np.abs(value - exact(quotient, u)) * weight
    error = error * weight
    if offset_power:  # q = RN(u P): the error of u, and the product's own rounding
        error = error + 2 * U * np.abs(value) * weight
    report(name, c, {"truncation, relative": truncation, "evaluation, relative": error,
                     "with the last rounding": truncation + error + U})


def tanh_tail():
    """1 - 2 / (e + 1), e = exp2f(RN(2 log2(e) a)), a >= 1."""
    a = np.linspace(1, 12, 20001)
    e, tanh = np.exp(2 * a), np.tanh(a)
    argument = 1.224 * U * 2 * a  # the constant is 0.224 U off, the product is rounded
    quotient = 2 / (e + 1) * ((EX2 + argument) * e / (e + 1) + 2 * U)  # sum and division round
    report("tanh, a >= 1", [], {"absolute": quotient + U / 2, "relative": (quotient + U / 2) / tanh})


def erf_tail():
    """1 - exp2f(P(t)), t = min(a, 4) - 1 exact, P ~ log2 erfc(1 + t)."""
    target = lambda v: mp.log(mp.erfc(1 + v), 2)
    weight = lambda v: mp.erfc(1 + v) * mp.log(2)
    t = chebyshev(0, 3, 3000)
    c = fit(t, exact(target, t), exact(weight, t) / (1 - exact(lambda v: mp.erfc(1 + v), t)), 7)
    t = chebyshev(0, 3, 7919)
    value, error = fused_horner(c, t, 0)
    truncation = np.abs(value - exact(target, t)) * exact(weight, t)
    erfc = exact(lambda v: mp.erfc(1 + v), t)
    absolute = truncation + erfc * (LN2 * error + EX2) + U / 2
    report("erf, a >= 1", c, {"truncation, absolute": truncation, "erfc (polynomial's roundings)": erfc * LN2 * error,
                              "absolute": absolute, "relative": absolute / (1 - erfc)})


odd_part("tanh, a < 1", mp.tanh, 1)
tanh_tail()
odd_part("erf, a < 1", mp.erf, 0)
erf_tail()
