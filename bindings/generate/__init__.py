"""Reads the public headers and writes all that follows from them: doc/internals/architecture.md, "One description"."""
