"""What is computed beside is seen by no mode, no subclass of tensors, no autograd of the program."""

import torch

_C = torch._C


class quiet:
    def __enter__(self):
        self.dispatch = _C._DisableTorchDispatch()
        self.function = _C.DisableTorchFunction()
        self.below = _C._AutoDispatchBelowAutograd()
        self.function.__enter__()
        self.below.__enter__()

    def __exit__(self, *_):
        self.below.__exit__(None, None, None)
        self.function.__exit__(None, None, None)
        del self.dispatch
