"""The package as its users meet it, on kernels in numpy."""

import json
import os
import signal
import struct
import subprocess
import sys
import textwrap

import assay
import numpy
import numpy_kernels as kernels
import pytest

numpy.seterr(all="ignore")  # operands hold infinities
QUICK = {"suite": "smoke", "cases": 5}


SILU = "exp: exp within 5e-07 relative (numpy: 2.52 ulp)"
DIVIDES = "scale: rounded to fp32; quotient: rounded to fp32"


@pytest.mark.parametrize("contract, kernel, arithmetic", [
    ("fused_add_rms_norm", kernels.rms_norm, None),
    ("silu_and_mul", kernels.silu_and_mul, SILU),
    ("fp8_quant_token", kernels.fp8_quant_token, DIVIDES),
    ("int4_dequant", kernels.int4_dequant, None),
])
def test_a_right_kernel_passes(contract, kernel, arithmetic):
    report = assay.check(contract, kernel, suite="smoke", cases=10, arithmetic=arithmetic)
    assert not report.failures, report
    assert report.cells["conforms"].outcome == "pass", report
    assert report.cells["conforms"].data["elements"]["judged"] > 100
    assert report.cells["guarded"].outcome == report.cells["repeats"].outcome == "pass", report


def only_failure(kernel, contract="silu_and_mul", law="conforms", **options):
    report = assay.check(contract, kernel, **{**QUICK, "laws": law, **options})
    assert report.verdict == "failed" and not report, report
    (failure,) = report.failures
    assert failure.law == law and failure.line.startswith(contract + " ")
    return failure


def too_large(gate_up, out, params):
    return assay.f32_to_bf16(kernels.silu(gate_up) * numpy.float32(1.04))


def leaves_last_column(gate_up, out, params):
    out[:, :-1] = assay.f32_to_bf16(kernels.silu(gate_up))[:, :-1]


def test_results_four_percent_too_large_fail_and_their_line_brings_it_back():
    failure = only_failure(too_large)
    assert "product: out[0, 0] is " in failure.reason and ", legal is " in failure.reason
    assert assay.repro(failure.line, too_large).failures[0].reason == failure.reason
    assert assay.repro(failure.line, kernels.silu_and_mul).cells.keys() == {"conforms"}
    assert not assay.repro(failure.line, kernels.silu_and_mul).failures


def test_an_unwritten_column_is_one():
    assert "was not written" in only_failure(leaves_last_column, law="guarded").reason


def test_a_write_to_an_input_is_found():
    def writes(gate_up, out, params):
        out[...] = kernels.silu_and_mul(gate_up, out, params)
        gate_up[...] = 0

    assert "changed row 0 of input 'gate_up'" in only_failure(writes, law="guarded").reason


def test_tensors_are_guarded_memory_with_its_strides():
    seen = {}

    def looks(gate_up, out, params):
        seen.update(strides=gate_up.strides, shape=gate_up.shape, address=gate_up.ctypes.data % 256, params=params)
        return kernels.silu_and_mul(gate_up, out, params)

    line = "silu_and_mul rows=3 d=20 in_pad=3 out_pad=5 offset=7 fill=normal seed=1"
    assert assay.check("silu_and_mul", looks, lines=line, suite=None, cases=0, laws=["conforms", "guarded"]).failures == []
    assert seen == {"strides": (86, 2), "shape": (3, 40), "address": 14,
                    "params": {"rows": 3, "d": 20, "in_pad": 3, "out_pad": 5, "offset": 7}}


@pytest.mark.parametrize("returned, said", [
    (lambda out: kernels.F32(0) * out, "returned out as float32: want uint16, rounded by the kernel itself"),
    (lambda out: out[:, :0].copy(), "returned out of shape (1, 0): want (1, 1)"),
    (lambda out: (out, out), "returned 2 tensors: want 1 (out), a mapping, or None once they are written in place"),
    (lambda out: {"y": out}, "returned 'y': the outputs are out"),
    (lambda out: 3, "returned out as int: want uint16"),
])
def test_what_is_no_output_is_said_in_one_line(returned, said):
    def kernel(gate_up, out, params):
        return returned(out)

    failure = only_failure(kernel)
    assert said in failure.reason and "\n" not in failure.reason


def test_an_exception_is_the_kernels_failure_with_its_last_line():
    def kernel(gate_up, out, params):
        raise RuntimeError("no room\nfor this")

    reason = only_failure(kernel).reason
    assert "RuntimeError: no room" in reason and "(check_test.py, line " in reason
    assert "TypeError" in only_failure(lambda gate_up, out: None).reason  # params are not taken


def test_ctrl_c_ends_the_check():
    calls = []

    def kernel(gate_up, out, params):
        calls.append(params)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assay.check("silu_and_mul", kernel, **QUICK)
    assert len(calls) == 1


