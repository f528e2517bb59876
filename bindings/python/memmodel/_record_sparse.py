"""Sparse tensors without memory: an operator on them is recorded as those on their indices and values that it is of.

PyTorch's shape functions give sums, copies and products of sparse tensors no elements at all, so that what follows from
them would have no bytes. Where they allocate: aten/src/ATen/native/sparse/SparseTensor.cpp, SparseTensorMath.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from memmodel._record_calls import Call, schema_of, tensors_in

if TYPE_CHECKING:
    from memmodel._record_mode import Recorder

Rule = Callable[["Recorder", Any, Any, Any], Any]
ATEN = torch.ops.aten
MEAN = 1  # of modes of embedding_bag
TAKES_GRADIENTS = "torch::autograd::AccumulateGrad"


def is_sparse(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.layout == torch.sparse_coo


def run_sparse(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """NotImplemented: no rule, or none of these is sparse."""
    name = operator._overloadpacket.__name__
    rule = RULES[name]
    if name not in MAKING and not any(is_sparse(value) for value in args):
        return NotImplemented
    if any(value.layout not in (torch.strided, torch.sparse_coo) for value in args if isinstance(value, torch.Tensor)):
        return NotImplemented
    recorder.sparse = True
    recorder.modules.entered()
    result = rule(recorder, operator, args, kwargs)
    if name not in VIEWS and any(tensor.device.type != "cpu" for tensor in tensors_in(result)):
        call = Call(schema_of(operator), args, kwargs, result)  # its kernels on a GPU are others, and not modelled
        recorder.events.run(call, [None] * len(call.outputs))
    return result


# ---- their parts ----

def _parts(tensor: Any) -> tuple[Any, Any]:
    return ATEN._indices.default(tensor), ATEN._values.default(tensor)


def _made(like: Any, indices: Any, values: Any, count: int | None = None, *, coalesced: bool) -> Any:
    """A sparse tensor of these, of the first `count` of them."""
    if count is not None and count < values.shape[0]:
        indices, values = ATEN.slice.Tensor(indices, 1, 0, count), ATEN.slice.Tensor(values, 0, 0, count)
    return ATEN._sparse_coo_tensor_with_dims_and_tensors.default(
        like.sparse_dim(), like.dense_dim(), list(like.shape), indices, values,
        dtype=values.dtype, layout=torch.sparse_coo, device=values.device, is_coalesced=coalesced,
    )  # fmt: skip


def _become(tensor: Any, made: Any) -> Any:
    with torch.no_grad():
        tensor.data = made
    return tensor


def _indices_of(recorder: Recorder, operator: Any, tensors: list[Any]) -> Any:
    """Those of a result, which depend on the values of indices; None where they are not known."""
    parts = [_parts(tensor) for tensor in tensors]
    with _disable_current_modes(), torch.no_grad():
        known = [recorder.values.real(indices) for indices, _ in parts]
        if any(indices is None for indices in known):
            return None
        empty = [
            torch.sparse_coo_tensor(
                indices, torch.empty(indices.shape[1], 0), [*tensor.shape[: tensor.sparse_dim()], 0],
                is_coalesced=_is_coalesced(tensor), check_invariants=False,
            )
            for indices, tensor in zip(known, tensors)
        ]  # fmt: skip
        return operator(*empty)._indices()


def _merged(recorder: Recorder, operator: Any, tensors: list[Any], made: tuple[Any, Any], *, coalesced: bool) -> Any:
    """A result with room for all elements of some; how many it has depends on their indices."""
    found = _indices_of(recorder, operator, tensors)
    with _disable_current_modes():
        if found is None:
            count = recorder.values.assume(f"{operator._overloadpacket.__name__}()", made[1].shape[0], sized=True)
        else:
            count = found.shape[1]
            room = torch.zeros(made[0].shape, dtype=torch.int64)
            room[:, :count] = found
            recorder.values.keep(made[0], room)
    return _made(tensors[0], *made, count, coalesced=coalesced)


def _is_coalesced(tensor: Any) -> bool:
    return bool(tensor.is_coalesced())


# ---- operators ----

def _same(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """Of the same parts."""
    return operator(*args, **kwargs)


def _clone(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """A gradient whose parts are dense is taken as it is. torch/csrc/autograd/functions/accumulate_grad.h"""
    indices, values = _parts(args[0])
    node = torch._C._current_autograd_node()
    if node is None or node.name() != TAKES_GRADIENTS or not (indices.is_contiguous() and values.is_contiguous()):
        values = recorder.ran(ATEN.clone.default, values, memory_format=torch.contiguous_format)
        indices = recorder.ran(ATEN.clone.default, indices, memory_format=torch.contiguous_format)
    return _made(args[0], indices, values, coalesced=_is_coalesced(args[0]))


def _coalesce(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    tensor = args[0]
    if tensor._nnz() < 2:
        return _clone(recorder, operator, args, kwargs)
    indices, values = _parts(tensor)
    flat = _flat(recorder, tensor, indices)
    made = recorder.ran(ATEN.empty_like.default, indices), recorder.ran(ATEN.empty_like.default, values)
    recorder.ran(ATEN.sort.default, flat, 0)
    return _merged(recorder, ATEN._coalesce.default, [tensor], made, coalesced=True)


def _flat(recorder: Recorder, tensor: Any, indices: Any) -> Any:
    """One number for each element. aten/src/ATen/native/sparse/SparseTensorUtils.cpp, flatten_indices()"""
    if tensor.sparse_dim() == 1:
        return ATEN.select.int(indices, 0, 0)
    factors = recorder.ran(ATEN.ones.default, [tensor.sparse_dim(), 1], dtype=torch.int64)
    return recorder.ran(ATEN.sum.dim_IntList, recorder.ran(ATEN.mul.Tensor, indices, factors), [0])


def _sum(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """One after the other; what meets on the way is added where both are dense."""
    one, other = args
    (indices, values), (more_indices, more_values) = _parts(one), _parts(other)
    made = (recorder.ran(ATEN.cat.default, [indices, more_indices], 1),
            recorder.ran(ATEN.cat.default, [values, more_values], 0))  # fmt: skip
    if not (values.is_contiguous() and more_values.is_contiguous()):
        return _made(one, *made, coalesced=False)
    coalesced = _is_coalesced(one) and _is_coalesced(other)
    return _merged(recorder, ATEN.add.Tensor, [one, other], made, coalesced=coalesced)


def _add(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    if not is_sparse(args[0]):
        return recorder.ran(ATEN.clone.default, args[0])
    return _sum(recorder, operator, args, kwargs)


def _add_to(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    if not is_sparse(args[0]):
        recorder.values.forget_all(args[:1])
        return args[0]
    return _become(args[0], _sum(recorder, operator, args, kwargs))


def _scale(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """By a number."""
    if not is_sparse(args[0]) or (isinstance(args[1], torch.Tensor) and args[1].dim()):
        return NotImplemented
    indices, values = _parts(args[0])
    coalesced = _is_coalesced(args[0])
    made = recorder.ran(ATEN.clone.default, indices), recorder.ran(ATEN.mul.Tensor, values, args[1])
    return _made(args[0], *made, coalesced=coalesced)


def _scale_in_place(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    made = _scale(recorder, operator, args, kwargs)
    return made if made is NotImplemented else _become(args[0], made)


def _mask(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """A product with ones at the mask's indices."""
    dense, mask = args
    if is_sparse(dense):
        return NotImplemented
    indices, values = _parts(mask)
    one = recorder.ran(ATEN.ones.default, [1], dtype=values.dtype, device=values.device)
    rows = [ATEN.select.int(indices, 0, axis) for axis in range(mask.sparse_dim())]
    picked = recorder.ran(ATEN.index.Tensor, dense, rows)
    copied = recorder.ran(ATEN.clone.default, indices)
    made = recorder.ran(ATEN.mul.Tensor, picked, ATEN.expand.default(one, values.shape))
    return _made(mask, copied, made, coalesced=_is_coalesced(mask))


