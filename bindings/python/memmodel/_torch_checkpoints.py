"""Modules of a model that one call of torch.utils.checkpoint runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from torch import nn
from torch.utils.checkpoint import checkpoint


class Segments:
    """Modules that follow one another run in one call of checkpoint(), which stands where the first was called; the
    others, called where they always were, hand on what they are given. A module may be called elsewhere too."""

    def __init__(self) -> None:
        self._done: Counter[nn.Module] = Counter()  # calls that a segment has made already

    def add(self, modules: Sequence[nn.Module]) -> None:
        functions = [module.forward for module in modules]

        def run(x: Any, *args: Any, **kwargs: Any) -> Any:
            for function in functions:
                x = function(x, *args, **kwargs)
            return x

        def in_one_call(*args: Any, **kwargs: Any) -> Any:
            made = checkpoint(functions[0] if len(functions) == 1 else run, *args, use_reentrant=False, **kwargs)
            self._done.update(modules[1:])
            return made

        modules[0].forward = in_one_call
        for module in modules[1:]:
            module.forward = partial(self._hand_on, module, module.forward)

    def _hand_on(self, module: nn.Module, forward: Callable[..., Any], x: Any, *args: Any, **kwargs: Any) -> Any:
        if not self._done[module]:
            return forward(x, *args, **kwargs)
        self._done[module] -= 1
        return x
