"""Calls functions of ours before and after a module of the program is imported."""

import sys

_before = {}
_after = {}


def before(name, function):
    _before[name] = function


def after(name, function):
    """Calls function(module) once the module's own code has run."""
    _after[name] = function


def install():
    sys.meta_path.insert(0, _Finder())


def _call(function, *arguments):
    """A mistake of ours never stops the program, but it is said."""
    try:
        function(*arguments)
    except Exception:
        import traceback

        sys.stderr.write("memmodel: the simulated GPU's hook failed:\n" + traceback.format_exc())


class _Finder:
    def find_spec(self, name, path=None, target=None):
        if name not in _before and name not in _after:
            return None
        first = _before.pop(name, None)
        then = _after.pop(name, None)
        if first:
            _call(first)
        spec = _spec_of_others(self, name, path, target)
        if spec and spec.loader and then:
            _wrap(spec.loader, then)
        return spec


def _spec_of_others(ours, name, path, target):
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None) if finder is not ours else None
        spec = find(name, path, target) if find else None
        if spec:
            return spec
    return None


def _wrap(loader, then):
    run = loader.exec_module

    def exec_module(module):
        run(module)
        _call(then, module)

    loader.exec_module = exec_module
