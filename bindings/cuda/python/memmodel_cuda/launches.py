"""Kernels of Triton write where we do not see: what they are given is no longer known."""

from memmodel_cuda import knowledge


def watch(jit):
    """Wraps the launch of every kernel that triton.jit made."""
    run = jit.JITFunction.run

    def watched(self, *args, **kwargs):
        result = run(self, *args, **kwargs)
        for value in list(args) + list(kwargs.values()):
            if hasattr(value, "untyped_storage"):
                knowledge.forget(value)
        return result

    jit.JITFunction.run = watched
