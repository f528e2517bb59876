"""One colour for each category of memory, in pictures and in tables; they read on white and on black."""

from __future__ import annotations

CATEGORIES = {
    "parameters": "#4c72b0",
    "gradients": "#dd8452",
    "optimizer state": "#937860",
    "inputs": "#8c8c8c",
    "saved activations": "#55a868",
    "temporary activations": "#a1d6b2",
    "activation gradients": "#c44e52",
    "workspace": "#8172b3",
    "allocator overhead": "#ccb974",
    "runtime": "#64b5cd",
}
OTHER = "#b0b0b0"


def colour(category: str) -> str:
    """Of a category; a later library may know more of them."""
    return CATEGORIES.get(category, OTHER)
