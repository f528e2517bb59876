"""Runs when Python starts in a run on simulated GPUs: starts the hook, then the user's own sitecustomize."""

import os
import sys


def start_hook():
    try:
        import memmodel_cuda

        memmodel_cuda.start()
    except Exception as error:  # the user's program comes first
        sys.stderr.write(f"memmodel: values of the simulated GPU are not followed: {error!r}\n")


def run_next():
    """The user's sitecustomize, further on in sys.path, takes this one's place."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    here = os.path.realpath(__file__).rpartition(os.sep)[0]
    further = [path for path in sys.path if os.path.realpath(path) != here]
    spec = PathFinder.find_spec("sitecustomize", further)
    if spec and spec.loader:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


start_hook()
run_next()
