"""What the rules need beside the model: where each thing stands, and which parameters a comment names."""

from __future__ import annotations

from dataclasses import dataclass, field

from generate.problems import Place


@dataclass
class Facts:
    """By the name of a thing; parts are called `struct.field`, `function.parameter`."""

    places: dict[str, Place] = field(default_factory=dict)
    documented: dict[str, list[str]] = field(default_factory=dict)
