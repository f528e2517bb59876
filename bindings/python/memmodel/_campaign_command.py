"""`memmodel campaign SPEC`: a campaign from a file in TOML."""

from __future__ import annotations

import argparse
import csv
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from memmodel import _commands, _executors, _spec
from memmodel.campaigning import Advised, Campaign, Point, campaign, command_words, filled, in_words, points_given

# ---- the SPEC ----

TOP: dict[str, _spec.Check] = {
    "command": _spec.words_value, "samples": _spec.text_value, "target": _spec.text_value,
    "executor": _executors.executor_value, "workers": _spec.count_value, "repeat": _spec.count_value,
    "limit": _spec.size_value, "seconds": _spec.number_value, "gpu": _spec.text_value, "tries": _spec.count_value,
}  # fmt: skip
ADVISE: dict[str, _spec.Check] = {
    "count": _spec.count_value, "round": _spec.count_value, "target_error": _spec.number_value,
    "cost": _spec.text_value,
}  # fmt: skip
KNOWN: dict[str, Mapping[str, _spec.Check] | _spec.Check] = {
    "": TOP, "grid": _spec.levels_value, "points": {"file": _spec.text_value}, "advise": ADVISE,
    "domain": _spec.levels_value, **_executors.SETTINGS,
}  # fmt: skip


def _points_of_file(spec: _spec.Spec) -> list[Point]:
    path = spec.path.parent / spec.tables["points"]["file"]
    try:
        with path.open(newline="", encoding="utf-8") as lines:
            return [dict(row) for row in csv.DictReader(lines)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise spec.error("points", "file", f"{path}: {error}") from None


def points_of(spec: _spec.Spec) -> Any:
    """What campaign() takes as its points."""
    kinds = [name for name in ("grid", "points", "advise") if name in spec.tables]
    if len(kinds) != 1:
        raise _spec.SpecError(f"{spec.path}: one of the tables [grid], [points] and [advise] says what is measured")
    if "domain" in spec.tables and kinds[0] != "advise":
        raise spec.error("domain", None, "it belongs to [advise]")
    if kinds[0] == "grid":
        return spec.levels("grid")
    if kinds[0] == "points":
        if "file" not in spec.tables["points"]:
            raise spec.error("points", None, "file is missing, a table such as `memmodel advise -o` writes")
        return _points_of_file(spec)
    domain = spec.levels("domain")
    if not domain:
        raise spec.error("advise", None, 'a table [domain] is needed, with lines such as dim = "32:144:16"')
    return Advised(domain, **spec.tables["advise"])


def read(path: Path, executor: str | None = None) -> tuple[dict[str, Any], Any]:
    """A SPEC: arguments of campaign(), and its points. Its paths begin at its folder. executor: in place of its own."""
    spec = _spec.Spec(path)
    spec.check(KNOWN)
    given = dict(spec.tables[""])
    if "command" not in given:
        raise _spec.SpecError(f'{path}: command is missing, such as command = "python train.py {{dim}}"')
    given["folder"] = path.parent
    given["samples"] = path.parent / given.get("samples", "samples.csv")
    given["executor"], given["settings"] = _executors.asked(spec, executor)
    points = points_of(spec)
    try:
        command_words(given["command"], [] if isinstance(points, Advised) else points_given(points), _names_of(points))
    except ValueError as error:
        raise spec.error("", "command", str(error).removeprefix("command: ")) from None
    return given, points


def _names_of(points: Any) -> Iterable[str]:
    return points.domain if isinstance(points, Advised) else ()


# ---- the command of the tool ----


def _dry_run(given: Mapping[str, Any], points: Any) -> int:
    if isinstance(points, Advised):
        print(f"up to {points.count} points, in rounds of {points.round}, as `memmodel advise` says")
        return 0
    wanted = points_given(points)
    words = command_words(given["command"], wanted, ())
    for point in wanted:
        print(shlex.join(filled(words, point)))
    return 0


def _say(made: Campaign) -> int:
    shown = os.path.relpath(made.samples)
    more = [f"{made.limits} lower limits"] * bool(made.limits) + [f"{made.failed} failed"] * bool(made.failed)
    print(f"{made.measured} of {made.points} points are in {shown}{''.join(f', {each}' for each in more)}")
    if made.failed and made.failed == made.measured:
        print(f"memmodel campaign: no run ended well; {shown}.runs has what they printed", file=sys.stderr)
        return 1
    for point, why in made.lost[:3]:
        print(f"memmodel campaign: {in_words(point)}: no row: {why}", file=sys.stderr)
    return 1 if made.lost else 0


def _interrupted(samples: Path | None) -> int:
    """samples: None where the SPEC has not been read."""
    kept = "nothing has been measured yet"
    if samples is not None:
        with suppress(OSError):
            rows = len(samples.read_text(encoding="utf-8").splitlines()) - 1
            kept = f"{samples} has {rows} rows, and the same command goes on from there"
    print(f"memmodel campaign: interrupted; {kept}", file=sys.stderr)
    return 130


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("memmodel campaign")
    parser.add_argument("spec", type=Path)
    parser.add_argument("--output")
    parser.add_argument("--executor")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--dry-run", action="store_true")
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    options = _arguments(words)
    line = _commands.Line("points")
    samples: Path | None = None

    def work() -> int:
        nonlocal samples
        given, points = read(options.spec, options.executor)
        if options.workers:
            given["workers"] = options.workers
        if options.output:
            given["samples"] = Path(options.output)
        samples = given["samples"]
        if options.dry_run:
            return _dry_run(given, points)
        try:
            made = campaign(points=points, progress=line, **given)
        finally:
            line.end()
        return _say(made)

    return _commands.run(work, "campaign", lambda: _interrupted(samples))
