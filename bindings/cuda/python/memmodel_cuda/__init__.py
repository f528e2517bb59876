"""
What the simulated CUDA device cannot do by itself, done in Python: values, statistics, and an end after some steps.

Nothing happens until the program imports torch, which this package never does on its own.
"""

from memmodel_cuda import caches, importing


def start():
    """Called once, when Python starts."""
    caches.keep_apart()
    for name in ("torch", "onnxruntime", "tensorflow"):
        importing.before(name, _before_cudnn)
    importing.after("torch", _after_torch)
    importing.after("torch.distributed.distributed_c10d", _after_distributed)
    importing.after("triton.runtime.jit", _after_triton)
    importing.after("triton.runtime.autotuner", _after_autotuner)
    importing.before("deep_gemm", _before_deep_gemm)
    importing.before("vllm.third_party.deep_gemm", _before_deep_gemm)
    importing.after("flashinfer.jit.core", _after_flashinfer)
    importing.after("cutlass.base_dsl.compiler", _after_cutlass)
    importing.after("jax._src.hardware_utils", _after_jax_has_looked)
    importing.install()


def _before_cudnn():
    from memmodel_cuda import dnn

    dnn.open_first()


def _after_torch(torch):
    if not torch.version.cuda:
        return
    from memmodel_cuda import collectives, kernels, steps

    steps.follow(torch)
    kernels.install()
    collectives.install()


def _after_distributed(distributed):
    from memmodel_cuda import groups, objects, one_rank

    groups.install(distributed)
    (one_rank if one_rank.is_wanted() else objects).install(distributed)


def _after_triton(jit):
    from memmodel_cuda import launches

    launches.watch(jit)


def _after_autotuner(autotuner):
    from memmodel_cuda import autotune

    autotune.take_first(autotuner)


def _before_deep_gemm():
    from memmodel_cuda import deep_gemm

    deep_gemm.before()


def _after_flashinfer(core):
    from memmodel_cuda import uncompiled

    uncompiled.flashinfer(core)


def _after_cutlass(compiler):
    from memmodel_cuda import uncompiled

    uncompiled.cutlass(compiler)


def _after_jax_has_looked(hardware):
    """It asks for files of the driver's before it starts the plugin for CUDA, which is there where this runs."""
    hardware.has_visible_nvidia_gpu = lambda: True
