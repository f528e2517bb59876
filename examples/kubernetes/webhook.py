"""Kubernetes asks libmemmodel: a mutating admission webhook and a scheduler extender's filter.

`review` and `filter_nodes` are functions from JSON to JSON (admission.k8s.io/v1 AdmissionReview; ExtenderArgs and
ExtenderFilterResult of kube-scheduler's extender/v1); server.py carries them.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from typing import Any

import memmodel
from sizing import (
    DECISION,
    MIB,
    BadRequest,
    Models,
    Need,
    NoAnswer,
    Policy,
    annotations_of,
    asked,
    containers_of,
    member,
    need_of,
    parse_quantity,
    refusal,
)

MOST_WARNING = 120  # characters, as the API server advises

Json = dict[str, Any]


# ---- admission ----


def review(document: Any, policy: Policy, models: Models) -> Json:
    """The AdmissionReview that answers one. The same pod, patched, needs no patch any more."""
    version = [member(document, key, str, "review") for key in ("apiVersion", "kind")]
    request = member(document, "request", dict, "review")
    uid = member(request, "uid", str, "request")
    if version != ["admission.k8s.io/v1", "AdmissionReview"] or not uid:
        raise BadRequest("an AdmissionReview of admission.k8s.io/v1 with a request and its uid is needed")
    kind = (member(request, "kind", dict, "request") or {}).get("kind")
    response: Json = {"allowed": True}
    if kind == "Pod" and request.get("operation") == "CREATE":
        response = admit(member(request, "object", dict, "request"), policy, models)
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": {"uid": uid, **response},
    }


def admit(pod: Any, policy: Policy, models: Models) -> Json:
    try:
        need = need_of(pod, policy, models)
        if need is None:
            return {"allowed": True}
        room = max(policy.nodes.values(), default=None)
        if room is not None and need.total > room:
            return refused(refusal(need, room, policy, models))
        return allowed(patch(pod, need, policy), [f"memmodel: {need}"] if need.extrapolated else [])
    except NoAnswer as problem:
        if policy.on_failure == "refuse":
            return refused(f"{problem}.")
        return allowed([], [f"memmodel: {problem}; memory stays as it is"])


def refused(message: str) -> Json:
    status = {"code": 403, "reason": "Forbidden", "message": f"memmodel: {message}"}
    return {"allowed": False, "status": status}


def allowed(operations: list[Json], warnings: list[str]) -> Json:
    response: Json = {"allowed": True}
    if operations:
        encoded = base64.b64encode(json.dumps(operations).encode()).decode()
        response |= {"patchType": "JSONPatch", "patch": encoded}
    if warnings:
        response["warnings"] = [warning[:MOST_WARNING] for warning in warnings]
    return response


def memory_of(container: Any, need: Need, policy: Policy) -> dict[str, int]:
    """What to request and to limit, given what the pod asks for itself."""
    own = {kind: asked(container, kind) for kind in ("requests", "limits")}
    if policy.user_memory == "replace":
        own = {"requests": None, "limits": None}
    if policy.user_memory == "keep" and own["requests"] is not None:
        return {kind: size for kind, size in own.items() if size is not None}
    request = max(need.memory, own["requests"] or 0)
    return {"requests": request, "limits": max(request, own["limits"] or 0)}


def patch(pod: Any, need: Need, policy: Policy) -> list[Json]:
    """The JSON Patch (RFC 6902) that sets memory and says so in an annotation; empty if all of it is there already."""
    container = containers_of(pod)[need.container]
    base = f"/spec/containers/{need.container}/resources"
    operations: list[Json] = []
    if member(container, "resources", dict, "container") is None:
        operations.append({"op": "add", "path": base, "value": {}})
    for kind, size in memory_of(container, need, policy).items():
        present = member(container.get("resources"), kind, dict, "resources")
        if present is None:
            operations.append({"op": "add", "path": f"{base}/{kind}", "value": {}})
        if present is None or "memory" not in present or parse_quantity(present["memory"]) != size:
            operations.append({"op": "add", "path": f"{base}/{kind}/memory", "value": quantity(size)})
    operations += pod_level(pod, need, memory_of(container, need, policy))
    decision = f"{need}{', extrapolated: the bound is not guaranteed' if need.extrapolated else ''}"
    if annotations_of(pod).get(DECISION) != decision:
        path = "/metadata/annotations/" + DECISION.replace("~", "~0").replace("/", "~1")
        operations.append({"op": "add", "path": path, "value": decision})
    return operations


def pod_level(pod: Any, need: Need, own: dict[str, int]) -> list[Json]:
    """What the pod asks for as a whole (Kubernetes 1.34) is raised to hold what its containers ask for."""
    spec = member(pod, "spec", dict, "pod")
    resources = member(spec, "resources", dict, "spec")
    together = own.get("requests", 0) + need.others
    needed = {"requests": together, "limits": max(own.get("limits", 0), together)}
    operations: list[Json] = []
    for kind, size in needed.items():
        present = (member(resources, kind, dict, "resources") or {}).get("memory")
        if present is not None and parse_quantity(present) < size:
            operations.append({"op": "add", "path": f"/spec/resources/{kind}/memory", "value": quantity(size)})
    return operations


def quantity(size: int) -> str:
    return f"{size // MIB}Mi" if size % MIB == 0 else str(size)


# ---- scheduling ----


def filter_nodes(document: Any, policy: Policy, models: Models) -> Json:
    """The ExtenderFilterResult for ExtenderArgs: nodes whose whole memory could never hold the pod are left out."""
    if not isinstance(document, dict):
        raise BadRequest("ExtenderArgs are needed")
    pod = member(document, "Pod", dict, "ExtenderArgs")
    names = member(document, "NodeNames", list, "ExtenderArgs")
    nodes = member(member(document, "Nodes", dict, "ExtenderArgs"), "items", list, "Nodes")
    if pod is None or (names is None and nodes is None):
        raise BadRequest("ExtenderArgs have a Pod, and Nodes or NodeNames")
    try:
        need = need_of(pod, policy, models)
    except NoAnswer as problem:
        need = None
        if policy.on_failure == "refuse":
            return {"FailedNodes": {}, "FailedAndUnresolvableNodes": {}, "Error": f"memmodel: {problem}"}
    rooms = [(node_name(node), node, node_room(node, policy)) for node in (names if nodes is None else nodes)]
    kept = [node for _, node, room in rooms if fits(need, room)]
    failed = {name: complaint(need, room) for name, _, room in rooms if need and room and not fits(need, room)}
    return {
        "Nodes": None if nodes is None else {**document["Nodes"], "items": kept},
        "NodeNames": kept if nodes is None else None,
        "FailedNodes": {},
        "FailedAndUnresolvableNodes": failed,  # no other pod's leaving would make a node larger
        "Error": "",
    }


def fits(need: Need | None, room: int | None) -> bool:
    return need is None or room is None or need.total <= room


def complaint(need: Need, room: int) -> str:
    return f"memmodel: {need}, and this node has {memmodel.format_bytes(room)}"


def node_name(node: Any) -> str:
    """Of a node as an object, or as a name alone."""
    name = node if isinstance(node, str) else member(member(node, "metadata", dict, "node"), "name", str, "metadata")
    if not name:
        raise BadRequest("a node without a name")
    return str(name)


def node_room(node: Any, policy: Policy) -> int | None:
    """What pods may take of a node: by its status, else by the policy."""
    status = None if isinstance(node, str) else member(node, "status", dict, "node")
    size = (member(status, "allocatable", dict, "status") or {}).get("memory")
    try:
        return policy.node_memory(node_name(node)) if size is None else parse_quantity(size)
    except NoAnswer:
        return None


# ---- what is sent, to what is answered ----

ANSWERS: dict[str, Callable[[Any, Policy, Models], Json]] = {"/mutate": review, "/filter": filter_nodes}


def finite(text: str) -> float:
    """A number that can also be written again."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text:.40} is no number")
    return number


DECODER = json.JSONDecoder(parse_constant=finite, parse_float=finite)


def answer(path: str, body: bytes, policy: Policy, models: Models) -> tuple[int, bytes]:
    """Status and body of the reply to a POST, whatever was sent."""
    function = ANSWERS.get(path)
    if function is None:
        return 404, b'{"error": "POST /mutate or /filter"}'
    try:
        document = DECODER.decode(body.decode())
        return 200, json.dumps(function(document, policy, models)).encode()
    except (ValueError, RecursionError, BadRequest) as problem:
        return 400, json.dumps({"error": f"{problem}"[:500]}).encode()
