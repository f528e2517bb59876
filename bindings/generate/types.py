"""C types of the headers as types of the model."""

from __future__ import annotations

from clang.cindex import Type as Clang
from clang.cindex import TypeKind

from generate.model import Type

__all__ = ["ALLOWED", "Clang", "TypeKind", "Unsupported", "named", "read"]

SCALARS = {TypeKind.INT: "int32", TypeKind.DOUBLE: "double", TypeKind.VOID: "void", TypeKind.BOOL: "bool"}
STANDARD = {"int32_t": "int32", "int64_t": "int64", "uint64_t": "uint64", "size_t": "size"}
PREFIX = "memmodel_"
ALLOWED = (
    "void, int, int32_t, int64_t, uint64_t, size_t, double, _Bool, const char *, handles, callbacks, aliases of "
    "integers, pointers to these and to structs, and in structs arrays of fixed length"
)


class Unsupported(Exception):
    """A type that some binding cannot carry."""


def read(clang: Clang, name: str = "") -> Type:
    """The type of the thing called `name`; a `void *` called user is what callbacks are handed."""
    clang = named(clang)
    if clang.kind in SCALARS:
        return {"kind": SCALARS[clang.kind]}
    if clang.kind == TypeKind.TYPEDEF:
        return read_typedef(clang)
    if clang.kind == TypeKind.POINTER:
        return read_pointer(clang, name)
    if clang.kind == TypeKind.CONSTANTARRAY:
        return {"kind": "array", "of": read(clang.element_type), "count": clang.element_count}
    raise Unsupported(clang.spelling)


def named(clang: Clang) -> Clang:
    return clang.get_named_type() if clang.kind == TypeKind.ELABORATED else clang


def read_typedef(clang: Clang) -> Type:
    name = clang.get_declaration().spelling
    underlying = named(clang.get_declaration().underlying_typedef_type)
    if name in STANDARD:
        return {"kind": STANDARD[name]}
    if not name.startswith(PREFIX):
        raise Unsupported(clang.spelling)
    if underlying.kind == TypeKind.POINTER and underlying.get_pointee().get_canonical().kind == TypeKind.FUNCTIONPROTO:
        return {"kind": "callback", "name": name}
    if underlying.kind in SCALARS or underlying.kind == TypeKind.TYPEDEF:
        return {"kind": "alias", "name": name}
    raise Unsupported(clang.spelling)


def read_pointer(clang: Clang, name: str) -> Type:
    pointee = named(clang.get_pointee())
    const = clang.get_pointee().is_const_qualified()
    if pointee.kind in (TypeKind.CHAR_S, TypeKind.CHAR_U):
        return {"kind": "string"} if const else {"kind": "string", "mutable": True}
    if pointee.kind == TypeKind.VOID and name == "user":
        return {"kind": "user"}
    if pointee.kind == TypeKind.VOID and const:
        return {"kind": "bytes"}
    if pointee.get_canonical().kind == TypeKind.RECORD:
        return read_record_pointer(pointee, const)
    return {"kind": "pointer", "to": read(pointee), "const": const}


def read_record_pointer(pointee: Clang, const: bool) -> Type:
    declaration = pointee.get_declaration()
    if pointee.kind == TypeKind.TYPEDEF:
        return {"kind": "handle", "name": declaration.spelling, "const": const}
    return {"kind": "pointer", "to": {"kind": "struct", "name": declaration.spelling}, "const": const}
