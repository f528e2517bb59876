"""Keras networks to judge by once more: drawn with those of keras_zoo.py, compared when those had mended the rules."""

from __future__ import annotations

from collections.abc import Callable

import keras
from keras import applications, layers
from keras_judged import SPARSE, Tensor, classifier, compiled, integers, normalized, uniform
from keras_networks import Job
from keras_zoo import application


def convnext(batch: int) -> Job:
    """Depthwise convolutions of seven, layer normalisation and wide perceptrons for each pixel; AdamW."""
    image = keras.Input((64, 64, 3))
    x = layers.LayerNormalization()(layers.Conv2D(48, 4, strides=4)(image))
    for width in (48, 96):
        if width > 48:
            x = layers.Conv2D(width, 2, strides=2)(layers.LayerNormalization()(x))
        for _ in range(3):
            y = layers.LayerNormalization()(layers.DepthwiseConv2D(7, padding="same")(x))
            x = layers.Add()([x, layers.Dense(width)(layers.Dense(4 * width, activation="gelu")(y))])
    return classifier(image, layers.GlobalAveragePooling2D()(x), "adamw", batch)


def squeezed(batch: int) -> Job:
    """Residual blocks whose channels are weighed by what a pool of them says; Adam."""
    image = x = keras.Input((48, 48, 3))
    x = normalized(layers.Conv2D(48, 3, padding="same", use_bias=False)(x))
    for stage, width in enumerate((48, 96, 192)):
        for block in range(2):
            stride = 2 if stage and not block else 1
            y = normalized(layers.Conv2D(width, 3, strides=stride, padding="same", use_bias=False)(x))
            y = layers.BatchNormalization()(layers.Conv2D(width, 3, padding="same", use_bias=False)(y))
            scale = layers.Dense(width // 8, activation="relu")(layers.GlobalAveragePooling2D()(y))
            scale = layers.Reshape((1, 1, width))(layers.Dense(width, activation="sigmoid")(scale))
            if stride > 1:
                x = layers.BatchNormalization()(layers.Conv2D(width, 1, strides=2, use_bias=False)(x))
            x = layers.Activation("relu")(layers.Add()([x, layers.Multiply()([y, scale])]))
    return classifier(image, layers.GlobalAveragePooling2D()(x), "adam", batch)


def sentiment(batch: int) -> Job:
    """Embedded words under two LSTMs; SGD with momentum."""
    words = keras.Input((150,), dtype="int32")
    x = layers.Embedding(12000, 64)(words)
    x = layers.LSTM(96)(layers.LSTM(96, return_sequences=True)(x))
    model = keras.Model(words, layers.Dense(1, activation="sigmoid")(layers.Dropout(0.4)(x)))
    target = integers(2, batch, 1).astype("float32")
    optimizer = keras.optimizers.SGD(0.01, momentum=0.9)
    return compiled(model, optimizer, "binary_crossentropy", integers(12000, batch, 150), target)


def audio(batch: int) -> Job:
    """Strided one-dimensional convolutions and a GRU over what they leave; Adam."""
    wave = x = keras.Input((4096, 1))
    for width in (32, 64, 96):
        x = normalized(layers.Conv1D(width, 9, strides=4, padding="same", use_bias=False)(x))
    return classifier(wave, layers.GRU(128)(x), "adam", batch)


def translation(batch: int) -> Job:
    """An encoder's and a decoder's block of attention, the second reading both; Adam."""

    def attend(x: Tensor, y: Tensor, causal: bool = False) -> Tensor:
        return layers.LayerNormalization()(
            layers.Add()([x, layers.MultiHeadAttention(8, 24)(x, y, use_causal_mask=causal)])
        )

    def think(x: Tensor) -> Tensor:
        y = layers.Dropout(0.1)(layers.Dense(192)(layers.Dense(512, activation="relu")(x)))
        return layers.LayerNormalization()(layers.Add()([x, y]))

    words = keras.Input((80,), dtype="int32")
    x = layers.Embedding(6000, 192)(words)
    source = think(attend(think(attend(x, x)), x))
    y = think(attend(attend(x, x, causal=True), source))
    model = keras.Model(words, layers.Dense(1000, activation="softmax")(y))
    return compiled(model, "adam", SPARSE, integers(6000, batch, 80), integers(1000, batch, 80))


def volumes(batch: int) -> Job:
    """Classifier of volumes: convolutions, batch normalisation, pooling, ELU; RMSprop."""
    image = x = keras.Input((36, 36, 36, 2))
    for width in (16, 32, 64):
        x = normalized(layers.Conv3D(width, 3, padding="same")(x), "elu")
        x = layers.AveragePooling3D(2)(x)
    x = layers.Dropout(0.3)(layers.Dense(256, activation="relu")(layers.Flatten()(x)))
    return classifier(image, x, "rmsprop", batch)


def nested(batch: int) -> Job:
    """Nested 2-D U-Net of three levels; Adam."""

    def block(x: Tensor, width: int) -> Tensor:
        return normalized(layers.Conv2D(width, 3, padding="same", use_bias=False)(x))

    def up(x: Tensor, *others: Tensor) -> Tensor:
        x = layers.Conv2DTranspose(others[0].shape[-1], 2, strides=2)(x)
        return block(layers.Concatenate()([*others, x]), others[0].shape[-1])

    image = keras.Input((96, 96, 3))
    top = block(image, 24)
    middle = block(layers.MaxPooling2D(2)(top), 48)
    bottom = block(layers.MaxPooling2D(2)(middle), 96)
    first = up(middle, top)
    x = up(up(bottom, middle), top, first)
    model = keras.Model(image, layers.Conv2D(1, 1, activation="sigmoid")(x))
    target = integers(2, batch, 96, 96, 1).astype("float32")
    return compiled(model, "adam", "binary_crossentropy", uniform(batch, 96, 96, 3), target)


def resolution(batch: int) -> Job:
    """Images made three times as large by convolutions, residual sums and a transposed one; Adam."""
    image = keras.Input((32, 32, 3))
    x = first = layers.Conv2D(48, 3, padding="same")(image)
    for _ in range(4):
        y = layers.Conv2D(48, 3, padding="same", activation="relu")(x)
        x = layers.Add()([x, layers.Conv2D(48, 3, padding="same")(y)])
    x = layers.LeakyReLU(0.2)(layers.Conv2DTranspose(32, 3, strides=3)(layers.Add()([x, first])))
    model = keras.Model(image, layers.Conv2D(3, 3, padding="same")(x))
    return compiled(model, "adam", "mse", uniform(batch, 32, 32, 3), uniform(batch, 96, 96, 3))


NETWORKS: dict[str, tuple[Callable[[int], Job], tuple[int, ...]]] = {
    "resnet50": (application(applications.ResNet50, 96, "adam"), (8, 32)),
    "mobilenet": (application(applications.MobileNet, 96, "rmsprop"), (16, 96)),
    "inceptionv3": (application(applications.InceptionV3, 96, "sgd"), (16, 64)),
    "efficientnetv2": (application(applications.EfficientNetV2B0, 64, "adam"), (16, 64)),
    "vgg16": (application(applications.VGG16, 64, "sgd"), (16, 96)),
    "convnext": (convnext, (16, 96)),
    "squeezed": (squeezed, (32, 128)),
    "sentiment": (sentiment, (64, 384)),
    "audio": (audio, (32, 192)),
    "translation": (translation, (16, 96)),
    "volumes": (volumes, (4, 24)),
    "nested": (nested, (8, 48)),
    "resolution": (resolution, (16, 96)),
}
"""Name, function of the batch, and the batches that are measured."""
