"""Names in texts as links between the pages of the documentation, which lie in one folder."""

from __future__ import annotations

import re

from generate.model import Api

ERRORS = "errors.md"
# Code stays as it is; a name of ours may be followed by () and preceded by what it is.
WORD = re.compile(r"`[^`]+`|\b(?:(?:enum|struct) )?(?:memmodel_\w+|MEMMODEL_\w+)(?:\(\))?|[*<|\[\]]")


def page(header: str) -> str:
    return header.removeprefix("memmodel/").removesuffix(".h") + ".md"


class Links:
    """Where each name is explained, seen from one page."""

    def __init__(self, api: Api, here: str) -> None:
        self.here = here
        self.targets: dict[str, tuple[str, str]] = {}
        for constant in api["constants"]:
            self.targets[constant["name"]] = (page(constant["header"]), "constants")
        for group in (api["handles"], api["aliases"], api["callbacks"], api["functions"]):
            for item in group:
                self.targets[item["name"]] = (page(item["header"]), item["name"])
        for struct in api["structs"]:
            self.targets.setdefault(struct["name"], (page(struct["header"]), f"struct-{struct['name']}"))
            self.targets[f"struct {struct['name']}"] = (page(struct["header"]), f"struct-{struct['name']}")
        for enum in api["enums"]:
            self.targets[f"enum {enum['name']}"] = (page(enum["header"]), f"enum-{enum['name']}")
            for value in enum["values"]:
                is_error = enum["name"] == "memmodel_status" and value["value"]
                self.targets[value["name"]] = (
                    (ERRORS, value["name"].lower()) if is_error else (page(enum["header"]), f"enum-{enum['name']}")
                )

    def name(self, name: str, shown: str) -> str:
        """`shown` as a link to the explanation of `name`, if there is one."""
        if name not in self.targets:
            return shown
        target, anchor = self.targets[name]
        return f"[{shown}]({'' if target == self.here else target}#{anchor})"

    def text(self, text: str) -> str:
        """A text as Markdown: code stays, names of ours become links, the rest means nothing special."""
        return WORD.sub(self.word, text)

    def word(self, match: re.Match[str]) -> str:
        word = match[0]
        if word.startswith("`"):
            return self.name(word.strip("`").removesuffix("()"), word)
        if len(word) == 1:
            return "\\" + word
        return self.name(word.removesuffix("()"), f"`{word}`")
