"""More Keras networks, some of them of keras.applications, drawn before any was run."""

from __future__ import annotations

from collections.abc import Callable

import keras
from keras import applications, layers
from keras_judged import SPARSE, Tensor, classifier, compiled, integers, normalized, uniform
from keras_networks import Job


def application(make: Callable[..., keras.Model], side: int, optimizer: object) -> Callable[[int], Job]:
    """A network of keras.applications on small images, with scores of ten classes."""

    def network(batch: int) -> Job:
        body = make(weights=None, include_top=False, pooling="avg", input_shape=(side, side, 3))
        return classifier(body.input, body.output, optimizer, batch)

    return network


def lstm_dropout(batch: int) -> Job:
    """Three LSTMs on a long series with dropout between, a number as the answer; RMSprop."""
    series = x = keras.Input((120, 16))
    for width in (128, 128):
        x = layers.Dropout(0.2)(layers.LSTM(width, return_sequences=True)(x))
    x = layers.Dense(1)(layers.LSTM(64)(x))
    return compiled(keras.Model(series, x), "rmsprop", "mse", uniform(batch, 120, 16), uniform(batch, 1))


def gru_tagger(batch: int) -> Job:
    """Embedded words under a bidirectional GRU, a tag for each; Adam."""
    words = keras.Input((100,), dtype="int32")
    x = layers.Embedding(5000, 96)(words)
    x = layers.Bidirectional(layers.GRU(128, return_sequences=True))(x)
    model = keras.Model(words, layers.Dense(20, activation="softmax")(x))
    return compiled(model, "adam", SPARSE, integers(5000, batch, 100), integers(20, batch, 100))


def decoder(batch: int) -> Job:
    """Language model: embedded words under three blocks of causal attention; Adam."""
    words = keras.Input((96,), dtype="int32")
    x = layers.Embedding(3000, 192)(words)
    for _ in range(3):
        y = layers.LayerNormalization()(x)
        x = layers.Add()([x, layers.MultiHeadAttention(4, 48)(y, y, use_causal_mask=True)])
        y = layers.LayerNormalization()(x)
        x = layers.Add()([x, layers.Dense(192)(layers.Dense(768, activation="relu")(y))])
    model = keras.Model(words, layers.Dense(3000, activation="softmax")(x))
    return compiled(model, "adam", SPARSE, integers(3000, batch, 96), integers(3000, batch, 96))


def unet3d(batch: int) -> Job:
    """3-D U-Net of two levels without normalisation; SGD with momentum."""

    def block(x: Tensor, width: int) -> Tensor:
        for _ in range(2):
            x = layers.Conv3D(width, 3, padding="same", activation="relu")(x)
        return x

    image = keras.Input((40, 40, 40, 1))
    first = block(image, 16)
    second = block(layers.MaxPooling3D(2)(first), 32)
    x = block(layers.MaxPooling3D(2)(second), 64)
    x = block(layers.Concatenate()([layers.UpSampling3D(2)(x), second]), 32)
    x = block(layers.Concatenate()([layers.UpSampling3D(2)(x), first]), 16)
    model = keras.Model(image, layers.Conv3D(1, 1, activation="sigmoid")(x))
    optimizer = keras.optimizers.SGD(0.01, momentum=0.9)
    target = integers(2, batch, 40, 40, 40, 1).astype("float32")
    return compiled(model, optimizer, "binary_crossentropy", uniform(batch, 40, 40, 40, 1), target)


def upsampling(batch: int) -> Job:
    """Autoencoder with pooling, repetition and batch normalisation; Adam."""
    image = x = keras.Input((80, 80, 3))
    for width in (32, 48, 64):
        x = layers.MaxPooling2D(2)(normalized(layers.Conv2D(width, 3, padding="same")(x)))
    for width in (64, 48, 32):
        x = layers.UpSampling2D(2)(normalized(layers.Conv2D(width, 3, padding="same")(x)))
    x = layers.Conv2D(3, 3, padding="same")(x)
    return compiled(keras.Model(image, x), "adam", "mse", uniform(batch, 80, 80, 3), uniform(batch, 80, 80, 3))


