"""One operator of torch as we need it: its kernel for CUDA, its kernel for the CPU, and what it writes."""

import torch

from memmodel_cuda import beside, knowledge, numbers

# Written though the schema does not say so: the statistics of batch norms.
_SILENTLY_WRITTEN = ("running_mean", "running_var")
# Those of which what was there before is not read.
_OVERWRITES = ("copy_", "fill_", "zero_", "normal_", "uniform_", "random_", "bernoulli_", "exponential_", "cauchy_",
               "geometric_", "log_normal_", "_foreach_zero_", "_foreach_copy_")  # fmt: skip


class Operator:
    """`real(*args, **kwargs)` is the kernel of CUDA; positions are of the schema's arguments."""

    def __init__(self, name, real):
        self.name = name
        self.real = real
        base, _, overload = name.partition("::")[2].partition(".")
        self.base = base
        schema = numbers.schema(name)
        self.arguments = [argument.name for argument in schema.arguments]
        self.numbers = numbers.places(schema)
        self._find_writes(schema)
        self._find_randomness(schema, name, overload or "default")
        self.returns_views = any(_is_view(value) for value in schema.returns)
        self.is_foreign = not name.startswith("aten::")
        self._cpu = beside.kernel_of(name)

    def _find_writes(self, schema):
        written = [argument for argument in schema.arguments if _is_written(argument)]
        self.outputs = {argument.name for argument in written if argument.kwarg_only}
        self.in_place = {argument.name for argument in written if not argument.kwarg_only}
        self.silent = {name for name in self.arguments if name in _SILENTLY_WRITTEN}
        self.overwritten = {self.arguments[0]} if self.base in _OVERWRITES else set()
        written = self.outputs | self.in_place | self.silent
        unread = self.outputs | self.overwritten
        self.writes = bool(written)
        self._written = [pair for pair in enumerate(self.arguments) if pair[1] in written]
        self._read = [pair for pair in enumerate(self.arguments) if pair[1] not in unread]

    def _find_randomness(self, schema, name, overload):
        self.takes_generator = "generator" in self.arguments
        packet = getattr(getattr(torch.ops, name.partition("::")[0]), self.base)
        tags = getattr(packet, overload).tags
        self.is_random = self.takes_generator or torch.Tag.nondeterministic_seeded in tags

    def named(self, args, kwargs):
        """Pairs of an argument's name and value."""
        pairs = list(zip(self.arguments, args))
        return pairs + list(kwargs.items()) if kwargs else pairs

    def read(self, args, kwargs):
        """The tensors whose values it reads."""
        return _tensors_at(self._read, args, kwargs)

    def written(self, args, kwargs):
        """The tensors that it writes."""
        return _tensors_at(self._written, args, kwargs)

    def forget_written(self, args, kwargs):
        for tensor in self.written(args, kwargs):
            knowledge.forget(tensor)

    def on_cpu(self, args, kwargs):
        """The result on the CPU, on the memory of the device. Raises where the CPU has no such kernel."""
        if self._cpu is None:
            raise NotImplementedError(self.name)
        args = [beside.argument(value) for value in args]
        kwargs = {name: beside.argument(value) for name, value in kwargs.items()}
        if not self.is_random:
            return self._cpu(*args, **kwargs)
        if self.takes_generator:
            kwargs = self._with_generator(args, kwargs)
            return self._cpu(*args, **kwargs)
        state = torch.random.get_rng_state()
        try:
            return self._cpu(*args, **kwargs)
        finally:
            torch.random.set_rng_state(state)

    def _with_generator(self, args, kwargs):
        place = self.arguments.index("generator")
        if place < len(args):
            args[place] = beside.generator()
            return kwargs
        return {**kwargs, "generator": beside.generator()}


def _tensors_at(places, args, kwargs):
    """Those of some arguments."""
    found = []
    for place, name in places:
        value = args[place] if place < len(args) else kwargs.get(name)
        if value is not None:
            found += tensors(value)
    return found


def tensors(value):
    """Those that an argument is or holds."""
    if isinstance(value, torch.Tensor):
        return (value,)
    if isinstance(value, (list, tuple)):
        return [item for item in value if isinstance(item, torch.Tensor)]
    return ()


def _is_written(argument):
    return argument.alias_info is not None and argument.alias_info.is_write


def _is_view(value):
    return value.alias_info is not None and not value.alias_info.is_write
