"""
Kernels that libraries compile when they are first called, where nobody needs to: the device computes nothing.

What they are given to write is the caller's own, so its memory is right. What they would return is not known: it can
be handed on to other kernels, but a program that wants its value gets an error that says so.
"""

import sys

from memmodel_cuda import knowledge, library

_noted = set()


class Uncompiled:
    """Stands for a compiled module, for a function of it, and for what such a function returns."""

    def __init__(self, name):
        self._memmodel_name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Uncompiled(f"{self._memmodel_name}.{name}")

    def __getitem__(self, key):
        return Uncompiled(f"{self._memmodel_name}[{key!r}]")

    def __call__(self, *args, **kwargs):
        torch = sys.modules.get("torch")
        for value in (*args, *kwargs.values()):
            if torch and isinstance(value, torch.Tensor):
                knowledge.forget(value)
        return Uncompiled(self._memmodel_name + "()")

    def _unknown(self, *_):
        text = f"{self._memmodel_name}: it is not compiled for the simulated GPU, and what it returns is not known"
        library.note(library.UNANSWERED, text)
        raise RuntimeError(text)

    __bool__ = __int__ = __index__ = __float__ = __iter__ = __len__ = _unknown


def flashinfer(core):
    """Modules of FlashInfer: what was built before is loaded, nothing is built."""
    core.JitSpec.build_and_load = _load_or_stand_in
    core.build_jit_specs = lambda *args, **kwargs: None


def _load_or_stand_in(spec):
    built = _load_built(spec)
    if built is not None:
        return built
    note_once(f"FlashInfer: its module {spec.name} is not compiled, and takes no memory of the device")
    return Uncompiled(spec.name)


def _load_built(spec):
    if hasattr(spec, "try_load"):
        return spec.try_load()
    return spec.load(spec.aot_path) if getattr(spec, "is_aot", False) else None


def cutlass(compiler):
    """cute.compile() of CUTLASS's DSL."""
    compiler.CompileCallable._compile = _compile_nothing


def _compile_nothing(self, function, *args, **kwargs):
    name = getattr(function, "__name__", type(function).__name__)
    note_once(f"CUTLASS's DSL: {name} is not compiled")
    return Uncompiled(name)


def note_once(text):
    if text not in _noted:
        _noted.add(text)
        library.note(library.PROFILE, text)
