"""numpy and pandas, where they are present."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any


def present(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def need(name: str, what: str) -> Any:
    """The module, or an ImportError that says what it is for."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"{what} needs {name}: pip install {name}") from None
