"""Three training steps of the 3D U-Net in Keras on TensorFlow, CPU: the job whose peak memory the case study predicts.

The topology is that of IntelAI/unet (3D/model.py): channels last, transposed convolutions in the decoder, batch
normalisation, one sigmoid mask, Adam with its defaults. The loss is binary cross-entropy, one of the two parts of the
loss published with that network; random numbers stand for the images and masks. One batch and three epochs make
exactly three steps, as the peak still grows after the first one.

oneDNN's kernels are asked for by name, as the published study ran Intel's TensorFlow: without it TensorFlow chooses by
the processor, and its own kernels need up to twice the memory.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

import keras
import numpy as np
from keras import layers

STEPS = 3


def convolution_block(x: keras.KerasTensor, filters: int) -> keras.KerasTensor:
    """Twice: convolution 3x3x3 with bias, batch normalisation, ReLU."""
    for _ in range(2):
        x = layers.Conv3D(filters, 3, padding="same", kernel_initializer="he_uniform")(x)
        x = layers.BatchNormalization()(x)
        x = layers.Activation("relu")(x)
    return x


def unet3d(dim: int, filters: int = 16, depth: int = 4) -> keras.Model:
    """3D U-Net for images of dim x dim x dim x 1; dim is a multiple of 2**depth."""
    image = x = keras.Input((dim, dim, dim, 1))
    skips = []
    for level in range(depth):
        x = convolution_block(x, filters * 2**level)
        skips.append(x)
        x = layers.MaxPooling3D(2)(x)
    x = convolution_block(x, filters * 2**depth)
    for level in reversed(range(depth)):
        x = layers.Conv3DTranspose(filters * 2**level, 2, strides=2)(x)
        x = layers.Concatenate()([x, skips.pop()])
        x = convolution_block(x, filters * 2**level)
    mask = layers.Conv3D(1, 1, activation="sigmoid")(x)
    return keras.Model(image, mask)


def train(dim: int, batch: int, filters: int) -> None:
    random = np.random.default_rng(0)
    shape = (batch, dim, dim, dim, 1)
    x = random.random(shape, dtype=np.float32)
    y = random.integers(0, 2, shape, dtype=np.uint8).astype(np.float32)
    model = unet3d(dim, filters)
    model.compile(optimizer="adam", loss="binary_crossentropy")
    model.fit(x, y, batch_size=batch, epochs=STEPS, shuffle=False, verbose=0)


def main() -> None:
    parser = argparse.ArgumentParser(description="Three training steps of the 3D U-Net in Keras on random input.")
    parser.add_argument("--dim", type=int, default=32, help="voxels along each edge, a multiple of 16 (default: 32)")
    parser.add_argument("--batch", type=int, default=1, help="images in the batch (default: 1)")
    parser.add_argument("--filters", type=int, default=16, help="filters of the first block (default: 16)")
    options = parser.parse_args()
    train(options.dim, options.batch, options.filters)


if __name__ == "__main__":
    main()
