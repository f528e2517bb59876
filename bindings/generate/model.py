"""The model of the API: what the headers say, as every back end sees it; written out it is include/memmodel-api.json.

Optional keys are absent where they do not apply.
"""

from __future__ import annotations

from typing import TypedDict


class Type(TypedDict, total=False):
    """A C type. `kind` is always there; the others go with some kinds.

    int32, int64, uint64, size, double, bool, void; string (const char *; `mutable`: char *); bytes (const void *);
    alias `name`; handle `name` `const` (a pointer to an opaque object); struct `name`; callback `name`; user (the
    void * of callbacks); pointer `to` `const` (what it points to is const); array `of` `count`.
    """

    kind: str
    name: str
    const: bool
    mutable: bool
    to: Type
    of: Type
    count: int


class Note(TypedDict, total=False):
    """What the comment says of a parameter, a field or a result."""

    text: str
    unit: str
    length: str
    nullable: bool
    transfer: str
    default: str
    enum: str
    since: str


class Parameter(Note, total=False):
    name: str
    type: Type
    direction: str


class Returns(Note, total=False):
    type: Type
    status: bool
    errors: list[str]


class Item(TypedDict, total=False):
    """What every public thing has."""

    name: str
    text: str
    since: str
    header: str
    line: int


class Constant(Item, total=False):
    value: int | str


class Value(TypedDict):
    name: str
    value: int
    text: str


class Enum(Item, total=False):
    values: list[Value]


class Handle(Item, total=False):
    ref: str
    unref: str


class Alias(Item, total=False):
    type: Type


class Callback(Item, total=False):
    parameters: list[Parameter]
    returns: Returns
    threads: str
    complexity: str


class Field(Note, total=False):
    name: str
    type: Type
    offset: dict[str, int]


class Struct(Item, total=False):
    sized: bool
    role: str
    bytes: dict[str, int]
    fields: list[Field]


class Function(Item, total=False):
    parameters: list[Parameter]
    returns: Returns
    threads: str
    complexity: str
    blocking: bool
    stability: str


class Header(TypedDict):
    name: str
    text: str


class Api(TypedDict):
    format: str
    version: int
    headers: list[Header]
    constants: list[Constant]
    enums: list[Enum]
    handles: list[Handle]
    aliases: list[Alias]
    callbacks: list[Callback]
    structs: list[Struct]
    functions: list[Function]
