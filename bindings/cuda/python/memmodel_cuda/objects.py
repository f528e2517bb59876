"""
Objects that one rank hands to the others go by the store that the ranks have met at, since nobody computes the tensors
by which NCCL would bring them. Only where the ranks are there, and where a group has nothing but NCCL.
"""

import functools
import inspect
import pickle

_sent = {}  # how many messages of a group, or of two ranks in it, went by its store


def install(c10d):
    """`c10d` is torch.distributed.distributed_c10d."""
    for name, hand_over in _HAND_OVER.items():
        setattr(c10d, name, _by_store(c10d, getattr(c10d, name), hand_over))
    c10d.send_object_list = _between_two(c10d, c10d.send_object_list, "dst", _send)
    c10d.recv_object_list = _between_two(c10d, c10d.recv_object_list, "src", _receive)


def _by_store(c10d, real, hand_over):
    signature = inspect.signature(real)

    @functools.wraps(real)
    def call(*args, **kwargs):
        given, group = _given(c10d, signature, args, kwargs)
        if not _is_ours(c10d, group):
            return real(*args, **kwargs)
        store = c10d._world.pg_map[group][1]
        return hand_over(given, store, _key(c10d, group), c10d.get_rank(group), _source(c10d, group, given))

    return call


def _between_two(c10d, real, end, hand_over):
    """`end` names the argument for the other rank. From any rank at all is left as it is."""
    signature = inspect.signature(real)

    @functools.wraps(real)
    def call(*args, **kwargs):
        given, group = _given(c10d, signature, args, kwargs)
        other, in_group = given[end], given.get("group_" + end)
        if (other is None and in_group is None) or not _is_ours(c10d, group):
            return real(*args, **kwargs)
        other = c10d.get_global_rank(group, in_group) if other is None else other
        ranks = (c10d.get_rank(), other) if end == "dst" else (other, c10d.get_rank())
        key = _key(c10d, group, "{}to{}/".format(*ranks))
        return hand_over(given["object_list"], c10d._world.pg_map[group][1], key, other)

    return call


def _given(c10d, signature, args, kwargs):
    """All arguments by name, and the group that is meant."""
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments, bound.arguments["group"] or c10d.GroupMember.WORLD


def _source(c10d, group, given):
    """The rank in the group that has the objects."""
    source = given.get("group_src")
    return c10d.get_group_rank(group, given.get("src") or 0) if source is None and "src" in given else source


def _is_ours(c10d, group):
    """More than one rank, which all can be reached, and no CPU tensors."""
    if group not in c10d._world.pg_map or c10d.get_world_size(group) < 2:
        return False
    return str(c10d._get_object_coll_device(group)).startswith("cuda") and c10d.get_backend(group) != "fake"


def _key(c10d, group, path=""):
    name = c10d._world.pg_names[group], path
    _sent[name] = _sent.get(name, 0) + 1
    return f"memmodel/objects/{path}{_sent[name]}"


def _send(objects, store, key, _):
    store.set(key, pickle.dumps(objects))


def _receive(objects, store, key, source):
    objects[:] = pickle.loads(store.get(key))
    return source


def _broadcast(given, store, key, rank, source):
    objects = given["object_list"]
    if rank == source:
        store.set(key, pickle.dumps(objects))
    else:
        objects[:] = pickle.loads(store.get(key))


def _scatter(given, store, key, rank, source):
    if rank == source:
        for other, item in enumerate(given["scatter_object_input_list"]):
            store.set(f"{key}/{other}", pickle.dumps(item))
    given["scatter_object_output_list"][0] = pickle.loads(store.get(f"{key}/{rank}"))


def _gather(given, store, key, rank, _):
    """Each rank writes; the one that has a list for them reads."""
    store.set(f"{key}/{rank}", pickle.dumps(given["obj"]))
    found = given["object_gather_list"] or []
    found[:] = [pickle.loads(store.get(f"{key}/{other}")) for other in range(len(found))]


def _all_gather(given, store, key, rank, _):
    store.set(f"{key}/{rank}", pickle.dumps(given["obj"]))
    for other in range(len(given["object_list"])):
        given["object_list"][other] = pickle.loads(store.get(f"{key}/{other}"))


_HAND_OVER = {
    "broadcast_object_list": _broadcast,
    "scatter_object_list": _scatter,
    "all_gather_object": _all_gather,
    "gather_object": _gather,
}