def temporal(batch: int) -> Job:
    """Dilated causal convolutions on a series with residual sums; Adam."""
    series = keras.Input((512, 8))
    x = layers.Conv1D(64, 1)(series)
    for level in range(5):
        y = layers.Conv1D(64, 3, padding="causal", dilation_rate=1 << level, activation="relu")(x)
        y = layers.Dropout(0.1)(layers.LayerNormalization()(y))
        x = layers.Add()([x, y])
    return classifier(series, layers.GlobalAveragePooling1D()(x), "adam", batch)


def mixer(batch: int) -> Job:
    """Perceptrons over patches and over channels in turn; AdamW."""
    image = keras.Input((64, 64, 3))
    x = layers.Reshape((64, 128))(layers.Conv2D(128, 8, strides=8)(image))
    for _ in range(4):
        y = layers.Permute((2, 1))(layers.LayerNormalization()(x))
        y = layers.Dense(64)(layers.Dense(128, activation="gelu")(y))
        x = layers.Add()([x, layers.Permute((2, 1))(y)])
        y = layers.Dense(512, activation="gelu")(layers.LayerNormalization()(x))
        x = layers.Add()([x, layers.Dense(128)(y)])
    return classifier(image, layers.GlobalAveragePooling1D()(x), "adamw", batch)


def segmentation(batch: int) -> Job:
    """Dilated convolutions joined and resized to the image, a class for each pixel; SGD."""
    image = x = keras.Input((96, 96, 3))
    for width, stride in ((24, 2), (48, 2), (96, 1)):
        x = normalized(layers.Conv2D(width, 3, strides=stride, padding="same", use_bias=False)(x))
    branches = [layers.Conv2D(48, 1, activation="relu")(x)]
    branches += [
        layers.Conv2D(48, 3, dilation_rate=rate, padding="same", activation="relu")(x) for rate in (2, 4, 8)
    ]
    x = layers.Conv2D(6, 1)(normalized(layers.Conv2D(64, 1)(layers.Concatenate()(branches))))
    x = layers.Activation("softmax")(layers.UpSampling2D(4, interpolation="bilinear")(x))
    return compiled(keras.Model(image, x), "sgd", SPARSE, uniform(batch, 96, 96, 3), integers(6, batch, 96, 96))


def regression(batch: int) -> Job:
    """Five wide layers with swish; Adam."""
    row = x = keras.Input((256,))
    for width in (1024, 1024, 512, 512, 256):
        x = layers.Dense(width, activation="swish")(x)
    return compiled(keras.Model(row, layers.Dense(8)(x)), "adam", "mse", uniform(batch, 256), uniform(batch, 8))


NETWORKS: dict[str, tuple[Callable[[int], Job], tuple[int, ...]]] = {
    "mobilenetv2": (application(applications.MobileNetV2, 96, "adam"), (16, 64)),
    "efficientnetb0": (application(applications.EfficientNetB0, 64, "rmsprop"), (16, 64)),
    "resnet50v2": (application(applications.ResNet50V2, 64, "sgd"), (16, 64)),
    "densenet121": (application(applications.DenseNet121, 64, "sgd"), (16, 64)),
    "mobilenetv3": (application(applications.MobileNetV3Small, 96, "adamw"), (32, 128)),
    "lstmdropout": (lstm_dropout, (64, 512)),
    "grutagger": (gru_tagger, (32, 256)),
    "decoder": (decoder, (8, 48)),
    "unet3d": (unet3d, (2, 8)),
    "upsampling": (upsampling, (16, 64)),
    "temporal": (temporal, (32, 256)),
    "mixer": (mixer, (32, 192)),
    "segmentation": (segmentation, (16, 96)),
    "regression": (regression, (256, 8192)),
}
"""Name, function of the batch, and the batches that are measured."""