def _transpose(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """A copy, whose rows of indices change places by way of a third one."""
    copy = _clone(recorder, operator, args, kwargs)
    indices, values = _parts(copy)
    recorder.ran(ATEN.zeros_like.default, ATEN.select.int(indices, 0, 0))
    _become(copy, _made(ATEN.t.default(args[0]), indices, values, coalesced=False))
    return copy


def _product(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """Added to zeros. mm() of a sparse and a dense matrix"""
    one, other = args
    if not is_sparse(one) or is_sparse(other):
        return NotImplemented
    zeros = recorder.ran(ATEN.zeros.default, [one.shape[0], other.shape[1]], dtype=other.dtype, device=other.device)
    return _added_product(recorder, operator, (zeros, one, other), kwargs)


def _added_product(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    to, one, other = args
    if not is_sparse(one) or is_sparse(other):
        return NotImplemented
    return recorder.ran(ATEN.empty.memory_format, [one.shape[0], other.shape[1]], dtype=to.dtype, device=to.device)


def _bag_gradient(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """EmbeddingBag.cpp, _embedding_bag_backward(): which bag each index is in, then a row of the gradient for each."""
    gradient, indices, offsets, bag_of, sizes = args[:5]
    if not args[9] or args[10] is not None or args[8] > MEAN:
        return NotImplemented
    if bag_of.numel() == 0:
        marks = recorder.ran(ATEN.new_zeros.default, offsets, [indices.shape[0] + 1])
        recorder.ran(ATEN.ones_like.default, offsets)
        bag_of = ATEN.slice.Tensor(recorder.ran(ATEN.cumsum.default, marks, 0), 0, 0, indices.shape[0])
        del marks
    rows = recorder.ran(ATEN.index_select.default, gradient, 0, bag_of)
    if args[8] == MEAN:
        shares = recorder.ran(ATEN._to_copy.default, sizes, dtype=gradient.dtype)
        shares = recorder.ran(ATEN.reciprocal.default, ATEN.unsqueeze.default(shares, 1))
        recorder.ran(ATEN.mul_.Tensor, rows, recorder.ran(ATEN.index_select.default, shares, 0, bag_of))
    return ATEN._sparse_coo_tensor_with_dims_and_tensors.default(
        1, 1, [args[6], gradient.shape[1]], ATEN.view.default(indices, [1, -1]), rows,
        dtype=rows.dtype, layout=torch.sparse_coo, device=rows.device,
    )  # fmt: skip


MAKING = ("_sparse_coo_tensor_with_dims_and_tensors", "_embedding_bag_backward")
VIEWS = (MAKING[0], "_indices", "_values", "detach", "alias", "is_coalesced", "_coalesced_", "_nnz", "sparse_dim",
         "dense_dim")  # fmt: skip
RULES: dict[str, Rule] = {
    **dict.fromkeys(VIEWS, _same),
    "clone": _clone,
    "_coalesce": _coalesce,
    "add": _add,
    "add_": _add_to,
    "mul": _scale,
    "mul_": _scale_in_place,
    "sparse_mask": _mask,
    "t": _transpose,
    "mm": _product,
    "_sparse_addmm": _added_product,
    "_embedding_bag_backward": _bag_gradient,
}
