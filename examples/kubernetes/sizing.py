"""What a pod will need, by the fitted model that its annotations name, and what would fit on the cluster's nodes."""

from __future__ import annotations

import fnmatch
import functools
import json
import math
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import memmodel

MODEL = "memmodel/model"  # name of the model: the file NAME.json in the policy's folder
INPUTS = "memmodel/inputs"  # its inputs, such as "dim=128 batch=8"
CONTAINER = "memmodel/container"  # which container it is about; the first one unless said
DECISION = "memmodel/decision"  # what was done, for people

MIB = 2**20
MAX_TEXT = 4096  # characters of an annotation that is read
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")
QUANTITY = re.compile(r"([0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2}|[KMGTPE]i|[numkMGTPE])?")
SUFFIXES = {
    "": Fraction(1), "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "k": Fraction(10**3),
    "M": Fraction(10**6), "G": Fraction(10**9), "T": Fraction(10**12), "P": Fraction(10**15), "E": Fraction(10**18),
    "Ki": Fraction(2**10), "Mi": Fraction(2**20), "Gi": Fraction(2**30), "Ti": Fraction(2**40), "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
}  # fmt: skip


class BadRequest(Exception):
    """What came is no request of Kubernetes: nothing can be said about it."""


class NoAnswer(Exception):
    """The model cannot be asked: it is not there, or the annotations do not fit it."""


def member(value: Any, key: str, kind: type[Any], where: str) -> Any:
    """A member of an object, or None if it is missing or null; BadRequest if it is of another kind."""
    found = value.get(key) if type(value) is dict else None
    if found is not None and type(found) is not kind:
        raise BadRequest(f"{where}.{key} is no {kind.__name__}")
    return found


def parse_quantity(text: Any) -> int:
    """Bytes of a Kubernetes quantity such as "1.5Gi", "128974848", "129e6" or "129M", rounded up."""
    if not isinstance(text, (str, int)) or isinstance(text, bool):
        raise NoAnswer(f"{text!r:.40} is no quantity of memory")
    return bytes_of(str(text))


@functools.lru_cache(maxsize=1024)  # a cluster's pods and nodes ask for the same few
def bytes_of(text: str) -> int:
    match = QUANTITY.fullmatch(text)
    if match is None:
        raise NoAnswer(f"{text!r:.40} is no quantity of memory")
    suffix = match[2] or ""
    scale = SUFFIXES.get(suffix) or Fraction(10) ** int(suffix[1:])
    return math.ceil(Fraction(match[1] if match[1][0] != "." else "0" + match[1]) * scale)


# ---- the policy ----


@dataclass(frozen=True)
class Policy:
    """How the cluster wants it. `nodes` has memory by node name, with * for anything: what a pod may take of it."""

    model_directory: Path
    nodes: Mapping[str, int] = field(default_factory=dict)
    level: float = 0.95
    margin: float = 0.0
    max_input: str = "batch"
    user_memory: str = "raise"  # or "replace", "keep": what becomes of memory that the pod asks for itself
    on_failure: str = "admit"  # or "refuse": what becomes of a pod whose model cannot be asked

    def __post_init__(self) -> None:
        if self.user_memory not in ("raise", "replace", "keep") or self.on_failure not in ("admit", "refuse"):
            raise ValueError('user_memory is "raise", "replace" or "keep", and on_failure "admit" or "refuse"')
        if not 0.5 <= self.level <= 0.999 or not 0 <= self.margin < 100:
            raise ValueError("level is from 0.5 to 0.999, and margin not negative")

    @classmethod
    def load(cls, path: Path) -> Policy:
        settings = json.loads(path.read_text())
        nodes = {name: parse_quantity(size) for name, size in settings.pop("nodes", {}).items()}
        return cls(model_directory=Path(settings.pop("model_directory")), nodes=nodes, **settings)

    def node_memory(self, name: str) -> int | None:
        """Of a node by its name; None if nothing is known of it."""
        found = [size for pattern, size in self.nodes.items() if fnmatch.fnmatchcase(name, pattern)]
        return max(found, default=None)


