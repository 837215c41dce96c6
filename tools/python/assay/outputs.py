"""What a callable returns, copied to where Assay wants it."""


class WrongOutput(ValueError):
    """A returned tensor that is not the output of the contract, in one line."""


def by_name(returned, outputs):
    """The returned tensors under the names of the outputs: a mapping, a tuple or list in their order, or the only one."""
    if isinstance(returned, dict):
        for name in returned:
            if name not in outputs:
                raise WrongOutput(f"returned {name!r}: the outputs are {', '.join(outputs)}")
        return returned
    several = returned if isinstance(returned, (tuple, list)) else (returned,)
    if len(several) != len(outputs):
        raise WrongOutput(f"returned {len(several)} tensors: want {len(outputs)} ({', '.join(outputs)}), a mapping, or None once they are "
                          "written in place")
    return dict(zip(outputs, several))


def type_name(tensor):
    return str(getattr(tensor, "dtype", type(tensor).__name__)).removeprefix("torch.")


def store(name, target, value):
    """Copies bits: a value of another type is refused, since converting it would be a rounding that is not the kernel's."""
    if value is target:
        return
    shape = tuple(getattr(value, "shape", ()))
    if type_name(value) == "bfloat16" and type_name(target) == "uint16":  # ml_dtypes
        value = value.view(target.dtype)
    if type_name(value) != type_name(target):
        raise WrongOutput(f"returned {name} as {type_name(value)}: want {type_name(target)}, rounded by the kernel itself")
    if shape != tuple(target.shape):
        raise WrongOutput(f"returned {name} of shape {shape}: want {tuple(target.shape)}")
    if 0 not in shape:
        target[...] = value


def store_all(returned, outputs):
    """`outputs`: by name, those that are written only first, as the contract orders them."""
    if returned is None:
        return
    for name, value in by_name(returned, outputs).items():
        store(name, outputs[name], value)