def test_fuzzing_finds_what_fails_only_sometimes_and_says_where():
    def kernel(gate_up, out, params):
        out[...] = kernels.silu_and_mul(gate_up, out, params)
        if params["in_pad"] % 2 and out.size:
            out[..., -1] += 1

    report = assay.fuzz("silu_and_mul", kernel, cases=40, arithmetic=SILU)
    assert report.verdict == "failed" and "in_pad" in report.data["findings"][0]["where"], str(report)
    line = report.failures[0].line
    assert " in_pad=" in line and assay.repro(line, kernel, arithmetic=SILU).verdict == "failed"
    again = assay.fuzz("silu_and_mul", kernel, cases=40, arithmetic=SILU, jobs=2)
    assert [f.line for f in again.failures] == [f.line for f in report.failures]


def test_fuzzing_survives_a_kernel_that_dies():
    def kernel(gate_up, out, params):
        os.kill(os.getpid(), signal.SIGKILL)

    report = assay.fuzz("silu_and_mul", kernel, cases=2)
    assert "the process died: Killed" in report.failures[0].reason
    assert assay.fuzz("int4_dequant", kernels.int4_dequant, seconds=1).failures == []
    with pytest.raises(assay.BadInput, match="seconds is -1: want a number from 0"):
        assay.fuzz("int4_dequant", kernels.int4_dequant, seconds=-1)


