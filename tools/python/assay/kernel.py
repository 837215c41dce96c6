"""A callable as the one kernel of a plug-in description."""

import ctypes
import os
import re
import traceback

from . import library as c
from .library import BadInput
from .outputs import WrongOutput, store_all
from .tensors import GuardedTensor


def parameters_of(pointer):
    """The parameters of a case by name: int, float or str."""
    all_of = pointer.contents
    return {p.name.decode(): p.whole if p.kind == c.WHOLE else p.real if p.kind == c.REAL else p.word.decode()
            for p in (all_of.all[i] for i in range(all_of.count))}


def say(buffer, capacity, text):
    data = text.encode("ascii", "backslashreplace")[:capacity - 1]
    ctypes.memmove(buffer, data + b"\0", len(data) + 1)


def reason(error):
    """The last line of a traceback, and where it was raised."""
    line = traceback.format_exception_only(type(error), error)[-1].strip()
    frames = traceback.extract_tb(error.__traceback__)
    return f"{line} ({frames[-1].filename.rsplit('/', 1)[-1]}, line {frames[-1].lineno})" if frames else line


def name_of(function):
    return re.sub(r"[^A-Za-z0-9_.-]", "_", getattr(function, "__name__", type(function).__name__)).lstrip("-")[:64] or "kernel"


class PythonKernel:
    """Keeps everything that the description points to; `interrupt` is what must end the check once the library returns."""

    def __init__(self, contract, function, *, name, backend, view, arithmetic, supports, repeatable, batch_invariant):
        self.function, self.view, self.supports, self.arithmetic = function, view, supports, arithmetic
        self.interrupt, self.process = None, os.getpid()
        self.interrupted = c.Interrupted(self._interrupted)
        self.kernel = c.Kernel(contract=contract.encode(), name=(name or name_of(function)).encode(), summary=b"a Python callable",
                               repeatable=int(repeatable), batch_invariant=int(batch_invariant), run=c.Run(self._run))
        if supports is not None:
            self.kernel.supports = c.Answer(self._supports)
        if callable(arithmetic):
            self.kernel.arithmetic_of = c.Answer(self._arithmetic)
        elif arithmetic is not None:
            self.kernel.arithmetic = arithmetic.encode("ascii", "backslashreplace")
        self.description = c.Description(abi=c.ABI, size=ctypes.sizeof(c.Description), kernel_size=ctypes.sizeof(c.Kernel), backend=backend,
                                         name=b"python", kernel_count=1, kernels=ctypes.pointer(self.kernel))

    # ---- callbacks: no exception may leave them

    def _run(self, call):
        call = call.contents
        try:
            if self.interrupt is None:
                self._call(call)
                return 0
            say(call.error, call.error_capacity, "interrupted")
        except WrongOutput as e:
            say(call.error, call.error_capacity, str(e))
        except Exception as e:
            say(call.error, call.error_capacity, reason(e))
        except BaseException as e:  # Ctrl-C: what is left of the case fails at once, and the check ends
            if os.getpid() != self.process:  # one that fuzzing forked
                os._exit(1)
            self.interrupt = e
            say(call.error, call.error_capacity, "interrupted")
        return 1

    def _interrupted(self):
        """Runs in the interpreter, so that a pending Ctrl-C is raised here."""
        try:
            return int(self.interrupt is not None)
        except BaseException as e:
            self.interrupt = e
            return 1

    def _call(self, call):
        tensors, written, changed = {}, {}, {}
        for i in range(call.tensor_count):
            named = call.tensors[i]
            name = named.name.decode()
            tensors[name] = self.view(GuardedTensor(named.tensor.contents))
            if named.role != c.INPUT:
                (written if named.role == c.OUTPUT else changed)[name] = tensors[name]
        store_all(self.function(**tensors, params=parameters_of(call.parameters)), {**written, **changed})

    def _supports(self, parameters, text, capacity):
        try:
            answer = self.supports(parameters_of(parameters))
        except BaseException as e:
            self.interrupt = self.interrupt or e
            answer = "interrupted"
        if answer is True:
            return 1
        say(text, capacity, answer if isinstance(answer, str) else "")
        return 0

    def _arithmetic(self, parameters, text, capacity):
        try:
            say(text, capacity, self.arithmetic(parameters_of(parameters)))
            return 0
        except BaseException as e:
            self.interrupt = self.interrupt or e
            return 1


def check_texts(**texts):
    for option, text in texts.items():
        if text is not None and not isinstance(text, str):
            raise BadInput(f"{option} is of type {type(text).__name__}: want a str")