class Models:
    """The models of a folder, read when they are first asked for and again when their file has changed."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._lock = threading.Lock()
        self._known: dict[str, tuple[tuple[int, int, int], memmodel.Model]] = {}

    def get(self, name: str) -> memmodel.Model:
        if not NAME.fullmatch(name):
            raise NoAnswer(f"{name!r:.80} is no name of a model")
        path = self.directory / f"{name}.json"
        try:
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            with self._lock:
                known = self._known.get(name)
                if known is None or known[0] != stamp:
                    known = self._known[name] = (stamp, memmodel.Model.load(path))
                return known[1]
        except FileNotFoundError:
            raise NoAnswer(f'there is no model "{name}"') from None
        except (OSError, memmodel.MemmodelError) as problem:
            raise NoAnswer(f'the model "{name}" cannot be read: {problem}') from None


# ---- a pod's need ----


@dataclass(frozen=True)
class Need:
    """What a pod's model says. `others` is what its other containers and its overhead ask for, which the node must hold
    as well; `start` what it takes on the way there, while its init containers run one after the other."""

    model: str
    inputs: dict[str, float]
    memory: int
    others: int
    start: int
    extrapolated: bool
    container: int

    @property
    def total(self) -> int:
        return max(self.memory + self.others, self.start)

    def __str__(self) -> str:
        values = ", ".join(f"{name} {value:g}" for name, value in self.inputs.items())
        return f'model "{self.model}" predicts at most {memmodel.format_bytes(self.memory)} for {values}'


def annotations_of(pod: Any) -> dict[str, str]:
    found = member(member(pod, "metadata", dict, "pod"), "annotations", dict, "metadata") or {}
    wanted = {key: found[key] for key in (MODEL, INPUTS, CONTAINER, DECISION) if key in found}
    for key, value in wanted.items():
        if not isinstance(value, str):
            raise BadRequest(f"the annotation {key} is no text")
    return wanted


def parse_inputs(text: str) -> dict[str, float]:
    """Numbers by name from "dim=128 batch=8"; commas may stand between them."""
    if len(text) > MAX_TEXT:
        raise NoAnswer(f"the annotation {INPUTS} is longer than {MAX_TEXT} characters")
    inputs = {}
    for word in text.replace(",", " ").split():
        name, equals, value = word.partition("=")
        try:
            inputs[name] = float(value)
        except ValueError:
            equals = ""
        if not (name and equals) or not math.isfinite(inputs[name]):
            raise NoAnswer(f'{word!r:.80} in the annotation {INPUTS} is not like "batch=8"')
    return inputs


def containers_of(pod: Any) -> list[Any]:
    containers = member(member(pod, "spec", dict, "pod"), "containers", list, "spec") or []
    if not containers or not all(isinstance(container, dict) for container in containers):
        raise BadRequest("spec.containers has no containers")
    return list(containers)


def init_memory(pod: Any) -> tuple[int, int]:
    """Of init containers: what those that stay take (sidecars, of Kubernetes 1.29 and later), and the most while one
    runs beside the sidecars that were started before it."""
    stay = most = 0
    for container in member(member(pod, "spec", dict, "pod"), "initContainers", list, "spec") or []:
        if not isinstance(container, dict):
            raise BadRequest("spec.initContainers holds what is no container")
        size = asked(container, "requests") or 0
        most = max(most, stay + size)
        if container.get("restartPolicy") == "Always":
            stay += size
    return stay, most


def asked(container: Any, kind: str) -> int | None:
    """Memory in a container's requests or limits; the limit stands for a request that is not there."""
    resources = member(container, "resources", dict, "container")
    value = (member(resources, kind, dict, "resources") or {}).get("memory")
    if value is None:
        return asked(container, "limits") if kind == "requests" else None
    return parse_quantity(value)


def container_of(pod: Any, name: str | None) -> int:
    if name is None:
        return 0
    for index, container in enumerate(containers_of(pod)):
        if container.get("name") == name:
            return index
    raise NoAnswer(f"there is no container {name!r:.80}, which the annotation {CONTAINER} names")


def need_of(pod: Any, policy: Policy, models: Models) -> Need | None:
    """What the pod will need; None if it names no model."""
    annotations = annotations_of(pod)
    if MODEL not in annotations:
        return None
    containers = containers_of(pod)
    chosen = container_of(pod, annotations.get(CONTAINER))
    model, inputs = models.get(annotations[MODEL]), parse_inputs(annotations.get(INPUTS, ""))
    try:
        answer = model.predict(level=policy.level, **inputs)
    except TypeError as problem:
        raise NoAnswer(f'model "{annotations[MODEL]}": {problem}') from None
    upper = answer.upper * (model.unit_bytes or 1) * (1 + policy.margin)
    if not 0 < upper < 2**63:
        raise NoAnswer(f'model "{annotations[MODEL]}" has no prediction at this point')
    overheads = member(member(pod, "spec", dict, "pod"), "overhead", dict, "spec") or {}
    overhead = parse_quantity(overheads.get("memory", 0))
    others = [asked(container, "requests") or 0 for index, container in enumerate(containers) if index != chosen]
    stay, start = init_memory(pod)
    return Need(
        model=annotations[MODEL],
        inputs=inputs,
        memory=MIB * math.ceil(upper / MIB),
        others=sum(others) + stay + overhead,
        start=start + overhead,
        extrapolated=answer.extrapolated,
        container=chosen,
    )


def refusal(need: Need, room: int, policy: Policy, models: Models) -> str:
    """Why it does not fit into `room`, and what would."""
    text = f"{need}"
    if need.others:
        text += f", besides {memmodel.format_bytes(need.others)} of other containers"
    if need.start > need.memory + need.others:
        text += f", after {memmodel.format_bytes(need.start)} while its init containers run"
    text += f"; the largest node has {memmodel.format_bytes(room)}"
    model = models.get(need.model)
    if policy.max_input not in model.inputs:
        return text + "."
    budget = max(room - need.others, 0) // MIB * MIB / (1 + policy.margin) / (model.unit_bytes or 1)
    point = {name: value for name, value in need.inputs.items() if name != policy.max_input}
    best = model.predict_max(policy.max_input, budget, level=policy.level, **point)
    return text + (f"; {policy.max_input} up to {best} would fit." if best else f"; no {policy.max_input} fits.")