def test_what_is_not_supported_is_skipped_with_its_reason():
    def takes(params):
        return True if params["d"] % 8 == 0 else "d is no multiple of 8"

    report = assay.check("silu_and_mul", kernels.silu_and_mul, laws="conforms", supports=takes, **QUICK)
    assert not report.failures
    assert any("d is no multiple of 8" in why for why in report.cells["conforms"].data["skipped"]["reasons"])
    with pytest.raises(ZeroDivisionError):
        assay.check("silu_and_mul", kernels.silu_and_mul, supports=lambda p: 1 // 0, **QUICK)


def test_fixed_parameters_are_so_in_every_case():
    seen = []

    def kernel(gate_up, out, params):
        seen.append((params["d"], params["in_pad"]))
        return too_large(gate_up, out, params)

    line = only_failure(kernel, params={"d": 24, "in_pad": 3}).line
    assert set(seen) == {(24, 3)} and " d=24 in_pad=3 " in line


def test_declared_arithmetic_narrows_the_bounds():
    assert "stages that may be declared\n    exp: a function; " in assay.describe("silu_and_mul")
    legal = []
    for text in (None, SILU, lambda params: SILU):
        report = assay.check("silu_and_mul", kernels.silu_and_mul, laws="conforms", arithmetic=text, **QUICK)
        legal.append(report.cells["conforms"].data["elements"]["single_legal"])
    assert legal[0] < legal[1] == legal[2]


def test_assert_conforms_raises_with_the_report():
    options = {"laws": ["conforms", "guarded", "repeats"], **QUICK}
    assert assay.assert_conforms("int4_dequant", kernels.int4_dequant, **options).passed
    with pytest.raises(AssertionError, match="FAIL  conforms.too_large"):
        assay.assert_conforms("silu_and_mul", too_large, **options)
    refused = assay.check("silu_and_mul", kernels.silu_and_mul, supports=lambda p: "never", **QUICK)
    assert refused.verdict == "unchecked"
    for allow in (False, True):
        with pytest.raises(AssertionError):
            refused.raise_on_failure(allow_unchecked=allow)


@pytest.mark.parametrize("options, said", [
    ({"contract": "silu_and_nul"}, "unknown contract 'silu_and_nul': want one of awq_ge"),
    ({"suite": "smok"}, "unknown suite 'smok': want one of"),
    ({"laws": "conform"}, "'conform' is no law: want one of"),
    ({"backend": "gpu"}, "backend is 'gpu': want 'cpu' or 'cuda'"),
    ({"tensors": "jax"}, "tensors is 'jax': want 'numpy', 'torch' or 'dlpack'"),
    ({"backend": "cuda", "tensors": "numpy"}, "numpy has no tensors on a GPU"),
    ({"params": {"width": 3}}, "width"),
    ({"params": {"d": -1}}, "d=-1 is outside "),
    ({"lines": "int4_dequant n=8 fill=codes seed=1"}, "is one of int4_dequant: want cases of silu_and_mul"),
    ({"arithmetic": "exponential: 1 fp32 rounding"}, "silu_and_mul has no stage 'exponential'"),
    ({"arithmetic": 3}, "arithmetic is of type int: want a str"),
    ({"cases": -1}, "cases is -1: want a whole number from 0"),
    ({"seed": 2**64}, "want a whole number from 0 to 18446744073709551615"),
    ({"name": "my kernel"}, "name 'my kernel' is not made of letters"),
    ({"function": 3}, "3 is not callable"),
    ({"suite": None, "cases": 0}, "there is no case of silu_and_mul in what was asked for"),
])
def test_bad_input_is_one_line(options, said):
    with pytest.raises(assay.BadInput) as caught:
        assay.check(**{"contract": "silu_and_mul", "function": kernels.silu_and_mul, **QUICK, **options})
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_objects_of_dlpack_are_taken_by_others():
    def dequant(words, out, params):
        assert words.__dlpack_device__() == (1, 0) and out.torch_type == "float16"
        out.numpy()[...] = kernels.int4_dequant(numpy.from_dlpack(words), out.numpy(), params)

    assert not assay.check("int4_dequant", dequant, tensors="dlpack", params={"dtype": "fp16"}, **QUICK).failures


def layer_inputs(rows=5, d=96):
    values = numpy.random.default_rng(1).normal(size=(rows, 2 * d))
    values[0, 3], values[1, 4] = numpy.nan, numpy.inf
    return assay.f32_to_bf16(values)


def test_operands_of_ones_own_are_checked():
    seen = []

    def noting(gate_up, out, params):
        seen.append(gate_up.copy())
        return kernels.silu_and_mul(gate_up, out, params)

    mine = layer_inputs()
    report = assay.check("silu_and_mul", noting, operands={"gate_up": mine}, arithmetic=SILU)
    assert not report.failures, report
    assert report.cells["conforms"].outcome == "pass" and report.cells["conforms"].data["elements"]["judged"] == 5 * 96, report
    assert (seen[0] == mine).all()
    assert "silu_and_mul rows=5 d=96" in str(report) and "unbiased" not in report.cells

    (failure,) = assay.check("silu_and_mul", too_large, operands={"gate_up": mine}, laws="conforms").failures
    assert "product: out[0, 0] is " in failure.reason
    assert 'assay.check("silu_and_mul", ..., operands=..., laws="conforms")' in str(assay.check("silu_and_mul", too_large, operands={"gate_up": mine}, laws="conforms"))


def test_a_file_that_python_wrote_is_read(tmp_path):
    mine = layer_inputs(2, 8)
    header = json.dumps({"model.up": {"dtype": "BF16", "shape": [1, 2, 16], "data_offsets": [0, 64]}}).encode()
    path = tmp_path / "layer.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + mine.tobytes())
    with pytest.raises(assay.BadInput, match="holds no operand of silu_and_mul .gate_up.: it holds model.up"):
        assay.check("silu_and_mul", kernels.silu_and_mul, operands=path)
    path.write_bytes(path.read_bytes().replace(b'"model.up"', b'"gate_up" '))
    report = assay.check("silu_and_mul", kernels.silu_and_mul, operands=str(path), arithmetic=SILU)
    assert not report.failures and "silu_and_mul rows=2 d=8" in str(report), report


@pytest.mark.parametrize("operands, params, said", [
    ({"gate_up": [1.0]}, None, "'gate_up' is list: want a tensor of float32"),
    ({"gate_up": numpy.zeros((2, 16))}, None, "'gate_up' is float64: want a tensor of float32"),
    ({"gate_up": numpy.zeros((2, 16), numpy.float32)}, None, r"tensor 'gate_up' is \[2, 16\] F32, want \[2, 16\] bf16"),
    ({"gate_up": numpy.zeros((2, 16), numpy.uint16)}, {"d": 9}, r"tensor 'gate_up' is \[2, 16\] U16, want \[2, 18\] bf16"),
    (3, None, "operands is int: want tensors by name"),
    ("no such file", None, "is no file that can be read"),
])
def test_operands_that_do_not_fit_are_refused(operands, params, said):
    with pytest.raises(assay.BadInput, match=said):
        assay.check("silu_and_mul", kernels.silu_and_mul, operands=operands, params=params)


def test_within_pytest_a_failure_shows_the_report(tmp_path):
    (tmp_path / "test_mine.py").write_text(textwrap.dedent("""
        import assay
        import check_test

        def test_silu():
            report = assay.check("silu_and_mul", check_test.too_large, suite="smoke", cases=0, laws="conforms")
            assert report.passed, str(report)
    """))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)], env=environment,
                           capture_output=True, text=True)
    assert ended.returncode == 1
    assert "FAIL  conforms.too_large" in ended.stdout and "assay repro 'silu_and_mul rows=1 " in ended.stdout


def test_helpers_of_formats_go_there_and_back():
    codes = numpy.arange(256, dtype=numpy.uint8)
    codes = codes[(codes & 0x7F) != 0x7F]
    assert (assay.f32_to_e4m3fn(assay.e4m3fn_to_f32(codes)) == codes).all()
    assert list(assay.e4m3fn_to_f32(numpy.array([1, 0x38, 0x7E, 0xFE], numpy.uint8))) == [2.0**-9, 1, 448, -448]
    assert list(assay.f32_to_e4m3fn(numpy.array([17, 19, 1e9, -0.0]))) == [0x58, 0x5A, 0x7E, 0x80]  # 17 and 19 are half-way
    all_bf16 = numpy.arange(1 << 16, dtype=numpy.uint16)
    all_bf16 = all_bf16[~numpy.isnan(assay.bf16_to_f32(all_bf16))]
    assert (assay.f32_to_bf16(assay.bf16_to_f32(all_bf16)) == all_bf16).all()
    assert list(assay.f32_to_bf16(numpy.array([1 + 2**-8, 1 + 3 * 2**-8], numpy.float32))) == [0x3F80, 0x3F82]
