"""Keras networks to judge by: none was looked at while the rules of lib/frameworks/tensorflow were found.

They take other layers, losses and optimizers than those of keras_networks.py.
"""

from __future__ import annotations

from collections.abc import Callable

import keras
import numpy as np
from keras import layers
from keras_networks import Job

CLASSES = 10
SPARSE = "sparse_categorical_crossentropy"
Tensor = keras.KerasTensor


def uniform(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).random(shape, dtype=np.float32)


def integers(below: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, below, shape, dtype=np.int32)


def compiled(model: keras.Model, optimizer: object, loss: str, x: np.ndarray, y: np.ndarray) -> Job:
    model.compile(optimizer=optimizer, loss=loss)
    return Job(model, x, y)


def classifier(image: Tensor, x: Tensor, optimizer: object, batch: int) -> Job:
    """Scores of ten classes from the features `x`."""
    model = keras.Model(image, layers.Dense(CLASSES, activation="softmax")(x))
    return compiled(model, optimizer, SPARSE, uniform(batch, *image.shape[1:]), integers(CLASSES, batch))


def normalized(x: Tensor, activation: str = "relu") -> Tensor:
    return layers.Activation(activation)(layers.BatchNormalization()(x))


def densenet(batch: int) -> Job:
    """Three dense blocks of five layers on 32 x 32, each with a bottleneck; SGD with momentum."""
    image = x = keras.Input((32, 32, 3))
    x = layers.Conv2D(48, 3, padding="same", use_bias=False)(x)
    for block in range(3):
        for _ in range(5):
            y = layers.Conv2D(96, 1, use_bias=False)(normalized(x))
            y = layers.Conv2D(24, 3, padding="same", use_bias=False)(normalized(y))
            x = layers.Concatenate()([x, y])
        if block < 2:
            x = layers.Conv2D(x.shape[-1] // 2, 1, use_bias=False)(normalized(x))
            x = layers.AveragePooling2D(2)(x)
    x = layers.GlobalAveragePooling2D()(normalized(x))
    return classifier(image, x, keras.optimizers.SGD(0.1, momentum=0.9), batch)


def efficientnet(batch: int) -> Job:
    """Inverted residuals with squeeze and excitation, swish; RMSprop."""

    def block(x: Tensor, width: int, stride: int) -> Tensor:
        inner = 4 * x.shape[-1]
        y = normalized(layers.Conv2D(inner, 1, use_bias=False)(x), "swish")
        y = layers.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False)(y)
        y = normalized(y, "swish")
        scale = layers.GlobalAveragePooling2D(keepdims=True)(y)
        scale = layers.Conv2D(inner // 16, 1, activation="swish")(scale)
        y = layers.Multiply()([y, layers.Conv2D(inner, 1, activation="sigmoid")(scale)])
        y = layers.BatchNormalization()(layers.Conv2D(width, 1, use_bias=False)(y))
        return layers.Add()([x, layers.Dropout(0.2)(y)]) if x.shape == y.shape else y

    image = x = keras.Input((64, 64, 3))
    x = normalized(layers.Conv2D(24, 3, strides=2, padding="same", use_bias=False)(x), "swish")
    for width, stride in ((24, 1), (32, 2), (32, 1), (64, 2), (64, 1), (96, 2)):
        x = block(x, width, stride)
    x = normalized(layers.Conv2D(256, 1, use_bias=False)(x), "swish")
    x = layers.Dropout(0.2)(layers.GlobalAveragePooling2D()(x))
    return classifier(image, x, "rmsprop", batch)


def text_cnn(batch: int) -> Job:
    """Embedded words under three widths of one-dimensional convolutions; Adam."""
    words = keras.Input((256,), dtype="int32")
    x = layers.Embedding(10000, 128)(words)
    y = [layers.GlobalMaxPooling1D()(layers.Conv1D(128, width, activation="relu")(x)) for width in (3, 4, 5)]
    x = layers.Dropout(0.5)(layers.Concatenate()(y))
    model = keras.Model(words, layers.Dense(1, activation="sigmoid")(x))
    target = integers(2, batch, 1).astype(np.float32)
    return compiled(model, "adam", "binary_crossentropy", integers(10000, batch, 256), target)


def bidirectional(batch: int) -> Job:
    """Embedded words under two bidirectional LSTMs; Adam."""
    words = keras.Input((80,), dtype="int32")
    x = layers.Embedding(8000, 128)(words)
    x = layers.Bidirectional(layers.LSTM(128, return_sequences=True))(x)
    x = layers.Dropout(0.3)(x)
    x = layers.Bidirectional(layers.LSTM(64))(x)
    x = layers.Dense(64, activation="relu")(x)
    model = keras.Model(words, layers.Dense(1, activation="sigmoid")(x))
    target = integers(2, batch, 1).astype(np.float32)
    return compiled(model, "adam", "binary_crossentropy", integers(8000, batch, 80), target)


def language_model(batch: int) -> Job:
    """Embedded words, a GRU, and scores of the next word at each place; Adam."""
    words = keras.Input((60,), dtype="int32")
    x = layers.Embedding(4000, 192)(words)
    x = layers.GRU(256, return_sequences=True)(x)
    model = keras.Model(words, layers.Dense(4000, activation="softmax")(x))
    return compiled(model, "adam", SPARSE, integers(4000, batch, 60), integers(4000, batch, 60))


def vision_transformer(batch: int) -> Job:
    """Patches of 8 x 8, normalised before attention and perceptron, with dropout; AdamW."""
    image = keras.Input((64, 64, 3))
    x = layers.Conv2D(192, 8, strides=8)(image)
    x = layers.Reshape((64, 192))(x)
    for _ in range(4):
        y = layers.LayerNormalization(epsilon=1e-6)(x)
        y = layers.MultiHeadAttention(6, 32, dropout=0.1)(y, y)
        x = layers.Add()([x, y])
        y = layers.LayerNormalization(epsilon=1e-6)(x)
        y = layers.Dropout(0.1)(layers.Dense(768, activation="gelu")(y))
        x = layers.Add()([x, layers.Dropout(0.1)(layers.Dense(192)(y))])
    x = layers.GlobalAveragePooling1D()(layers.LayerNormalization(epsilon=1e-6)(x))
    return classifier(image, x, keras.optimizers.AdamW(1e-3), batch)


def resnet3d(batch: int) -> Job:
    """Residual network on volumes of 32 voxels' side; SGD."""

    def block(x: Tensor, width: int, stride: int) -> Tensor:
        y = normalized(layers.Conv3D(width, 3, strides=stride, padding="same", use_bias=False)(x))
        y = layers.BatchNormalization()(layers.Conv3D(width, 3, padding="same", use_bias=False)(y))
        if stride > 1:
            x = layers.BatchNormalization()(layers.Conv3D(width, 1, strides=stride, use_bias=False)(x))
        return layers.Activation("relu")(layers.Add()([x, y]))

    image = x = keras.Input((32, 32, 32, 1))
    x = normalized(layers.Conv3D(16, 3, padding="same", use_bias=False)(x))
    for width, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1)):
        x = block(x, width, stride)
    return classifier(image, layers.GlobalAveragePooling3D()(x), "sgd", batch)


