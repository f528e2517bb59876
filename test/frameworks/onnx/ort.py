"""onnxruntime through its C interface, for what its Python package does not tell: the statistics of the arena.

The places of the functions in struct OrtApi are those of onnxruntime_c_api.h, which never change once released.
"""

from __future__ import annotations

import ctypes
import pathlib

import numpy

API_VERSION = 23  # the first with AllocatorGetStats
PLACES = {
    "GetErrorMessage": 2,
    "CreateEnv": 3,
    "CreateSession": 7,
    "Run": 9,
    "CreateSessionOptions": 10,
    "DisableMemPattern": 17,
    "SetSessionGraphOptimizationLevel": 23,
    "SetIntraOpNumThreads": 24,
    "CreateTensorWithDataAsOrtValue": 49,
    "CreateCpuMemoryInfo": 69,
    "ReleaseSession": 95,
    "ReleaseValue": 96,
    "AddSessionConfigEntry": 130,
    "CreateAllocator": 131,
    "CreateAndRegisterAllocator": 144,
    "CreateArenaCfgV2": 164,
    "GetKeyValuePairs": 298,
    "AllocatorGetStats": 319,
}
RETURNS_TEXT = {"GetErrorMessage"}
RETURNS_NOTHING = {"ReleaseSession", "ReleaseValue", "GetKeyValuePairs"}
ELEMENT_TYPES = {"float32": 1, "int32": 6, "int64": 7, "bool": 9}  # enum ONNXTensorElementDataType
WARNING, ARENA, DEFAULT_MEMORY = 2, 1, 0


class Library:
    """struct OrtApi, each function by its name; a status that is returned becomes an exception."""

    def __init__(self) -> None:
        import onnxruntime

        self.version: str = onnxruntime.__version__
        folder = pathlib.Path(onnxruntime.__file__).parent / "capi"
        base = ctypes.CDLL(str(next(folder.glob("libonnxruntime.so.*"))))
        base.OrtGetApiBase.restype = ctypes.POINTER(ctypes.c_void_p)
        get_api = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(base.OrtGetApiBase()[0])
        self._table = ctypes.cast(get_api(API_VERSION), ctypes.POINTER(ctypes.c_void_p))

    def call(self, name: str, *arguments: object) -> object:
        result = ctypes.c_char_p if name in RETURNS_TEXT else None if name in RETURNS_NOTHING else ctypes.c_void_p
        function = ctypes.CFUNCTYPE(result, *[ctypes.c_size_t] * 0)(self._table[PLACES[name]])
        answer = function(*arguments)
        if result is ctypes.c_void_p and answer:
            raise RuntimeError(self.call("GetErrorMessage", ctypes.c_void_p(answer)).decode())
        return answer

    def made(self, name: str, *arguments: object) -> ctypes.c_void_p:
        """What a function puts into its last argument."""
        handle = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(handle))
        return handle


class Session:
    """A model on the CPU, in one thread."""

    def __init__(self, library: Library, path: pathlib.Path, *, level: int, pattern: bool, exact: bool = False) -> None:
        """`exact`: the arena splits whatever it hands out, so that no piece is larger than was asked for."""
        self.library = library
        self._environment = library.made("CreateEnv", ctypes.c_int(3), ctypes.c_char_p(b"measure"))
        options = library.made("CreateSessionOptions")
        library.call("SetSessionGraphOptimizationLevel", options, ctypes.c_int(level))
        library.call("SetIntraOpNumThreads", options, ctypes.c_int(1))
        if not pattern:
            library.call("DisableMemPattern", options)
        self._memory = library.made("CreateCpuMemoryInfo", ctypes.c_int(ARENA), ctypes.c_int(DEFAULT_MEMORY))
        if exact:
            keys = (ctypes.c_char_p * 1)(b"max_dead_bytes_per_chunk")
            arena = library.made("CreateArenaCfgV2", keys, (ctypes.c_size_t * 1)(256), ctypes.c_size_t(1))
            library.call("CreateAndRegisterAllocator", self._environment, self._memory, arena)
            library.call("AddSessionConfigEntry", options, b"session.use_env_allocators", b"1")
        self._session = library.made("CreateSession", self._environment, ctypes.c_char_p(str(path).encode()), options)
        self._allocator = library.made("CreateAllocator", self._session, self._memory)

    def statistics(self) -> dict[str, int]:
        pairs = self.library.made("AllocatorGetStats", self._allocator)
        keys, values = ctypes.POINTER(ctypes.c_char_p)(), ctypes.POINTER(ctypes.c_char_p)()
        count = ctypes.c_size_t()
        self.library.call("GetKeyValuePairs", pairs, ctypes.byref(keys), ctypes.byref(values), ctypes.byref(count))
        return {keys[i].decode(): int(values[i]) for i in range(count.value)}

    def _value(self, array: numpy.ndarray) -> ctypes.c_void_p:
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        return self.library.made(
            "CreateTensorWithDataAsOrtValue",
            self._memory,
            ctypes.c_void_p(array.ctypes.data),
            ctypes.c_size_t(array.nbytes),
            shape,
            ctypes.c_size_t(array.ndim),
            ctypes.c_int(ELEMENT_TYPES[str(array.dtype)]),
        )

    def run(self, inputs: dict[str, numpy.ndarray], outputs: list[str]) -> list[ctypes.c_void_p]:
        """One run; what it returned stays allocated until release() is called for it."""
        values = [self._value(array) for array in inputs.values()]
        results = (ctypes.c_void_p * len(outputs))()
        self.library.call(
            "Run",
            self._session,
            None,
            (ctypes.c_char_p * len(inputs))(*[name.encode() for name in inputs]),
            (ctypes.c_void_p * len(inputs))(*[value.value for value in values]),
            ctypes.c_size_t(len(inputs)),
            (ctypes.c_char_p * len(outputs))(*[name.encode() for name in outputs]),
            ctypes.c_size_t(len(outputs)),
            results,
        )
        for value in values:
            self.library.call("ReleaseValue", value)
        return [ctypes.c_void_p(result) for result in results]

    def release(self, values: list[ctypes.c_void_p]) -> None:
        for value in values:
            self.library.call("ReleaseValue", value)

    def close(self) -> None:
        self.library.call("ReleaseSession", self._session)
