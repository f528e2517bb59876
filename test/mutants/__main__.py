"""Counts which small changes of the library its tests notice: `./run mutants [--count N] [--seed N] [--site FILE:LINE]`

All mutants are compiled into one copy of the tree. Each test runs once and notes which mutants it reaches, then each
mutant runs with the tests that reach it, the quickest first, until one fails. Results are kept after each mutant, so
that a run that was stopped goes on where it was. What survives is printed, with its reason from survivors.json.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mutate

HERE = Path(__file__).resolve().parent
KNOWN = HERE / "survivors.json"
SUITES_LEFT_OUT = {"abi", "checks", "fuzzing", "packaging", "nightly"}
SKIPPED = 77
LIMITS = ["prlimit", f"--fsize={16 << 30}", "--core=0"]
DATA_LIMIT = f"--data={12 << 30}"


@dataclasses.dataclass
class Test:
    """One test of the build, as meson runs it."""

    name: str
    command: list[str]
    environment: dict[str, str]
    folder: str
    seconds: float = 0.0
    reached: frozenset[int] = frozenset()
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)


def tree_files(tree: Path) -> list[Path]:
    """All files of a tree."""
    return [path for path in tree.rglob("*") if path.is_symlink() or path.is_file()]


def copy_tree(root: Path, to: Path) -> None:
    """The tracked files, as they are now, and no others. Unchanged ones stay untouched: they are not compiled again."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True)
    names = set(filter(None, listed.stdout.split("\0")))
    for old in [path for path in tree_files(to) if str(path.relative_to(to)) not in names]:
        old.unlink()
    for name in sorted(names):
        source, target = root / name, to / name
        if not source.is_file() or (target.is_file() and source.read_bytes() == target.read_bytes()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        target.touch()


def configure(tree: Path, build: Path) -> None:
    """A build directory in which each file knows of mutants."""
    helper = build.parent / "mutant.o"
    subprocess.run(["gcc", "-O2", "-fPIC", "-fvisibility=hidden", "-D_POSIX_C_SOURCE=200809L",
                    "-c", tree / "test/mutants/mutant.c", "-o", helper], check=True)
    if not (build / "build.ninja").is_file():
        subprocess.run([os.environ.get("MESON", "meson"), "setup", build, tree, "-Dbuildtype=debugoptimized",
                        f"-Dc_args=-include {tree}/test/mutants/mutant.h -w", f"-Dc_link_args={helper}"], check=True,
                       stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build, "build.ninja"], check=True, stdout=subprocess.DEVNULL)


def candidates(tree: Path, build: Path, sites: list[str]) -> dict[str, list[mutate.Mutant]]:
    """All mutants there are, by room; those of the sites' files where sites are named."""
    endings = tuple(site.partition(":")[0] for site in sites) or ("",)
    found = collections.defaultdict(list)
    for name, arguments in sorted(mutate.compile_arguments(build).items()):
        path = Path(name)
        if path.is_relative_to(tree / "lib") and name.endswith(endings):
            found[path.relative_to(tree / "lib").parts[0]].extend(mutate.mutants_of(tree, path, arguments, build))
    return found


def choose(rooms: dict[str, list[mutate.Mutant]], count: int, seed: int) -> list[mutate.Mutant]:
    """Each room has its share, by the root of its size, in an order that the seed makes."""
    weights = {room: len(mutants) ** 0.5 for room, mutants in rooms.items()}
    chosen = []
    for room, mutants in sorted(rooms.items()):
        share = max(1, round(count * weights[room] / sum(weights.values())))
        order = random.Random(f"{seed} {room}").sample(mutants, len(mutants))
        chosen += [(place / share, mutant) for place, mutant in enumerate(_apart(order, share))]
    return [mutant for _, mutant in sorted(chosen, key=lambda item: (item[0], item[1].name))][:count]


def _apart(order: list[mutate.Mutant], share: int) -> list[mutate.Mutant]:
    """The first ones that do not lie within each other."""
    taken: list[mutate.Mutant] = []
    for mutant in order:
        if len(taken) == share:
            break
        if not any(mutant.overlaps(other) for other in taken):
            taken.append(mutant)
    return taken


def compile_all(tree: Path, build: Path, mutants: dict[int, mutate.Mutant]) -> dict[int, mutate.Mutant]:
    """Compiles; mutants in files that do not compile with them, such as one in the size of an array, are left out."""
    while True:
        mutate.write(tree, mutants)
        done = subprocess.run(["ninja", "-C", build, "-k", "0"], check=False, capture_output=True, text=True)
        if done.returncode == 0:
            return mutants
        wrong = {number for number in mutants if f"{mutants[number].path}:{mutants[number].line}:" in done.stdout}
        if not wrong:
            sys.exit(done.stdout[-4000:])
        print(f"{len(wrong)} mutants do not compile and are left out")
        originals = {mutants[number].path for number in mutants}
        for path in originals:
            shutil.copy2(HERE.parents[1] / path, tree / path)
            (tree / path).touch()
        mutants = {number: mutant for number, mutant in mutants.items() if number not in wrong}


def tests_of(build: Path) -> list[Test]:
    """The tests of the build that ask what the library does."""
    listed = json.loads(subprocess.run([os.environ.get("MESON", "meson"), "introspect", build, "--tests"], check=True,
                                       capture_output=True, text=True).stdout)
    suites = [{suite.split(":")[-1] for suite in test["suite"]} for test in listed]
    return [Test(test["name"], test["cmd"], test["env"], test["workdir"] or str(build))
            for test, suite in zip(listed, suites) if not suite & SUITES_LEFT_OUT]


