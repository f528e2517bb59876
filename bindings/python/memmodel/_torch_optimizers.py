"""An instance of torch.optim as a job has it: its options, and the parameters that it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch import nn

OPTIMIZERS = ("SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad", "Adadelta", "Adafactor")
KEPT = ("momentum", "nesterov", "weight_decay", "decoupled_weight_decay", "maximize", "amsgrad", "centered")
IMPLEMENTATIONS = ("foreach", "fused")


class UnknownOptimizer(ValueError):
    """There is no rule for it."""


def optimizer_text(optimizer: Any, module: nn.Module, loss: Callable[..., Any] | str | None) -> str:
    """Such as "sgd(momentum=0.9, nesterov=True)"; "adam: head.weight,head.bias" where it has some parameters only, with
    "; " between groups of parameters.
    """
    if isinstance(optimizer, str):
        return optimizer
    name = type(optimizer).__name__
    names = _parameter_names(module, loss)
    if name not in OPTIMIZERS:
        unsupported = f"optimizer: {name} is not supported; use one of {', '.join(OPTIMIZERS)}"
        raise ValueError(unsupported) if _strangers(_parameters(optimizer), names) else UnknownOptimizer(unsupported)
    groups = [(_with_options(name, group), _names_of(group["params"], names)) for group in optimizer.param_groups]
    _refuse_strangers(_parameters(optimizer), names)
    if len(groups) == 1 and groups[0][1] == list(names.values()):
        return groups[0][0]
    if not any(members for _, members in groups):
        return "none"
    return "; ".join(f"{text}: {','.join(members)}" for text, members in groups if members)


def _with_options(name: str, settings: Mapping[str, Any]) -> str:
    options = [f"{key}={settings[key]!r}" for key in KEPT if settings.get(key)]
    if name == "AdamW":
        options = [f"weight_decay={settings['weight_decay']!r}", *(o for o in options if "weight_decay" not in o)]
    options += [f"{key}={settings[key]}" for key in IMPLEMENTATIONS if settings.get(key) is not None]
    return f"{name.lower()}({', '.join(options)})" if options else name.lower()


def _parameter_names(module: nn.Module, loss: Any) -> dict[int, str]:
    """Those that are trained, as the network calls them, in its order."""
    parts = [("", module), *([("loss.", loss)] if isinstance(loss, nn.Module) else [])]
    named = [(prefix + name, part) for prefix, module in parts for name, part in module.named_parameters()]
    return {id(parameter): name for name, parameter in named if parameter.requires_grad}


def _names_of(parameters: Iterable[Any], names: Mapping[int, str]) -> list[str]:
    return [names[id(parameter)] for parameter in parameters if id(parameter) in names]


def _parameters(optimizer: Any) -> list[Any]:
    return [part for group in optimizer.param_groups for part in group["params"]]


def _strangers(parameters: list[Any], names: Mapping[int, str]) -> list[Any]:
    return [parameter for parameter in parameters if parameter.requires_grad and id(parameter) not in names]


def _refuse_strangers(parameters: list[Any], names: Mapping[int, str]) -> None:
    strangers = _strangers(parameters, names)
    if strangers:
        raise ValueError(
            f"optimizer: {len(strangers)} of its {len(parameters)} parameters are none of the module's, the first of "
            f"the shape {tuple(strangers[0].shape)}; make it of parameters of this module"
        )
