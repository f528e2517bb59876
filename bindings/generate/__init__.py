"""Reads the public headers and writes all that follows from them: see doc/architecture.md, "One description"."""