def limits_of(test: Test) -> list[str]:
    """prlimit with what it bounds. A simulated GPU's addresses, without memory behind them, would count as data."""
    return LIMITS if any("test/cuda/" in word for word in test.command) else [*LIMITS, DATA_LIMIT]


def run(test: Test, limit: float, more: dict[str, str]) -> int | None:
    """The test's exit status; None when it took too long."""
    environment = {**os.environ, **test.environment, **more}
    silent = subprocess.DEVNULL
    process = subprocess.Popen([*limits_of(test), *test.command], env=environment, cwd=test.folder, stdin=silent,
                               stdout=silent, stderr=silent, start_new_session=True)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def look_at(test: Test, numbers: int, folder: Path) -> Test | None:
    """Runs the test as it is: how long it takes and which mutants it reaches. None if it does not pass."""
    notes = folder / f"reached-{abs(hash(test.name))}"
    notes.write_bytes(bytes(numbers))
    start = time.monotonic()
    status = run(test, 900, {"MUTANT_REACHED": str(notes)})
    test.seconds = time.monotonic() - start
    test.reached = frozenset(number for number, byte in enumerate(notes.read_bytes()) if byte)
    notes.unlink()
    if status not in (0, SKIPPED):
        print(f"left out, it fails without a mutant: {test.name} ({status})", flush=True)
    return test if status == 0 else None


def killer(number: int, tests: list[Test]) -> str | None:
    """The first test that notices the mutant."""
    for test in sorted((test for test in tests if number in test.reached), key=lambda test: test.seconds):
        with test.lock:
            status = run(test, 10 + 5 * test.seconds, {"MUTANT": str(number)})
        if status != 0:
            return test.name + ("" if status is not None else " (too long)")
    return None


def judge(mutants: dict[int, mutate.Mutant], tests: list[Test], results: Path) -> dict[str, str | None]:
    """By name of mutant, the test that notices it. Each result is kept at once."""
    known = {}
    if results.is_file():
        known = {row["mutant"]: row["killed_by"] for row in map(json.loads, results.read_text().splitlines())}
    lock = threading.Lock()

    def one(number: int) -> None:
        name = mutants[number].name
        if name in known:
            return
        by = killer(number, tests)
        with lock, results.open("a") as file:
            known[name] = by
            print(f"{'killed  ' if by else 'SURVIVED'}  {name}{'   by ' + by if by else ''}", flush=True)
            file.write(json.dumps({"mutant": name, "killed_by": by}) + "\n")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, mutants))
    return {mutant.name: known[mutant.name] for mutant in mutants.values()}


def summarize(mutants: dict[int, mutate.Mutant], killed: dict[str, str | None], share: float) -> int:
    """Prints the share of each room and what survives; whether enough was noticed."""
    reasons = {row["mutant"]: row["reason"] for row in json.loads(KNOWN.read_text())} if KNOWN.is_file() else {}
    rooms = collections.defaultdict(list)
    for mutant in mutants.values():
        rooms[Path(mutant.path).parts[1]].append(bool(killed[mutant.name]))
    for room, noticed in sorted(rooms.items()):
        print(f"{room:12} {sum(noticed):4} of {len(noticed):4} killed")
    for name in sorted(name for name, by in killed.items() if not by):
        print(f"survived: {name}   [{reasons.get(name, 'no reason is known')}]")
    total = sum(bool(by) for by in killed.values())
    print(f"{total} of {len(killed)} mutants killed, {100 * total / len(killed):.1f} %")
    return 0 if total >= share * len(killed) else 1


def selected(rooms: dict[str, list[mutate.Mutant]], options: argparse.Namespace) -> list[mutate.Mutant]:
    """The mutants at the sites that were asked for, or else those that the seed draws."""
    if not options.site:
        return choose(rooms, options.count, options.seed)
    here = [mutant for room in rooms.values() for mutant in room
            if any(f"{mutant.path}:{mutant.line}".endswith(site) for site in options.site)]
    return _apart(sorted(here, key=lambda mutant: mutant.end - mutant.start), len(here))


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run mutants", description="Small changes that the tests must notice.")
    parser.add_argument("--count", type=int, default=200, help="how many mutants (default: 200)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default: 1)")
    parser.add_argument("--site", action="append", default=[], help="those of one line, such as regression/path.c:79")
    parser.add_argument("--share", type=float, default=0.85, help="share that must be killed (default: 0.85)")
    options = parser.parse_args()

    root, folder = HERE.parents[1], HERE.parents[1] / "build" / "mutants"
    tree, build = folder / "tree", folder / "build"
    copy_tree(root, tree)
    configure(tree, build)
    chosen = dict(enumerate(selected(candidates(tree, build, options.site), options)))
    chosen = compile_all(tree, build, chosen)
    print(f"{len(chosen)} mutants, compiled", flush=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        looked = list(pool.map(lambda test: look_at(test, len(chosen) + 1, folder), tests_of(build)))
    tests = [test for test in looked if test]
    print(f"{len(tests)} tests, {sum(test.seconds for test in tests):.0f} s together", flush=True)
    killed = judge(chosen, tests, folder / "results.jsonl")
    return summarize(chosen, killed, options.share)


if __name__ == "__main__":
    sys.exit(main())
