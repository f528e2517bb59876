"""Small Keras networks of the usual kinds, each with the arrays that it is trained on: one function a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import keras
import numpy as np
from keras import layers


@dataclass
class Job:
    """A compiled model and one batch of arrays."""

    model: keras.Model
    x: np.ndarray
    y: np.ndarray


def _images(batch: int, dim: int, channels: int) -> np.ndarray:
    return np.random.default_rng(0).random((batch, dim, dim, channels), dtype=np.float32)


def _classes(batch: int, classes: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, classes, (batch,), dtype=np.int32)


def _compiled(model: keras.Model, loss: str, x: np.ndarray, y: np.ndarray) -> Job:
    model.compile(optimizer="adam", loss=loss)
    return Job(model, x, y)


def unet2d(batch: int, dim: int = 128, filters: int = 16, depth: int = 4) -> Job:
    """2-D U-Net with batch normalisation and transposed convolutions."""

    def block(x: keras.KerasTensor, width: int) -> keras.KerasTensor:
        for _ in range(2):
            x = layers.Conv2D(width, 3, padding="same")(x)
            x = layers.BatchNormalization()(x)
            x = layers.Activation("relu")(x)
        return x

    image = x = keras.Input((dim, dim, 3))
    skips = []
    for level in range(depth):
        x = block(x, filters << level)
        skips.append(x)
        x = layers.MaxPooling2D(2)(x)
    x = block(x, filters << depth)
    for level in reversed(range(depth)):
        x = layers.Conv2DTranspose(filters << level, 2, strides=2)(x)
        x = layers.Concatenate()([x, skips.pop()])
        x = block(x, filters << level)
    mask = layers.Conv2D(1, 1, activation="sigmoid")(x)
    target = np.random.default_rng(1).integers(0, 2, (batch, dim, dim, 1), dtype=np.uint8).astype(np.float32)
    return _compiled(keras.Model(image, mask), "binary_crossentropy", _images(batch, dim, 3), target)


def resnet(batch: int, dim: int = 48, filters: int = 32) -> Job:
    """Residual network of six basic blocks."""

    def block(x: keras.KerasTensor, width: int, stride: int) -> keras.KerasTensor:
        short = x
        y = layers.Conv2D(width, 3, strides=stride, padding="same", use_bias=False)(x)
        y = layers.BatchNormalization()(y)
        y = layers.ReLU()(y)
        y = layers.Conv2D(width, 3, padding="same", use_bias=False)(y)
        y = layers.BatchNormalization()(y)
        if stride > 1 or short.shape[-1] != width:
            short = layers.Conv2D(width, 1, strides=stride, use_bias=False)(short)
            short = layers.BatchNormalization()(short)
        return layers.ReLU()(layers.Add()([y, short]))

    image = x = keras.Input((dim, dim, 3))
    x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    x = layers.ReLU()(layers.BatchNormalization()(x))
    for stage in range(3):
        x = block(x, filters << stage, 2 if stage else 1)
        x = block(x, filters << stage, 1)
    x = layers.GlobalAveragePooling2D()(x)
    scores = layers.Dense(10, activation="softmax")(x)
    return _compiled(
        keras.Model(image, scores), "sparse_categorical_crossentropy", _images(batch, dim, 3), _classes(batch, 10)
    )


def mobilenet(batch: int, dim: int = 64, filters: int = 24) -> Job:
    """Depthwise separable convolutions after MobileNet, seven blocks."""
    image = x = keras.Input((dim, dim, 3))
    x = layers.Conv2D(filters, 3, strides=2, padding="same", use_bias=False)(x)
    x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
    for width, stride in ((2, 1), (4, 2), (4, 1), (8, 2), (8, 1), (16, 2), (16, 1)):
        x = layers.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False)(x)
        x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
        x = layers.Conv2D(filters * width, 1, use_bias=False)(x)
        x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
    x = layers.GlobalAveragePooling2D()(x)
    scores = layers.Dense(10, activation="softmax")(x)
    return _compiled(
        keras.Model(image, scores), "sparse_categorical_crossentropy", _images(batch, dim, 3), _classes(batch, 10)
    )


def _sequence(batch: int, length: int, features: int) -> np.ndarray:
    return np.random.default_rng(0).random((batch, length, features), dtype=np.float32)


def _recurrent(layer: Callable[..., layers.Layer], batch: int, length: int, features: int, width: int) -> Job:
    image = x = keras.Input((length, features))
    x = layer(width, return_sequences=True)(x)
    x = layer(width)(x)
    scores = layers.Dense(10, activation="softmax")(x)
    return _compiled(
        keras.Model(image, scores),
        "sparse_categorical_crossentropy",
        _sequence(batch, length, features),
        _classes(batch, 10),
    )


def lstm(batch: int, length: int = 100, features: int = 64, width: int = 256) -> Job:
    """Two LSTM layers."""
    return _recurrent(layers.LSTM, batch, length, features, width)


def gru(batch: int, length: int = 100, features: int = 64, width: int = 256) -> Job:
    """Two GRU layers."""
    return _recurrent(layers.GRU, batch, length, features, width)


def transformer(batch: int, length: int = 128, width: int = 256, heads: int = 8, blocks: int = 4) -> Job:
    """Encoder of four blocks: attention and a two-layer perceptron, normalised after each sum."""
    sequence = x = keras.Input((length, width))
    for _ in range(blocks):
        y = layers.MultiHeadAttention(heads, width // heads)(x, x)
        x = layers.LayerNormalization()(layers.Add()([x, y]))
        y = layers.Dense(4 * width, activation="gelu")(x)
        y = layers.Dense(width)(y)
        x = layers.LayerNormalization()(layers.Add()([x, y]))
    x = layers.GlobalAveragePooling1D()(x)
    scores = layers.Dense(10, activation="softmax")(x)
    return _compiled(
        keras.Model(sequence, scores),
        "sparse_categorical_crossentropy",
        _sequence(batch, length, width),
        _classes(batch, 10),
    )


NETWORKS: dict[str, tuple[Callable[[int], Job], tuple[int, ...]]] = {
    "unet2d": (unet2d, (4, 12, 32)),
    "resnet": (resnet, (32, 96, 192)),
    "mobilenet": (mobilenet, (32, 96, 192)),
    "lstm": (lstm, (32, 128, 512)),
    "gru": (gru, (32, 128, 512)),
    "transformer": (transformer, (8, 32, 96)),
}
"""Name, function of the batch, and the batches that are measured."""
