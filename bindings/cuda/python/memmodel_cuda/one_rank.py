"""
One rank of many: the others are not there, and are taken to do what this one does.

The ranks meet at a store that this process has for itself. What another one would have written there is what this one
wrote, or zeros; nobody is waited for. Groups of the CPU's collectives are torch's own that do nothing.
"""

import functools
import importlib
import inspect
import os

_ID_BYTES = 128  # of ncclUniqueId
_stores = []  # PyTorch before 2.15 keeps alive but their half in C++, which calls the one in Python


def is_wanted():
    return "MEMMODEL_CUDA_WORLD_SIZE" in os.environ


def install(c10d):
    """`c10d` is torch.distributed.distributed_c10d."""
    c10d.init_process_group = _alone(c10d, c10d.init_process_group)
    c10d.new_group = _without_gloo(c10d.new_group)
    c10d.all_gather_object = _all_gather_object(c10d)
    c10d.gather_object = _gather_object
    c10d.broadcast_object_list = _leave
    c10d.scatter_object_list = _scatter_object_list


def _store(c10d):
    class Store(c10d.Store):
        def __init__(self):
            super().__init__()
            self.kept = {}

        def set(self, key, value):
            self.kept[key] = value.encode() if isinstance(value, str) else bytes(value)

        def get(self, key):
            return self.kept.get(key, bytes(_ID_BYTES))

        def compare_set(self, key, _, desired):
            self.kept.setdefault(key, desired.encode() if isinstance(desired, str) else bytes(desired))
            return self.kept[key]

        def add(self, key, number):
            total = int(self.kept.get(key, b"0")) + number
            self.kept[key] = str(total).encode()
            return total

        def delete_key(self, key):
            return self.kept.pop(key, None) is not None

        def check(self, _):
            return True

        def wait(self, *_):
            return None

        def num_keys(self):
            return len(self.kept)

    return Store()


def _backend(name):
    if name is None or "gloo" in str(name) or "undefined" in str(name):
        return "cpu:fake,cuda:nccl" if name is None or "nccl" in str(name) else "fake"
    return name


def _alone(c10d, real):
    signature = inspect.signature(real)

    @functools.wraps(real)
    def init(*args, **kwargs):
        importlib.import_module("torch.testing._internal.distributed.fake_pg")  # registers the backend "fake"
        given = signature.bind_partial(*args, **kwargs).arguments
        given["backend"] = _backend(given.get("backend"))
        _stores.append(_store(c10d))
        given["store"] = _stores[-1]
        given["rank"] = int(os.environ["RANK"])
        given["world_size"] = int(os.environ["WORLD_SIZE"])
        given.pop("init_method", None)
        return real(**given)

    return init


def _without_gloo(real):
    signature = inspect.signature(real)

    @functools.wraps(real)
    def new_group(*args, **kwargs):
        given = signature.bind_partial(*args, **kwargs).arguments
        if given.get("backend") is not None:
            given["backend"] = _backend(given["backend"])
        return real(**given)

    return new_group


def _all_gather_object(c10d):
    def all_gather_object(object_list, obj, group=None):
        object_list[:] = [obj] * c10d.get_world_size(group)

    return all_gather_object


def _gather_object(obj, object_gather_list=None, *_, **__):
    if object_gather_list is not None:
        object_gather_list[:] = [obj] * len(object_gather_list)


def _scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, *_, **__):
    if scatter_object_input_list:
        scatter_object_output_list[0] = scatter_object_input_list[0]


def _leave(*_, **__):
    """What this rank has is taken to be what the other one would have sent."""
