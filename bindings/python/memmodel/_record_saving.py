"""Models that a recorded program saves and loads: without their data, but for what is known."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import pickle
import sys
from typing import Any
from unittest import mock
from weakref import WeakValueDictionary

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes

from memmodel._record_files import Files, Put
from memmodel._record_mode import Recorder
from memmodel._record_values import Values, storage_of

MARK = b"memmodel: tensors without data\n"
WITHOUT_DATA = "memmodel"  # in the metadata of a file of safetensors
SAVING, LOADING = ("save_file", "safe_save_file"), ("load_file", "safe_load_file", "safe_open")
SAFE_DTYPES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16",
               torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8",
               torch.bool: "BOOL"}  # fmt: skip


def patch_saving(recorder: Recorder, files: Files | None, put: Put) -> None:
    """files: where what is written goes; None: where the program says."""
    _pickles(recorder.values, put)
    _torch(files, put)
    if importlib.util.find_spec("safetensors"):
        _safetensors(recorder, files, put)


# ---- pickles ----


class Stored:
    """A storage in a pickle."""

    location: Any = None  # where one is loaded to, as torch.load() is given it

    def __init__(self, bytes: int, device: str, values: bytes | None) -> None:
        self.bytes, self.device, self.values = bytes, device, values
        self._made: Any = None

    def __reduce__(self) -> Any:
        return Stored, (self.bytes, self.device, self.values)

    def made(self) -> Any:
        """Once, for all tensors on it."""
        if self._made is None:
            known, of_bytes = list(self.values or ()), {"dtype": torch.uint8, "device": self._place()}
            whole = torch.tensor(known, **of_bytes) if known else torch.empty(self.bytes, **of_bytes)
            self._made = whole
        return self._made

    def _place(self) -> Any:
        where = Stored.location
        if isinstance(where, dict):
            return where.get(self.device, self.device)
        return where if isinstance(where, (str, torch.device)) else self.device


def _pickles(values: Values, put: Put) -> None:
    kept: WeakValueDictionary[int, Stored] = WeakValueDictionary()  # as long as a pickler remembers them

    def stored(tensor: Any) -> Stored:
        key = storage_of(tensor)
        found = kept.get(key)
        if found is None:
            with _disable_current_modes():
                bytes = tensor.untyped_storage().nbytes()
                found = kept[key] = Stored(bytes, str(tensor.device), values.bytes_of(tensor))
        return found

    def reduced(tensor: Any, _: Any) -> Any:
        shape = tensor.dtype, tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset()
        return _rebuilt, (stored(tensor), *shape, tensor.requires_grad, isinstance(tensor, torch.nn.Parameter))

    put(FakeTensor, "__reduce_ex__", reduced)


def _rebuilt(stored: Stored, dtype: Any, shape: Any, stride: Any, offset: int, requires_grad: bool, named: bool) -> Any:
    with torch.no_grad():
        tensor = stored.made().view(dtype).as_strided(shape, stride, offset)
    return torch.nn.Parameter(tensor, requires_grad) if named else tensor.requires_grad_(requires_grad)


# ---- torch.save(), torch.load() ----


def _torch(files: Files | None, put: Put) -> None:
    save, load = torch.save, torch.load

    def saved(thing: Any, file: Any, pickle_module: Any = pickle, *args: Any, **kwargs: Any) -> None:
        if isinstance(thing, (torch.UntypedStorage, torch.TypedStorage)):  # of a real tensor, by its pickler
            save(thing, file, pickle_module, *args, **kwargs)
            return
        with _opened(file, "wb", files) as out:
            out.write(MARK)
            pickle_module.dump(thing, out)

    def loaded(file: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
        with _opened(file, "rb", files) as source:
            begin = source.seek(0, io.SEEK_CUR)
            if source.read(len(MARK)) == MARK:
                with mock.patch.object(Stored, "location", map_location):
                    return pickle.load(source)
            source.seek(begin)
            if isinstance(file, (str, os.PathLike)):
                file = _place(file, "rb", files)
        return load(file, map_location, *args, **kwargs)

    put(torch, "save", saved)
    put(torch, "load", loaded)


def _opened(file: Any, mode: str, files: Files | None) -> Any:
    if not isinstance(file, (str, os.PathLike)):
        return contextlib.nullcontext(file)
    return open(_place(file, mode, files), mode)  # noqa: PTH123  that of the program


def _place(file: Any, mode: str, files: Files | None) -> Any:
    if files is None:
        return file
    return files.write(file, keep=False) if "w" in mode else files.read(file)


# ---- safetensors ----


def _safetensors(recorder: Recorder, files: Files | None, put: Put) -> None:
    """What is read of a file has shapes, and the values that are few."""
    import safetensors.torch

    opened = safetensors.safe_open
    file = _file_class(recorder, files, opened)

    def load_file(filename: Any, device: Any = "cpu") -> dict[str, Any]:
        with file(filename, device=device) as source:
            return {name: source.get_tensor(name) for name in source.keys()}  # noqa: SIM118  no mapping

    def save_file(tensors: dict[str, Any], filename: Any, metadata: Any = None) -> None:
        with _opened(filename, "wb", files) as out:
            _write_shapes(tensors, out, metadata or {})

    instead = {id(opened): file, id(safetensors.torch.load_file): load_file, id(safetensors.torch.save_file): save_file}
    for module in list(sys.modules.values()):
        names = vars(module) if hasattr(module, "__dict__") else {}
        for name in (*SAVING, *LOADING):
            if id(names.get(name)) in instead:
                put(module, name, instead[id(names[name])])


def _write_shapes(tensors: dict[str, Any], out: io.BufferedWriter, metadata: dict[str, str]) -> None:
    """As safetensors does, its data left out: the file is as long, and has a hole."""
    header: dict[str, Any] = {"__metadata__": metadata | {WITHOUT_DATA: "no data"}}
    end = 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.nbytes
        dtype = SAFE_DTYPES.get(tensor.dtype, "U8")
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    out.write(len(text).to_bytes(8, "little") + text)
    out.truncate(8 + len(text) + end)


def _file_class(recorder: Recorder, files: Files | None, opened: Any) -> type:
    def fake(tensor: Any, device: Any, known: bool) -> Any:
        made = recorder.loaded(tensor)
        if not known:
            recorder.values.forget_all([made])
        return made if str(device) == "cpu" else made.to("cuda" if isinstance(device, int) else device)

    class Slice:
        def __init__(self, part: Any, device: Any, known: bool) -> None:
            self._part, self._device, self._known = part, device, known

        def __getattr__(self, name: str) -> Any:
            return getattr(self._part, name)

        def __getitem__(self, index: Any) -> Any:
            with _disable_current_modes():
                tensor = self._part[index]
            return fake(tensor, self._device, self._known)

    class File:
        def __init__(self, file: Any, framework: str = "pt", device: Any = "cpu", **kwargs: Any) -> None:
            self._file = opened(_place(file, "rb", files), framework=framework, device="cpu", **kwargs)
            self._device, self._known = device, WITHOUT_DATA not in (self._file.metadata() or {})

        def __enter__(self) -> File:
            self._file.__enter__()
            return self

        def __exit__(self, *error: Any) -> Any:
            return self._file.__exit__(*error)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._file, name)

        def get_tensor(self, name: str) -> Any:
            with _disable_current_modes():
                tensor = self._file.get_tensor(name)
            return fake(tensor, self._device, self._known)

        def get_slice(self, name: str) -> Slice:
            return Slice(self._file.get_slice(name), self._device, self._known)

    return File
