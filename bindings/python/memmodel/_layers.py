"""A method for each layer. Generated from include/memmodel/builder.h and layers.h by ./run generate: edit those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from memmodel import _ffi

if TYPE_CHECKING:
    from memmodel.tensor import Dim, Tensor


class Layers:
    """What a Network can be made of. Each method adds a layer and returns its (first) output."""

    def _add(self, function: Callable[..., int], *arguments: Any) -> Tensor:
        raise NotImplementedError

    def _tensor(self, value: Tensor, name: str) -> int:
        raise NotImplementedError

    def _optional_tensor(self, value: Tensor | None, name: str) -> int:
        raise NotImplementedError

    def _tensors(self, values: Sequence[Tensor], name: str) -> list[int]:
        raise NotImplementedError

    def _dim(self, value: int | Dim, name: str) -> int:
        raise NotImplementedError

    def _dims(self, values: Sequence[int | Dim] | None, name: str) -> list[int] | None:
        raise NotImplementedError

    def layer_output(self, tensor: Tensor, index: int) -> Tensor:
        """A further output of the layer that made `tensor`.

        tensor: the first output, as the builder call returned it.
        index: from 0.
        """
        return self._add(_ffi.network_layer_output, self._tensor(tensor, "tensor"), index)

    def conv(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        filters: int = 0,
        kernel: int | Sequence[int] = (),
        stride: int | Sequence[int] = (),
        dilation: int | Sequence[int] = (),
        padding: int | Sequence[int] = (),
        output_padding: int | Sequence[int] = (),
        groups: int = 0,
        auto_pad: str | int | _ffi.AutoPad = "explicit",
        layout: str | int | _ffi.Layout = "default",
        no_bias: bool = False,
        activation: str | int | _ffi.ActivationKind = "none",
        tied_to: str | None = None,
    ) -> Tensor:
        """Convolution over the 1 to 3 spatial dimensions of [batch, channels, ...].

        x: input.
        name: of the layer; None: made from the operator and a number.
        filters: channels of the output.
        kernel: size; one number is for all dimensions.
        stride: one number is for all dimensions. Default: 1.
        dilation: one number is for all dimensions. Default: 1.
        padding: elements before and after, for "explicit"; one number is for all dimensions.
        output_padding: transposed only: elements added at the end of the output; one number is for all dimensions.
        groups: Default: 1.
        auto_pad: one of "explicit", "valid", "same".
        layout: one of "default", "channels_first", "channels_last".
        no_bias: no bias.
        activation: one of "none", "relu", "leaky_relu", "elu", "selu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh",
        "hardswish", "hardsigmoid", "relu6", "softplus", "mish", "prelu", "exp", "log", "sqrt", "square", "abs",
        "negate" applied to the result, counted as one layer with it.
        tied_to: name of an earlier layer whose parameters this one uses; None: its own.
        """
        options = _ffi.Conv(
            name=name,
            filters=filters,
            kernel=kernel,
            stride=stride,
            dilation=dilation,
            padding=padding,
            output_padding=output_padding,
            groups=groups,
            auto_pad=auto_pad,
            layout=layout,
            no_bias=no_bias,
            activation=activation,
            tied_to=tied_to,
        )
        return self._add(_ffi.network_conv, self._tensor(x, "x"), options)

    def conv_transpose(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        filters: int = 0,
        kernel: int | Sequence[int] = (),
        stride: int | Sequence[int] = (),
        dilation: int | Sequence[int] = (),
        padding: int | Sequence[int] = (),
        output_padding: int | Sequence[int] = (),
        groups: int = 0,
        auto_pad: str | int | _ffi.AutoPad = "explicit",
        layout: str | int | _ffi.Layout = "default",
        no_bias: bool = False,
        activation: str | int | _ffi.ActivationKind = "none",
        tied_to: str | None = None,
    ) -> Tensor:
        """Transposed convolution.

        x: input.
        name: of the layer; None: made from the operator and a number.
        filters: channels of the output.
        kernel: size; one number is for all dimensions.
        stride: one number is for all dimensions. Default: 1.
        dilation: one number is for all dimensions. Default: 1.
        padding: elements before and after, for "explicit"; one number is for all dimensions.
        output_padding: transposed only: elements added at the end of the output; one number is for all dimensions.
        groups: Default: 1.
        auto_pad: one of "explicit", "valid", "same".
        layout: one of "default", "channels_first", "channels_last".
        no_bias: no bias.
        activation: one of "none", "relu", "leaky_relu", "elu", "selu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh",
        "hardswish", "hardsigmoid", "relu6", "softplus", "mish", "prelu", "exp", "log", "sqrt", "square", "abs",
        "negate" applied to the result, counted as one layer with it.
        tied_to: name of an earlier layer whose parameters this one uses; None: its own.
        """
        options = _ffi.Conv(
            name=name,
            filters=filters,
            kernel=kernel,
            stride=stride,
            dilation=dilation,
            padding=padding,
            output_padding=output_padding,
            groups=groups,
            auto_pad=auto_pad,
            layout=layout,
            no_bias=no_bias,
            activation=activation,
            tied_to=tied_to,
        )
        return self._add(_ffi.network_conv_transpose, self._tensor(x, "x"), options)

    def linear(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        units: int = 0,
        no_bias: bool = False,
        activation: str | int | _ffi.ActivationKind = "none",
        tied_to: str | None = None,
    ) -> Tensor:
        """Fully connected layer.

        x: input.
        name: of the layer.
        units: size of the last dimension of the output.
        no_bias: no bias.
        activation: one of "none", "relu", "leaky_relu", "elu", "selu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh",
        "hardswish", "hardsigmoid", "relu6", "softplus", "mish", "prelu", "exp", "log", "sqrt", "square", "abs",
        "negate" applied to the result, counted as one layer with it.
        tied_to: name of an earlier layer whose parameters this one uses; None: its own.
        """
        options = _ffi.Linear(
            name=name,
            units=units,
            no_bias=no_bias,
            activation=activation,
            tied_to=tied_to,
        )
        return self._add(_ffi.network_linear, self._tensor(x, "x"), options)

    def pool(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        kernel: int | Sequence[int] = (),
        stride: int | Sequence[int] = (),
        dilation: int | Sequence[int] = (),
        padding: int | Sequence[int] = (),
        auto_pad: str | int | _ffi.AutoPad = "explicit",
        layout: str | int | _ffi.Layout = "default",
        kind: str | int | _ffi.PoolKind = "max",
        ceil_mode: bool = False,
    ) -> Tensor:
        """Pooling over windows.

        x: input.
        name: of the layer.
        kernel: size; one number is for all dimensions.
        stride: one number is for all dimensions. Default: the kernel.
        dilation: max only. Default: 1.
        padding: elements before and after, at most half the kernel; one number is for all dimensions.
        auto_pad: one of "explicit", "valid", "same".
        layout: one of "default", "channels_first", "channels_last".
        kind: one of "max", "average".
        ceil_mode: the last window may begin inside and end outside (PyTorch's ceil_mode).
        """
        options = _ffi.Pool(
            name=name,
            kernel=kernel,
            stride=stride,
            dilation=dilation,
            padding=padding,
            auto_pad=auto_pad,
            layout=layout,
            kind=kind,
            ceil_mode=ceil_mode,
        )
        return self._add(_ffi.network_pool, self._tensor(x, "x"), options)

    def adaptive_pool(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        output_size: int | Sequence[int] = (),
        layout: str | int | _ffi.Layout = "default",
        kind: str | int | _ffi.PoolKind = "max",
    ) -> Tensor:
        """Pooling to a given size.

        x: input.
        name: of the layer.
        output_size: size; one number is for all dimensions. All zero: 1.
        layout: one of "default", "channels_first", "channels_last".
        kind: one of "max", "average".
        """
        options = _ffi.AdaptivePool(
            name=name,
            output_size=output_size,
            layout=layout,
            kind=kind,
        )
        return self._add(_ffi.network_adaptive_pool, self._tensor(x, "x"), options)

    def global_pool(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        layout: str | int | _ffi.Layout = "default",
        kind: str | int | _ffi.PoolKind = "max",
        keep_dims: bool = False,
    ) -> Tensor:
        """Pooling over all spatial dimensions.

        x: input.
        name: of the layer.
        layout: one of "default", "channels_first", "channels_last".
        kind: one of "max", "average".
        keep_dims: keep the spatial dimensions as 1.
        """
        options = _ffi.GlobalPool(
            name=name,
            layout=layout,
            kind=kind,
            keep_dims=keep_dims,
        )
        return self._add(_ffi.network_global_pool, self._tensor(x, "x"), options)

    def batch_norm(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        layout: str | int | _ffi.Layout = "default",
        no_affine: bool = False,
        no_running_stats: bool = False,
    ) -> Tensor:
        """Batch normalisation. Two parameters and two moving statistics per channel.

        x: input.
        name: of the layer.
        layout: one of "default", "channels_first", "channels_last".
        no_affine: no scale and shift.
        no_running_stats: no running mean and variance.
        """
        options = _ffi.BatchNorm(
            name=name,
            layout=layout,
            no_affine=no_affine,
            no_running_stats=no_running_stats,
        )
        return self._add(_ffi.network_batch_norm, self._tensor(x, "x"), options)

    def layer_norm(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        axis_count: int = 0,
        no_affine: bool = False,
        no_bias: bool = False,
    ) -> Tensor:
        """Layer normalisation.

        x: input.
        name: of the layer.
        axis_count: number of last dimensions. Default: 1.
        no_affine: no scale and shift.
        no_bias: scale only.
        """
        options = _ffi.LayerNorm(
            name=name,
            axis_count=axis_count,
            no_affine=no_affine,
            no_bias=no_bias,
        )
        return self._add(_ffi.network_layer_norm, self._tensor(x, "x"), options)

    def group_norm(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        groups: int = 0,
        layout: str | int | _ffi.Layout = "default",
        no_affine: bool = False,
    ) -> Tensor:
        """Group normalisation.

        x: input.
        name: of the layer.
        groups: number of groups.
        layout: one of "default", "channels_first", "channels_last".
        no_affine: no scale and shift.
        """
        options = _ffi.GroupNorm(
            name=name,
            groups=groups,
            layout=layout,
            no_affine=no_affine,
        )
        return self._add(_ffi.network_group_norm, self._tensor(x, "x"), options)

    def instance_norm(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        layout: str | int | _ffi.Layout = "default",
        affine: bool = False,
    ) -> Tensor:
        """Instance normalisation.

        x: input.
        name: of the layer.
        layout: one of "default", "channels_first", "channels_last".
        affine: with scale and shift.
        """
        options = _ffi.InstanceNorm(
            name=name,
            layout=layout,
            affine=affine,
        )
        return self._add(_ffi.network_instance_norm, self._tensor(x, "x"), options)

    def rms_norm(self, x: Tensor, *, name: str | None = None, axis_count: int = 0, no_affine: bool = False) -> Tensor:
        """Root-mean-square normalisation.

        x: input.
        name: of the layer.
        axis_count: number of last dimensions. Default: 1.
        no_affine: no scale.
        """
        options = _ffi.RmsNorm(
            name=name,
            axis_count=axis_count,
            no_affine=no_affine,
        )
        return self._add(_ffi.network_rms_norm, self._tensor(x, "x"), options)

    def activation(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        kind: str | int | _ffi.ActivationKind = "none",
        in_place: bool = False,
        single_parameter: bool = False,
        layout: str | int | _ffi.Layout = "default",
    ) -> Tensor:
        """Activation.

        x: input.
        name: of the layer.
        kind: one of "none", "relu", "leaky_relu", "elu", "selu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh",
        "hardswish", "hardsigmoid", "relu6", "softplus", "mish", "prelu", "exp", "log", "sqrt", "square", "abs",
        "negate".
        in_place: the input's memory becomes the output's, where the framework can.
        single_parameter: PRELU, 1: one parameter for all channels.
        layout: PRELU: one of "default", "channels_first", "channels_last".
        """
        options = _ffi.Activation(
            name=name,
            kind=kind,
            in_place=in_place,
            single_parameter=single_parameter,
            layout=layout,
        )
        return self._add(_ffi.network_activation, self._tensor(x, "x"), options)

    def softmax(self, x: Tensor, *, name: str | None = None, axis: int = 0, logarithmic: bool = False) -> Tensor:
        """Softmax.

        x: input.
        name: of the layer.
        axis: counts from the end if negative; 0 means the last.
        logarithmic: log softmax.
        """
        options = _ffi.Softmax(
            name=name,
            axis=axis,
            logarithmic=logarithmic,
        )
        return self._add(_ffi.network_softmax, self._tensor(x, "x"), options)

    def dropout(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        rate: float = 0,
        channelwise: bool = False,
        in_place: bool = False,
        identity: bool = False,
        layout: str | int | _ffi.Layout = "default",
    ) -> Tensor:
        """Dropout.

        x: input.
        name: of the layer.
        rate: share that is dropped, 0 to 1. Default: 0.5.
        channelwise: whole channels (dropout2d, dropout3d).
        in_place: in place, where the framework can.
        identity: rate 0, the input itself.
        layout: of `channelwise`: one of "default", "channels_first", "channels_last".
        """
        options = _ffi.Dropout(
            name=name,
            rate=rate,
            channelwise=channelwise,
            in_place=in_place,
            identity=identity,
            layout=layout,
        )
        return self._add(_ffi.network_dropout, self._tensor(x, "x"), options)

    def embedding(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        num_embeddings: int = 0,
        embedding_dim: int = 0,
        dtype: str | int | _ffi.Dtype = "default",
        tied_to: str | None = None,
    ) -> Tensor:
        """Table lookup of integer indices.

        x: input.
        name: of the layer.
        num_embeddings: entries of the table.
        embedding_dim: elements of an entry.
        dtype: one of "default", "float32", "float64", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool"
        of the table. Default: float32.
        tied_to: name of an earlier layer whose parameters this one uses; None: its own.
        """
        options = _ffi.Embedding(
            name=name,
            num_embeddings=num_embeddings,
            embedding_dim=embedding_dim,
            dtype=dtype,
            tied_to=tied_to,
        )
        return self._add(_ffi.network_embedding, self._tensor(x, "x"), options)

    def upsample(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        scale: int | Sequence[int] = (),
        output_size: int | Sequence[int] = (),
        kind: str | int | _ffi.Interpolation = "nearest",
        layout: str | int | _ffi.Layout = "default",
    ) -> Tensor:
        """Upsampling of the spatial dimensions.

        x: input.
        name: of the layer.
        scale: whole factor; one number is for all dimensions.
        output_size: instead of scale: sizes of the output.
        kind: one of "nearest", "linear", "cubic".
        layout: one of "default", "channels_first", "channels_last".
        """
        options = _ffi.Upsample(
            name=name,
            scale=scale,
            output_size=output_size,
            kind=kind,
            layout=layout,
        )
        return self._add(_ffi.network_upsample, self._tensor(x, "x"), options)

    def pad(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        before: int | Sequence[int] = (),
        after: int | Sequence[int] = (),
        kind: str | int | _ffi.PadKind = "constant",
    ) -> Tensor:
        """Padding.

        x: input.
        name: of the layer.
        before: elements added (pad) or removed (crop) at the start of each axis.
        after: the same at the end.
        kind: one of "constant", "reflect", "replicate", "circular"; ignored by crop.
        """
        options = _ffi.Pad(
            name=name,
            before=before,
            after=after,
            kind=kind,
        )
        return self._add(_ffi.network_pad, self._tensor(x, "x"), options)

    def crop(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        before: int | Sequence[int] = (),
        after: int | Sequence[int] = (),
        kind: str | int | _ffi.PadKind = "constant",
    ) -> Tensor:
        """Cropping: `before` and `after` elements of each axis go.

        x: input.
        name: of the layer.
        before: elements added (pad) or removed (crop) at the start of each axis.
        after: the same at the end.
        kind: one of "constant", "reflect", "replicate", "circular"; ignored by crop.
        """
        options = _ffi.Pad(
            name=name,
            before=before,
            after=after,
            kind=kind,
        )
        return self._add(_ffi.network_crop, self._tensor(x, "x"), options)

    def concat(
        self,
        tensors: Sequence[Tensor],
        *,
        name: str | None = None,
        axis: int = 0,
        along_channels: bool = False,
        layout: str | int | _ffi.Layout = "default",
    ) -> Tensor:
        """Concatenation.

        tensors: `count` tensors of one rank and type, equal in all other dimensions.
        name: of the layer.
        axis: counts from the end if negative; see channels.
        along_channels: along the channels of `layout`; `axis` is ignored.
        layout: one of "default", "channels_first", "channels_last".
        """
        options = _ffi.Concat(
            name=name,
            axis=axis,
            along_channels=along_channels,
            layout=layout,
        )
        return self._add(_ffi.network_concat, self._tensors(tensors, "tensors"), options)

    def split(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        sizes: Sequence[int | Dim] | None = None,
        parts: int = 0,
        axis: int = 0,
    ) -> Tensor:
        """Split into parts; the others are network_layer_output() 1, 2, ...

        x: input.
        name: of the layer.
        sizes: `parts` sizes; None: equal parts.
        parts: number of parts.
        axis: counts from the end if negative.
        """
        options = _ffi.Split(
            name=name,
            sizes=self._dims(sizes, "sizes"),
            parts=parts,
            axis=axis,
        )
        return self._add(_ffi.network_split, self._tensor(x, "x"), options)

    def slice(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        start: int | Dim = 0,
        stop: int | Dim = 0,
        step: int = 0,
        axis: int = 0,
        squeeze: bool = False,
    ) -> Tensor:
        """Part of one axis.

        x: input.
        name: of the layer.
        start: first element.
        stop: one after the last; 0: the end.
        step: Default: 1.
        axis: counts from the end if negative.
        squeeze: a single element, and the axis goes (x[:, 3]).
        """
        options = _ffi.Slice(
            name=name,
            start=self._dim(start, "start"),
            stop=self._dim(stop, "stop"),
            step=step,
            axis=axis,
            squeeze=squeeze,
        )
        return self._add(_ffi.network_slice, self._tensor(x, "x"), options)

    def reshape(self, x: Tensor, dims: Sequence[int | Dim]) -> Tensor:
        """The same elements in another shape; at most one dimension is DIM_INFER.

        x: input.
        dims: `rank` dimensions.
        """
        return self._add(_ffi.network_reshape, self._tensor(x, "x"), self._dims(dims, "dims"))

    def flatten(self, x: Tensor, first: int, last: int) -> Tensor:
        """Axes `first` to `last` become one.

        x: input.
        first: axis, from the end if negative.
        last: axis, from the end if negative.
        """
        return self._add(_ffi.network_flatten, self._tensor(x, "x"), first, last)

    def expand(self, x: Tensor, dims: Sequence[int | Dim]) -> Tensor:
        """Axes of size 1 repeated, and new axes in front; DIM_INFER keeps an axis.

        x: input.
        dims: `rank` dimensions.
        """
        return self._add(_ffi.network_expand, self._tensor(x, "x"), self._dims(dims, "dims"))

    def binary(
        self,
        a: Tensor,
        b: Tensor,
        *,
        name: str | None = None,
        kind: str | int | _ffi.BinaryKind = "add",
        in_place: bool = False,
    ) -> Tensor:
        """Two tensors element by element.

        a: first tensor.
        b: second tensor.
        name: of the layer.
        kind: one of "add", "subtract", "multiply", "divide", "maximum", "minimum".
        in_place: into the first tensor's memory, where the framework can.
        """
        options = _ffi.Binary(
            name=name,
            kind=kind,
            in_place=in_place,
        )
        return self._add(_ffi.network_binary, self._tensor(a, "a"), self._tensor(b, "b"), options)

    def matmul(
        self,
        a: Tensor,
        b: Tensor,
        *,
        name: str | None = None,
        transpose_a: bool = False,
        transpose_b: bool = False,
    ) -> Tensor:
        """Matrix product.

        a: first tensor.
        b: second tensor.
        name: of the layer.
        transpose_a: the first matrix is transposed.
        transpose_b: the second matrix is transposed.
        """
        options = _ffi.Matmul(
            name=name,
            transpose_a=transpose_a,
            transpose_b=transpose_b,
        )
        return self._add(_ffi.network_matmul, self._tensor(a, "a"), self._tensor(b, "b"), options)

    def reduce(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        axes: int | Sequence[int] = (),
        kind: str | int | _ffi.ReduceKind = "max",
        keep_dims: bool = False,
    ) -> Tensor:
        """Reduction.

        x: input.
        name: of the layer.
        axes: `axis_count` axes, from the end if negative.
        kind: one of "max", "mean", "sum", "min", "product".
        keep_dims: keep the axes as 1.
        """
        options = _ffi.Reduce(
            name=name,
            axes=axes,
            kind=kind,
            keep_dims=keep_dims,
        )
        return self._add(_ffi.network_reduce, self._tensor(x, "x"), options)

    def attention(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        *,
        name: str | None = None,
        dropout: float = 0,
        causal: bool = False,
        grouped_query: bool = False,
    ) -> Tensor:
        """Scaled dot-product attention.

        query: [batch, heads, length, width].
        key: [batch, heads, keys, width].
        value: [batch, heads, keys, value width].
        mask: added to the scores, broadcast to [batch, heads, length, keys]; TENSOR_NONE if none.
        name: of the layer.
        dropout: rate of the attention dropout. Default: 0.
        causal: no element attends to a later one.
        grouped_query: fewer key and value heads than query heads.
        """
        options = _ffi.Attention(
            name=name,
            dropout=dropout,
            causal=causal,
            grouped_query=grouped_query,
        )
        return self._add(
            _ffi.network_attention,
            self._tensor(query, "query"),
            self._tensor(key, "key"),
            self._tensor(value, "value"),
            self._optional_tensor(mask, "mask"),
            options,
        )

    def recurrent(
        self,
        x: Tensor,
        *,
        name: str | None = None,
        hidden_size: int = 0,
        layer_count: int = 0,
        projection_size: int = 0,
        dropout: float = 0,
        kind: str | int | _ffi.RecurrentKind = "lstm",
        bidirectional: bool = False,
        batch_first: bool = False,
        no_bias: bool = False,
    ) -> Tensor:
        """Recurrent layers; initial states are zero.

        x: input.
        name: of the layer.
        hidden_size: size of the state.
        layer_count: Default: 1.
        projection_size: LSTM: width of the projected output; 0: none.
        dropout: between layers.
        kind: one of "lstm", "gru", "rnn_tanh", "rnn_relu".
        bidirectional: both directions.
        batch_first: input and output are [batch, length, features].
        no_bias: no biases.
        """
        options = _ffi.Recurrent(
            name=name,
            hidden_size=hidden_size,
            layer_count=layer_count,
            projection_size=projection_size,
            dropout=dropout,
            kind=kind,
            bidirectional=bidirectional,
            batch_first=batch_first,
            no_bias=no_bias,
        )
        return self._add(_ffi.network_recurrent, self._tensor(x, "x"), options)

    def loss(
        self,
        x: Tensor,
        target: Tensor,
        *,
        name: str | None = None,
        kind: str | int | _ffi.LossKind = "cross_entropy",
        reduction: str | int | _ffi.LossReduction = "mean",
    ) -> Tensor:
        """Loss.

        x: prediction.
        target: target.
        name: of the layer.
        kind: one of "cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits", "mean_squared_error",
        "mean_absolute_error", "smooth_l1", "negative_log_likelihood", "kl_divergence", "dice".
        reduction: one of "mean", "sum", "none".
        """
        options = _ffi.Loss(
            name=name,
            kind=kind,
            reduction=reduction,
        )
        return self._add(_ffi.network_loss, self._tensor(x, "x"), self._tensor(target, "target"), options)