def autoencoder(batch: int) -> Job:
    """Strided convolutions down to a code of 128 numbers and transposed ones up again, LeakyReLU; Adam."""
    image = x = keras.Input((96, 96, 3))
    for width in (32, 64, 128):
        x = layers.LeakyReLU(0.2)(layers.Conv2D(width, 4, strides=2, padding="same")(x))
    shape = x.shape[1:]
    x = layers.Dense(128)(layers.Flatten()(x))
    x = layers.Reshape(shape)(layers.Dense(int(np.prod(shape)))(x))
    for width in (64, 32):
        x = layers.LeakyReLU(0.2)(layers.Conv2DTranspose(width, 4, strides=2, padding="same")(x))
    x = layers.Conv2DTranspose(3, 4, strides=2, padding="same", activation="sigmoid")(x)
    return compiled(keras.Model(image, x), "adam", "mse", uniform(batch, 96, 96, 3), uniform(batch, 96, 96, 3))


def xception(batch: int) -> Job:
    """Separable convolutions with residual sums and overlapping pooling; Adam."""
    image = x = keras.Input((64, 64, 3))
    x = normalized(layers.Conv2D(32, 3, strides=2, padding="same", use_bias=False)(x))
    for width in (64, 128, 192):
        short = layers.BatchNormalization()(layers.Conv2D(width, 1, strides=2, use_bias=False)(x))
        x = layers.SeparableConv2D(width, 3, padding="same", use_bias=False)(x)
        x = layers.SeparableConv2D(width, 3, padding="same", use_bias=False)(normalized(x))
        x = layers.MaxPooling2D(3, strides=2, padding="same")(layers.BatchNormalization()(x))
        x = layers.Activation("relu")(layers.Add()([x, short]))
    return classifier(image, layers.GlobalAveragePooling2D()(x), "adam", batch)


