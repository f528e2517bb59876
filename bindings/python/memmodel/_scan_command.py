"""`memmodel scan SPEC`: what many jobs need, from a file in TOML."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memmodel import _commands, _executors, _spec
from memmodel.errors import MemmodelError
from memmodel.scanning import Scan, ScanError, network_of, scan


def _models(value: Any) -> str | None:
    fits = isinstance(value, list) and value and all(isinstance(each, str) and each for each in value)
    return None if fits else 'a list of files, such as ["resnet50.json"]'


KNOWN: dict[str, Mapping[str, _spec.Check] | _spec.Check] = {
    "": {
        "models": _models, "output": _spec.text_value, "executor": _executors.executor_value,
        "workers": _spec.count_value,
    },
    "grid": _spec.levels_value,
    **_executors.SETTINGS,
}  # fmt: skip


def _network(spec: _spec.Spec, source: str) -> Any:
    """Paths begin at the SPEC's folder."""
    try:
        return network_of(source if source.startswith("hf:") else str(spec.path.parent / source))
    except (MemmodelError, OSError, RuntimeError) as error:
        raise spec.error("", "models", str(error)) from None


def read(path: Path, executor: str | None = None) -> dict[str, Any]:
    """Arguments of scan(). executor: in place of the SPEC's own."""
    spec = _spec.Spec(path)
    spec.check(KNOWN)
    top = spec.tables[""]
    if "models" not in top:
        raise _spec.SpecError(f'{path}: models is missing, such as models = ["resnet50.json"]')
    if "grid" not in spec.tables:
        raise _spec.SpecError(f'{path}: a table [grid] is needed, with lines such as batch = "1:64"')
    name, settings = _executors.asked(spec, executor)
    settings.setdefault("folder", str(path.parent / "scan.slurm"))
    return {
        "models": {source: _network(spec, source) for source in top["models"]},
        "grid": spec.levels("grid"), "output": path.parent / top.get("output", "scan.csv"), "executor": name,
        "workers": top.get("workers"), "settings": settings, "spec": spec,
    }  # fmt: skip


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("memmodel scan")
    parser.add_argument("spec", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--executor")
    parser.add_argument("--workers", type=int)
    return parser.parse_args(words)


def _say(made: Scan) -> int:
    errors = [error for error in made.column("error") if error]
    verdicts = [verdict for verdict in made.column("verdict") if verdict]
    budgets = f", {verdicts.count('fits')} fit" if verdicts else ""
    budgets += f", {verdicts.count('uncertain')} uncertain" if "uncertain" in verdicts else ""
    missing = f", {len(errors)} cannot be" if errors else ""
    assert made.path is not None
    count = "1 configuration is" if len(made.rows) == 1 else f"{len(made.rows)} configurations are"
    print(f"{count} in {os.path.relpath(made.path)}{budgets}{missing}")
    if len(errors) < len(made.rows):
        return 0
    print(f"memmodel scan: {errors[0] if errors else 'there is nothing to scan'}", file=sys.stderr)
    return 1


def main(words: Sequence[str]) -> int:
    options, line = _arguments(words), _commands.Line("configurations")
    began = False

    def work() -> int:
        nonlocal began
        given = read(options.spec, options.executor)
        spec = given.pop("spec")
        given |= {name: getattr(options, name) for name in ("output", "workers") if getattr(options, name)}
        began = True
        try:
            made = scan(progress=line, **given)
        except ScanError as error:
            key = str(error).split(" ", 1)[0]
            raise spec.error("grid", key if key in given["grid"] else None, str(error)) from None
        finally:
            line.end()
        return _say(made)

    def interrupted() -> int:
        line.end()
        kept = "the table has the configurations that were done" if began else "nothing has been computed yet"
        print(f"memmodel scan: interrupted; {kept}", file=sys.stderr)
        return 130

    return _commands.run(work, "scan", interrupted)
