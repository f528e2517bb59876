"""
Objects that one rank hands to the others go by the store that the ranks have met at, since nobody computes the tensors
by which NCCL would bring them. Only where the ranks are there, and where a group has nothing but NCCL.
"""

import functools
import inspect
import pickle

_sent = {}  # how many of a group's messages went by its store


def install(c10d):
    """`c10d` is torch.distributed.distributed_c10d."""
    for name, hand_over in _HAND_OVER.items():
        setattr(c10d, name, _by_store(c10d, getattr(c10d, name), hand_over))


def _by_store(c10d, real, hand_over):
    signature = inspect.signature(real)

    @functools.wraps(real)
    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        group = given["group"] or c10d.GroupMember.WORLD
        if not _is_ours(c10d, group):
            return real(*args, **kwargs)
        store = c10d._world.pg_map[group][1]
        return hand_over(given, store, _key(c10d, group), c10d.get_rank(group), _source(c10d, group, given))

    return call


def _source(c10d, group, given):
    """The rank in the group that has the objects."""
    source = given.get("group_src")
    return c10d.get_group_rank(group, given.get("src") or 0) if source is None and "src" in given else source


def _is_ours(c10d, group):
    """More than one rank, which all can be reached, and no CPU tensors."""
    if group not in c10d._world.pg_map or c10d.get_world_size(group) < 2:
        return False
    return str(c10d._get_object_coll_device(group)).startswith("cuda") and c10d.get_backend(group) != "fake"


def _key(c10d, group):
    name = c10d._world.pg_names[group]
    _sent[name] = _sent.get(name, 0) + 1
    return f"memmodel/objects/{_sent[name]}"


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


def _all_gather(given, store, key, rank, _):
    store.set(f"{key}/{rank}", pickle.dumps(given["obj"]))
    for other in range(len(given["object_list"])):
        given["object_list"][other] = pickle.loads(store.get(f"{key}/{other}"))


_HAND_OVER = {"broadcast_object_list": _broadcast, "scatter_object_list": _scatter, "all_gather_object": _all_gather}