def perceptron(batch: int) -> Job:
    """Four wide layers with batch normalisation and dropout; AdamW."""
    image = x = keras.Input((784,))
    for width in (2048, 2048, 1024, 1024):
        x = layers.Dropout(0.3)(normalized(layers.Dense(width, use_bias=False)(x)))
    return classifier(image, x, "adamw", batch)


def vgg(batch: int) -> Job:
    """Plain convolutions, pooling, and two wide layers with dropout; Adam."""
    image = x = keras.Input((64, 64, 3))
    for width, depth in ((32, 2), (64, 2), (128, 2)):
        for _ in range(depth):
            x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        x = layers.MaxPooling2D(2)(x)
    x = layers.Flatten()(x)
    for _ in range(2):
        x = layers.Dropout(0.5)(layers.Dense(1024, activation="relu")(x))
    return classifier(image, x, "adam", batch)


def inception(batch: int) -> Job:
    """Blocks of four branches that are joined, one of them pooling; Adam."""

    def convolution(x: Tensor, width: int, kernel: int) -> Tensor:
        return layers.Conv2D(width, kernel, padding="same", activation="relu")(x)

    image = x = keras.Input((56, 56, 3))
    x = convolution(x, 32, 3)
    for width in (32, 48, 64):
        branches = [
            convolution(x, width, 1),
            convolution(convolution(x, width, 1), width, 3),
            convolution(convolution(convolution(x, width // 2, 1), width, 3), width, 3),
            convolution(layers.AveragePooling2D(3, strides=1, padding="same")(x), width, 1),
        ]
        x = layers.MaxPooling2D(2)(layers.BatchNormalization()(layers.Concatenate()(branches)))
    return classifier(image, layers.GlobalMaxPooling2D()(x), "adam", batch)


NETWORKS: dict[str, tuple[Callable[[int], Job], tuple[int, ...]]] = {
    "densenet": (densenet, (48, 192)),
    "efficientnet": (efficientnet, (32, 128)),
    "textcnn": (text_cnn, (128, 512)),
    "bidirectional": (bidirectional, (64, 384)),
    "languagemodel": (language_model, (16, 96)),
    "visiontransformer": (vision_transformer, (32, 128)),
    "resnet3d": (resnet3d, (8, 32)),
    "autoencoder": (autoencoder, (32, 160)),
    "xception": (xception, (64, 256)),
    "perceptron": (perceptron, (256, 2048)),
    "vgg": (vgg, (32, 128)),
    "inception": (inception, (24, 96)),
}
"""Name, function of the batch, and the batches that are measured."""
