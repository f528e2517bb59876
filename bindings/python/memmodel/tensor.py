"""What a network's methods take and give: tensors, and dimensions that may be symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from memmodel import _ffi

if TYPE_CHECKING:
    from memmodel.network import Network


class Dim:
    """A dimension that is a symbol or an expression of symbols. `2 * batch`, `dim // 16`, `dim + 1` are dimensions too.

    >>> batch = memmodel.Network().symbol("batch"); batch * 2
    <Dim 2*batch>
    """

    __slots__ = ("code", "network")

    def __init__(self, network: Network, code: int) -> None:
        self.network, self.code = network, code

    @property
    def text(self) -> str:
        """The expression, simplified."""
        return str(self.network._call(_ffi.network_dim_to_text, self.code))

    def _with(self, form: str, first: int | Dim, second: int | Dim) -> int | Dim:
        for operand in (first, second):
            if isinstance(operand, Dim) and operand.network is not self.network:
                raise ValueError(f"{operand!r} is of another network")
            if not isinstance(operand, (int, Dim)):
                return NotImplemented
        return self.network.expression(form.format(_operand(first), _operand(second)))

    def __add__(self, other: int | Dim) -> int | Dim:
        return self._with("{} + {}", self, other)

    def __radd__(self, other: int) -> int | Dim:
        return self._with("{} + {}", other, self)

    def __sub__(self, other: int | Dim) -> int | Dim:
        return self._with("{} - {}", self, other)

    def __rsub__(self, other: int) -> int | Dim:
        return self._with("{} - {}", other, self)

    def __mul__(self, other: int | Dim) -> int | Dim:
        return self._with("{} * {}", self, other)

    def __rmul__(self, other: int) -> int | Dim:
        return self._with("{} * {}", other, self)

    def __floordiv__(self, other: int | Dim) -> int | Dim:
        return self._with("floor({} / {})", self, other)

    def __rfloordiv__(self, other: int) -> int | Dim:
        return self._with("floor({} / {})", other, self)

    def __truediv__(self, other: int | Dim) -> int | Dim:
        return self._with("{} / {}", self, other)

    def __pow__(self, power: int) -> int | Dim:
        return self._with("{}^{}", self, power)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and other.network is self.network and other.code == self.code

    def __hash__(self) -> int:
        return hash((id(self.network), self.code))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Dim {self.text}>"


def _operand(value: int | Dim) -> str:
    return f"({value})"


class Tensor:
    """An output of a layer. `+ - * / @` add layers to its network.

    >>> y = x + net.conv(x, filters=8, kernel=3, auto_pad="same")
    """

    __slots__ = ("code", "network")

    def __init__(self, network: Network, code: int) -> None:
        self.network, self.code = network, code

    @property
    def shape(self) -> tuple[int | Dim, ...]:
        return self.network._shape(self)[0]

    @property
    def dtype(self) -> str:
        """Type of the elements, such as "float32"."""
        return self.network._shape(self)[1].name.lower()

    def layer_output(self, index: int) -> Tensor:
        """A further output of the layer that made this one, such as the second part of a split."""
        return self.network.layer_output(self, index)

    def __add__(self, other: Tensor) -> Tensor:
        return self._binary(other, "add")

    def __sub__(self, other: Tensor) -> Tensor:
        return self._binary(other, "subtract")

    def __mul__(self, other: Tensor) -> Tensor:
        return self._binary(other, "multiply")

    def __truediv__(self, other: Tensor) -> Tensor:
        return self._binary(other, "divide")

    def __matmul__(self, other: Tensor) -> Tensor:
        return self.network.matmul(self, other) if isinstance(other, Tensor) else NotImplemented

    def _binary(self, other: Tensor, kind: str) -> Tensor:
        return self.network.binary(self, other, kind=kind) if isinstance(other, Tensor) else NotImplemented

    def __repr__(self) -> str:
        shape, dtype = self.network._shape(self)
        return f"<Tensor {dtype.name.lower()} [{', '.join(map(str, shape))}]>"


Size: TypeAlias = int | Dim
Dtype: TypeAlias = str | int | _ffi.Dtype
