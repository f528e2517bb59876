"""Networks of usual widths and odd sizes, for float32 and bfloat16 on processors with AVX-512 and AMX.

FIRST was looked at when rules were written; JUDGED was run when they were done.
"""

from __future__ import annotations

from functools import partial

import torch
from models import Inputs, Model, both_tokens, hugging_face, image, monai, tokens
from new_models import given
from torch import Tensor, nn
from torch.nn import functional


def conv_block(dims: int, wide: int, out: int, norm: str = "batch") -> nn.Module:
    convolution = getattr(nn, f"Conv{dims}d")
    norms = {"batch": getattr(nn, f"BatchNorm{dims}d"), "instance": getattr(nn, f"InstanceNorm{dims}d")}
    make = norms.get(norm, partial(nn.GroupNorm, 4))
    return nn.Sequential(
        convolution(wide, out, 3, padding=1), make(out), nn.ReLU(inplace=True),
        convolution(out, out, 3, padding=1), make(out), nn.ReLU(inplace=True),
    )  # fmt: skip


class UNet(nn.Module):
    def __init__(self, dims: int, channels: int, widths: tuple[int, ...], norm: str = "batch", out: int = 3) -> None:
        super().__init__()
        self.down, self.up, self.join = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for width in widths:
            self.down.append(conv_block(dims, channels, width, norm))
            channels = width
        for low, high in zip(widths[::-1], widths[-2::-1], strict=False):
            self.up.append(getattr(nn, f"ConvTranspose{dims}d")(low, high, 2, stride=2))
            self.join.append(conv_block(dims, 2 * high, high, norm))
        self.pool = getattr(nn, f"MaxPool{dims}d")(2)
        self.head = getattr(nn, f"Conv{dims}d")(widths[0], out, 1)

    def forward(self, x: Tensor) -> Tensor:
        skips = []
        for index, block in enumerate(self.down):
            x = block(x if index == 0 else self.pool(x))
            skips.append(x)
        for up, join, skip in zip(self.up, self.join, skips[-2::-1], strict=True):
            x = join(torch.cat([up(x), skip], dim=1))
        return self.head(x)


class Block(nn.Module):
    """A residual block of two convolutions, or three of a bottleneck; depthwise and squeezed if so wanted."""

    def __init__(self, wide: int, out: int, stride: int = 1, groups: int = 1, expand: int = 1) -> None:
        super().__init__()
        middle = out * expand
        self.body = nn.Sequential(
            nn.Conv2d(wide, middle, 1, bias=False), nn.BatchNorm2d(middle), nn.SiLU(),
            nn.Conv2d(middle, middle, 3, stride, 1, groups=middle if groups < 0 else groups, bias=False),
            nn.BatchNorm2d(middle), nn.SiLU(), nn.Conv2d(middle, out, 1, bias=False), nn.BatchNorm2d(out),
        )  # fmt: skip
        same = wide == out and stride == 1
        self.short = nn.Identity() if same else nn.Sequential(nn.Conv2d(wide, out, 1, stride), nn.BatchNorm2d(out))

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.body(x) + self.short(x))


def residual(widths: tuple[int, ...], groups: int = 1, expand: int = 1, classes: int = 10) -> nn.Module:
    blocks: list[nn.Module] = [nn.Conv2d(3, widths[0], 7, 2, 3), nn.BatchNorm2d(widths[0]), nn.ReLU(True)]
    for wide, out in zip(widths, widths[1:], strict=False):
        blocks += [Block(wide, out, 2, groups, expand), Block(out, out, 1, groups, expand)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(widths[-1], classes))


