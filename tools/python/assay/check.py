"""assay.check and its kin."""

import ctypes
import json
import os

from . import library as c
from .kernel import PythonKernel, check_texts
from .library import BadInput, library, taken
from .operands import file_of
from .report import Report
from .tensors import view_named

BACKENDS = {"cpu": c.EMULATOR, "cuda": c.CUDA}


def whole_number(option, value, most):
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise BadInput(f"{option} is {value!r}: want a whole number from 0 to {most}")
    return value


def words(option, value, separator):
    """A str, or several of them, as one text; None for none."""
    several = [value] if isinstance(value, str) else list(value or [])
    if not all(isinstance(word, str) for word in several):
        raise BadInput(f"{option} is {value!r}: want a str, or several")
    return separator.join(several).encode("ascii", "backslashreplace") or None


def fixed_text(params):
    several = [f"{name}={value!r}" if isinstance(value, float) else f"{name}={value}" for name, value in (params or {}).items()]
    return " ".join(several).encode("ascii", "backslashreplace") or None


def check(contract, function, *, suite="ci", cases=20, seed=1, laws=None, params=None, lines=None, operands=None, backend="cpu", tensors=None,
          arithmetic=None, supports=None, repeatable=True, batch_invariant=False, name=None, judge_all=False, shrink_seconds=20.0):
    """Checks function(**tensors, params=...) as an implementation of the contract; returns a Report. README.md explains every option.
    Raises BadInput with one line where what is asked for makes no sense."""
    check_texts(suite=suite)
    kernel = kernel_of(contract, function, backend, tensors, arithmetic=arithmetic, supports=supports, repeatable=repeatable,
                       batch_invariant=batch_invariant, name=name)
    request = c.Request(suite=suite and suite.encode(), lines=words("lines", lines, "\n"), laws=words("laws", laws, " "),
                        fixed=fixed_text(params), seed=whole_number("seed", seed, 2**64 - 1), cases=whole_number("cases", cases, 10**6),
                        judge_all=int(judge_all), shrink_seconds=shrink_seconds)
    with file_of(operands) as path:
        request.operands = path and os.fsencode(path)
        return answered(library.assay_check, kernel, request)


def fuzz(contract, function, *, seconds=0, cases=0, seed=1, jobs=1, journal=None, backend="cpu", tensors=None, arithmetic=None,
         supports=None, repeatable=True, batch_invariant=False, name=None):
    """Draws cases where they are thinnest, 60 s long unless `seconds` or `cases` say otherwise; returns a Report whose failures are one for
    each law of each distinct finding. README.md explains every option. Raises BadInput as check does."""
    check_texts(journal=journal)
    kernel = kernel_of(contract, function, backend, tensors, arithmetic=arithmetic, supports=supports, repeatable=repeatable,
                       batch_invariant=batch_invariant, name=name)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds <= 1e6:
        raise BadInput(f"seconds is {seconds!r}: want a number from 0 to 1e6")
    request = c.Request(seed=whole_number("seed", seed, 2**64 - 1), cases=whole_number("cases", cases, 2**31 - 1),
                        seconds=seconds or (0 if cases else 60), jobs=whole_number("jobs", jobs, 1000),
                        journal=journal and journal.encode())
    return answered(library.assay_fuzz, kernel, request)


def kernel_of(contract, function, backend, tensors, *, name, arithmetic, **options):
    if not callable(function):
        raise BadInput(f"{function!r} is not callable: want a function of the contract's tensors by name, and params")
    check_texts(contract=contract, name=name)
    if arithmetic is not None and not callable(arithmetic):
        check_texts(arithmetic=arithmetic)
    if backend not in BACKENDS:
        raise BadInput(f"backend is {backend!r}: want 'cpu' or 'cuda'")
    number = BACKENDS[backend]
    return PythonKernel(contract, function, name=name, backend=number, view=view_named(tensors, number), arithmetic=arithmetic, **options)


def answered(command, kernel, request):
    """The Report of a command of the library."""
    request.size, request.plugin, request.interrupted = ctypes.sizeof(c.Request), ctypes.pointer(kernel.description), kernel.interrupted
    text, data = ctypes.c_void_p(), ctypes.c_void_p()
    code = command(ctypes.byref(request), ctypes.byref(text), ctypes.byref(data))
    text, data = taken(text), taken(data)
    if kernel.interrupt is not None:
        raise kernel.interrupt
    if code == 2:
        raise BadInput(text)
    return Report(code, text, json.loads(data))


def assert_conforms(contract, function, *, allow_unchecked=False, **options):
    """check(...) that raises AssertionError with the report unless all passed; returns the Report."""
    return check(contract, function, **options).raise_on_failure(allow_unchecked)


def repro(line, function, **options):
    """Runs the case of a reproducer line again, under the law that it names or else under all."""
    if not isinstance(line, str) or not line.split():
        raise BadInput(f"line is {line!r}: want a case or reproducer, as reports give it")
    return check(line.split()[0], function, lines=line, **{"suite": None, "cases": 0, **options})


def describe(contract=None):
    """What `assay list` prints: parameters of a contract, what may be declared, subjects; without one, all there is."""
    check_texts(contract=contract)
    text = ctypes.c_void_p()
    code = library.assay_list(contract and contract.encode(), ctypes.byref(text))
    if code:
        raise BadInput(taken(text))
    return taken(text)
