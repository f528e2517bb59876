"""How things of the API are called in Python."""

from __future__ import annotations

import builtins
import keyword
import re

from generate.model import Api, Enum
from generate.text import title


def camel(name: str) -> str:
    """memmodel_report_get_layer is ReportLayer."""
    return "".join(word.capitalize() for word in title(name).split("_"))


def handle(name: str) -> str:
    return camel(name) + "Handle"


def argument(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) else name


def constant(name: str) -> str:
    return name.removeprefix("MEMMODEL_")


def exception(name: str) -> str:
    """MEMMODEL_ERROR_SHAPE is ShapeError; where Python has the name already, the library's says whose it is."""
    name = camel(name.removeprefix("MEMMODEL_ERROR_").lower()) + "Error"
    return f"Memmodel{name}" if hasattr(builtins, name) else name


def _common(names: list[str]) -> str:
    """Whole words that all names begin with."""
    words = [name.split("_") for name in names]
    common = 0
    while len({tuple(word[: common + 1]) for word in words}) == 1 and all(len(word) > common + 1 for word in words):
        common += 1
    return "".join(word + "_" for word in words[0][:common])


def members(enum: Enum) -> list[tuple[str, int, str]]:
    """Name, number and text of each enumerator, without what all of them, or the enum itself, are called."""
    values = [value for value in enum["values"] if not value["name"].endswith("_COUNT")]
    prefix = _common([constant(value["name"]) for value in values])
    own = title(enum["name"]).removesuffix("_kind").upper() + "_"
    return [
        (constant(value["name"]).removeprefix(prefix).removeprefix(own), value["value"], value["text"])
        for value in values
    ]


def chosen(name: str, api: Api) -> str:
    """How a text in Python calls an enumerator; other names stay."""
    for enum in api["enums"]:
        values = [value["name"] for value in enum["values"]]
        if name in values and not name.endswith("_COUNT") and title(enum["name"]) != "status":
            return f'"{members(enum)[values.index(name)][0].lower()}"'
    return name


def in_python(text: str, api: Api) -> str:
    """A text of the headers, with Python's names in place of C's."""
    text = re.sub(r"\bMEMMODEL_\w+", lambda found: chosen(found[0], api), text)
    text = re.sub(r"\bMEMMODEL_ERROR_[A-Z_]+\b", lambda found: exception(found[0]), text)
    text = re.sub(r"\bMEMMODEL_(?=[A-Z])", "", text)
    text = re.sub(r"\b(enum|struct) (memmodel_\w+)", lambda found: camel(found[2]), text)
    text = re.sub(r"\bmemmodel_(?=\w+\()", "", text)
    return text.replace("NULL", "None").replace("\\", "\\\\").replace('"""', "'''")