class Vit(nn.Module):
    def __init__(self, size: int, patch: int, width: int, heads: int, depth: int, own: bool = False) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.place = nn.Parameter(torch.zeros(1, (size // patch) ** 2 + 1, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 * depth + 1))
        self.qkv = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(depth))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.mlp = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)) for _ in range(depth)
        )
        self.head, self.heads, self.own = nn.Linear(width, 11), heads, own

    def attend(self, x: Tensor, index: int) -> Tensor:
        q, k, v = self.qkv[index](x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        if self.own:
            y = functional.softmax(q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5, dim=-1) @ v
        else:
            y = functional.scaled_dot_product_attention(q, k, v)
        return self.out[index](y.transpose(1, 2).flatten(2))

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.place
        for index, mlp in enumerate(self.mlp):
            x = x + self.attend(self.norms[2 * index](x), index)
            x = x + mlp(self.norms[2 * index + 1](x))
        return self.head(self.norms[-1](x)[:, 0])


class Spectral(nn.Module):
    """Fourier layer. Li et al., 2021."""

    def __init__(self, width: int, modes: int) -> None:
        super().__init__()
        self.modes = modes
        self.weight = nn.Parameter(torch.rand(2, width, width, modes, modes, 2) / width**2)
        self.side = nn.Conv2d(width, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        height, width, modes = x.shape[-2], x.shape[-1], self.modes
        found = torch.fft.rfft2(x.float())
        weight = torch.view_as_complex(self.weight.float())
        out = torch.zeros(x.shape[0], x.shape[1], height, width // 2 + 1, dtype=torch.cfloat)
        out[:, :, :modes, :modes] = torch.einsum("bixy,ioxy->boxy", found[:, :, :modes, :modes], weight[0])
        out[:, :, -modes:, :modes] = torch.einsum("bixy,ioxy->boxy", found[:, :, -modes:, :modes], weight[1])
        return functional.gelu(torch.fft.irfft2(out, s=(height, width)).to(x.dtype) + self.side(x))


def fourier(width: int, modes: int) -> nn.Module:
    layers = [Spectral(width, modes) for _ in range(3)]
    return nn.Sequential(nn.Conv2d(2, width, 1), *layers, nn.Conv2d(width, 1, 1))


class Experts(nn.Module):
    """A hand-written mixture: each expert gets the tokens that chose it."""

    def __init__(self, width: int, count: int, chosen: int, by_where: bool) -> None:
        super().__init__()
        self.table, self.gate = nn.Embedding(500, width), nn.Linear(width, count, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 3 * width), nn.SiLU(), nn.Linear(3 * width, width)) for _ in range(count)
        )
        self.head, self.chosen, self.by_where = nn.Linear(width, 500), chosen, by_where

    def forward(self, input_ids: Tensor) -> Tensor:
        x = self.table(input_ids).flatten(0, 1)
        weights, experts = torch.topk(functional.softmax(self.gate(x), dim=-1), self.chosen, dim=-1)
        y = torch.zeros_like(x)
        for index, expert in enumerate(self.experts):
            if self.by_where:
                rows, column = torch.where(experts == index)
                y.index_add_(0, rows, (expert(x[rows]) * weights[rows, column, None]).to(y.dtype))
            else:
                rows, column = (experts == index).nonzero(as_tuple=True)
                y = y.index_add(0, rows, (expert(x[rows]) * weights[rows, column].unsqueeze(-1)).to(y.dtype))
        return self.head(x + y).unflatten(0, input_ids.shape)


class Packed(nn.Module):
    """Sentences of unlike lengths."""

    def __init__(self, kind: str, width: int, layers: int = 1, bidirectional: bool = False) -> None:
        super().__init__()
        self.table = nn.Embedding(200, 24)
        self.rnn = getattr(nn, kind)(24, width, layers, batch_first=True, bidirectional=bidirectional)
        self.head = nn.Linear(width * (1 + bidirectional), 5)

    def forward(self, input_ids: Tensor) -> Tensor:
        lengths = torch.arange(input_ids.shape[0], 0, -1) * 3 + 5
        packed = nn.utils.rnn.pack_padded_sequence(self.table(input_ids), lengths, batch_first=True)
        out, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.head(out.mean(1))


class Recurrent(nn.Module):
    def __init__(self, kind: str, width: int, layers: int = 1, bidirectional: bool = False) -> None:
        super().__init__()
        self.table = nn.Embedding(300, 40)
        self.rnn = getattr(nn, kind)(40, width, layers, batch_first=True, bidirectional=bidirectional)
        self.head = nn.Linear(width * (1 + bidirectional), 300)

    def forward(self, input_ids: Tensor) -> Tensor:
        return self.head(self.rnn(self.table(input_ids))[0])


class Text(nn.Module):
    """A decoder with learned places and tied embeddings."""

    def __init__(self, width: int, heads: int, depth: int, length: int, words: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.table, self.place = nn.Embedding(words, width), nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout, "gelu", batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.head.weight = self.table.weight
        self.register_buffer("places", torch.arange(length))
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(length))

    def forward(self, input_ids: Tensor) -> Tensor:
        x = self.table(input_ids) + self.place(self.places)
        return self.head(self.norm(self.body(x, mask=self.mask.to(x.dtype), is_causal=True)))


def volume(widths: tuple[int, ...]) -> nn.Module:
    parts: list[nn.Module] = []
    for wide, out in zip((1, *widths), widths, strict=False):
        parts += [nn.Conv3d(wide, out, 3, 2, 1), nn.InstanceNorm3d(out, affine=True), nn.LeakyReLU(0.01, True)]
    return nn.Sequential(*parts, nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(widths[-1], 4))


def waves(widths: tuple[int, ...]) -> nn.Module:
    parts: list[nn.Module] = []
    for wide, out in zip((2, *widths), widths, strict=False):
        parts += [nn.Conv1d(wide, out, 9, 2, 4), nn.BatchNorm1d(out), nn.GELU()]
    return nn.Sequential(*parts, nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(widths[-1], 6))


def autoencoder(widths: tuple[int, ...]) -> nn.Module:
    down: list[nn.Module] = []
    up: list[nn.Module] = []
    for wide, out in zip((3, *widths), widths, strict=False):
        down += [nn.Conv2d(wide, out, 4, 2, 1), nn.LeakyReLU(0.2)]
        up = [nn.ConvTranspose2d(out, wide, 4, 2, 1), nn.ReLU(), *up]
    return nn.Sequential(*down, *up[:-1], nn.Sigmoid())


def vgg(widths: tuple[int, ...], size: int) -> nn.Module:
    parts: list[nn.Module] = []
    for wide, out in zip((3, *widths), widths, strict=False):
        parts += [nn.Conv2d(wide, out, 3, padding=1), nn.ReLU(), nn.Conv2d(out, out, 3, padding=1), nn.ReLU()]
        parts += [nn.MaxPool2d(2)]
    flat = widths[-1] * (size >> len(widths)) ** 2
    return nn.Sequential(*parts, nn.Flatten(), nn.Linear(flat, 200), nn.ReLU(), nn.Dropout(), nn.Linear(200, 10))


def pixels(*sizes: int) -> Inputs:
    return given(pixel_values=sizes)


FIRST: dict[str, Model] = {
    "unet3d": Model(partial(UNet, 3, 1, (12, 24, 48), "batch"), image(1, 32, 40, 24)),
    "unet3d_wide": Model(partial(UNet, 3, 4, (32, 64, 96), "instance"), image(4, 16, 24, 20)),
    "unet2d": Model(partial(UNet, 2, 3, (20, 40, 80, 160), "batch"), image(3, 72, 56)),
    "unet2d_group": Model(partial(UNet, 2, 1, (16, 48, 64), "group"), image(1, 60, 100)),
    "bottlenecks": Model(partial(residual, (32, 64, 128, 256)), image(3, 90, 70)),
    "grouped": Model(partial(residual, (24, 48, 96), 4, 2), image(3, 61, 61)),
    "mobile": Model(partial(residual, (16, 24, 40, 80), -1, 4), image(3, 77, 64)),
    "vgg": Model(partial(vgg, (48, 96, 192), 44), image(3, 44, 44)),
    "autoencoder": Model(partial(autoencoder, (24, 72, 144)), image(3, 48, 80)),
    "volume": Model(partial(volume, (20, 40, 60)), image(1, 30, 36, 33)),
    "waves": Model(partial(waves, (24, 50, 100)), image(2, 1001)),
    "vit": Model(partial(Vit, 96, 12, 144, 6, 3), image(3, 96, 96)),
    "vit_own": Model(partial(Vit, 60, 6, 96, 4, 2, True), image(3, 60, 60)),
    "fourier": Model(partial(fourier, 20, 8), image(2, 48, 40)),
    "experts": Model(partial(Experts, 64, 4, 2, True), tokens(40)),
    "packed_lstm": Model(partial(Packed, "LSTM", 48), tokens(33)),
    "packed_gru": Model(partial(Packed, "GRU", 40, 2, True), tokens(33)),
    "lstm": Model(partial(Recurrent, "LSTM", 96, 2), tokens(35)),
    "gru": Model(partial(Recurrent, "GRU", 72, 1, True), tokens(28)),
    "decoder": Model(partial(Text, 120, 5, 2, 50, 700), tokens(50)),
    "bert": Model(
        hugging_face("BertForSequenceClassification", "BertConfig", vocab_size=900, hidden_size=192,
                     num_hidden_layers=2, num_attention_heads=6, intermediate_size=600, num_labels=3), tokens(70)),
    "gpt2": Model(
        hugging_face("GPT2LMHeadModel", "GPT2Config", vocab_size=1111, n_embd=160, n_layer=2, n_head=5,
                     n_positions=128), tokens(96)),
    "llama": Model(
        hugging_face("LlamaForCausalLM", "LlamaConfig", vocab_size=800, hidden_size=128, num_hidden_layers=2,
                     num_attention_heads=4, num_key_value_heads=2, intermediate_size=352), tokens(60)),
    "t5": Model(
        hugging_face("T5ForConditionalGeneration", "T5Config", vocab_size=600, d_model=96, d_kv=24, d_ff=256,
                     num_layers=2, num_heads=4), both_tokens(44, 30)),
    "swin": Model(
        hugging_face("SwinForImageClassification", "SwinConfig", embed_dim=48, depths=[2, 2], num_heads=[3, 6],
                     window_size=7, image_size=56, patch_size=2, num_labels=5), pixels(3, 56, 56)),
    "convnext": Model(
        hugging_face("ConvNextForImageClassification", "ConvNextConfig", hidden_sizes=[24, 48, 96, 144],
                     depths=[1, 1, 2, 1], image_size=96, num_labels=5), pixels(3, 96, 96)),
    "seg_resnet": Model(
        monai("SegResNet", spatial_dims=3, init_filters=16, in_channels=2, out_channels=3, blocks_down=(1, 2, 2),
              blocks_up=(1, 1)), image(2, 24, 32, 28)),
    "swin_unetr": Model(
        monai("SwinUNETR", in_channels=1, out_channels=2, feature_size=24, spatial_dims=2), image(1, 64, 64)),
    "densenet": Model(
        monai("DenseNet", spatial_dims=2, in_channels=1, out_channels=3, init_features=32, growth_rate=16,
              block_config=(3, 4)), image(1, 62, 50)),
    "efficientnet": Model(
        hugging_face("EfficientNetForImageClassification", "EfficientNetConfig", width_coefficient=0.5,
                     depth_coefficient=0.3, image_size=75, hidden_dim=640, num_labels=5), pixels(3, 75, 75)),
}  # fmt: skip

JUDGED: dict[str, Model] = {
    "unet3d_narrow": Model(partial(UNet, 3, 2, (10, 30, 50), "batch"), image(2, 28, 20, 36)),
    "unet3d_group": Model(partial(UNet, 3, 1, (16, 32, 64, 128), "group"), image(1, 24, 24, 40)),
    "unet2d_wide": Model(partial(UNet, 2, 3, (64, 128, 256), "batch"), image(3, 44, 52)),
    "unet2d_instance": Model(partial(UNet, 2, 1, (24, 36, 72), "instance"), image(1, 84, 68)),
    "bottlenecks_wide": Model(partial(residual, (48, 112, 224), 1, 2), image(3, 73, 85)),
    "grouped_many": Model(partial(residual, (32, 64, 128), 8, 1), image(3, 67, 95)),
    "mobile_wide": Model(partial(residual, (24, 48, 64), -1, 6), image(3, 58, 82)),
    "vgg_odd": Model(partial(vgg, (30, 70, 130), 52), image(3, 52, 52)),
    "autoencoder_narrow": Model(partial(autoencoder, (16, 40, 88)), image(3, 64, 40)),
    "volume_wide": Model(partial(volume, (32, 64, 128)), image(1, 27, 31, 40)),
    "waves_wide": Model(partial(waves, (32, 64, 128)), image(2, 2000)),
    "vit_small": Model(partial(Vit, 80, 8, 96, 3, 2), image(3, 80, 80)),
    "vit_large_patch": Model(partial(Vit, 112, 16, 192, 8, 2), image(3, 112, 112)),
    "fourier_wide": Model(partial(fourier, 32, 10), image(2, 56, 64)),
    "experts_nonzero": Model(partial(Experts, 80, 6, 1, False), tokens(52)),
    "packed_lstm_two": Model(partial(Packed, "LSTM", 64, 2, True), tokens(27)),
    "packed_gru_wide": Model(partial(Packed, "GRU", 72), tokens(30)),
    "lstm_both": Model(partial(Recurrent, "LSTM", 72, 1, True), tokens(42)),
    "gru_deep": Model(partial(Recurrent, "GRU", 100, 2), tokens(31)),
    "decoder_wide": Model(partial(Text, 176, 8, 2, 72, 1000), tokens(72)),
    "roberta": Model(
        hugging_face("RobertaForSequenceClassification", "RobertaConfig", vocab_size=700, hidden_size=144,
                     num_hidden_layers=2, num_attention_heads=4, intermediate_size=432, num_labels=4), tokens(55)),
    "opt": Model(
        hugging_face("OPTForCausalLM", "OPTConfig", vocab_size=1200, hidden_size=112, num_hidden_layers=2,
                     ffn_dim=448, num_attention_heads=7, max_position_embeddings=128, word_embed_proj_dim=112),
        tokens(88)),
    "qwen3": Model(
        hugging_face("Qwen3ForCausalLM", "Qwen3Config", vocab_size=640, hidden_size=160, num_hidden_layers=2,
                     num_attention_heads=5, num_key_value_heads=5, head_dim=32, intermediate_size=416), tokens(48)),
    "bart": Model(
        hugging_face("BartForConditionalGeneration", "BartConfig", vocab_size=500, d_model=120, encoder_layers=1,
                     decoder_layers=1, encoder_attention_heads=5, decoder_attention_heads=5, encoder_ffn_dim=300,
                     decoder_ffn_dim=300, max_position_embeddings=64), both_tokens(40, 26)),
    "deit": Model(
        hugging_face("DeiTForImageClassification", "DeiTConfig", hidden_size=108, num_hidden_layers=2,
                     num_attention_heads=6, intermediate_size=400, image_size=90, patch_size=10, num_labels=7),
        pixels(3, 90, 90)),
    "resnet": Model(
        hugging_face("ResNetForImageClassification", "ResNetConfig", embedding_size=40,
                     hidden_sizes=[80, 160, 240], depths=[1, 2, 1], num_labels=6), pixels(3, 101, 79)),
    "regnet": Model(
        hugging_face("RegNetForImageClassification", "RegNetConfig", embedding_size=24, hidden_sizes=[48, 96, 144],
                     depths=[1, 2, 1], groups_width=12, num_labels=5), pixels(3, 85, 85)),
    "unetr": Model(
        monai("UNETR", in_channels=1, out_channels=2, img_size=(48, 48, 32), feature_size=12, hidden_size=96,
              mlp_dim=256, num_heads=6), image(1, 48, 48, 32)),
    "attention_unet": Model(
        monai("AttentionUnet", spatial_dims=2, in_channels=1, out_channels=2, channels=(24, 48, 96),
              strides=(2, 2)), image(1, 76, 60)),
    "vnet": Model(monai("VNet", spatial_dims=3, in_channels=1, out_channels=2), image(1, 32, 32, 16)),
}  # fmt: skip
