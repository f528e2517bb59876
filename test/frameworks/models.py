"""Networks that the predictions are held against: a half to work on, and a half that was kept to judge by at first.

Sizes are small, so that each is recorded in seconds; no weights are downloaded.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import plain_models as plain
import torch
from torch import nn

Make = Callable[[], nn.Module]
Inputs = Callable[[int], tuple[tuple[Any, ...], dict[str, Any]]]


@dataclass(frozen=True)
class Model:
    make: Make
    inputs: Inputs  # arguments and keyword arguments, by batch size
    blocks: str = ""  # names of the modules that people checkpoint, as a job has them
    labels: str = ""  # what its own loss is against: a "class" each, a class for all "tokens", "words", or an input


def image(channels: int, *sizes: int) -> Inputs:
    return lambda batch: ((torch.rand(batch, channels, *sizes),), {})


def tokens(length: int) -> Inputs:
    return lambda batch: ((), {"input_ids": torch.randint(2, 100, (batch, length))})


def both_tokens(length: int, target_length: int) -> Inputs:
    return lambda batch: (
        (),
        {
            "input_ids": torch.randint(2, 100, (batch, length)),
            "decoder_input_ids": torch.randint(2, 100, (batch, target_length)),
        },
    )


def hugging_face(model: str, config: str, **settings: Any) -> Make:
    """A model of transformers with random weights."""

    def make() -> nn.Module:
        import transformers

        made: nn.Module = getattr(transformers, model)(getattr(transformers, config)(**settings))
        return made

    return make


def monai(name: str, *args: Any, **settings: Any) -> Make:
    def make() -> nn.Module:
        import monai.networks.nets as nets

        made: nn.Module = getattr(nets, name)(*deepcopy(args), **deepcopy(settings))  # some turn the lists around
        return made

    return make


TEXT = {"vocab_size": 100, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
POSITIONS = {"max_position_embeddings": 64}

WORKING: dict[str, Model] = {
    "mlp": Model(plain.mlp, image(12, 4, 4)),
    "vgg": Model(plain.vgg, image(3, 32, 32)),
    "resnet": Model(plain.ResNet, image(3, 32, 32), blocks="blocks.*"),
    "densenet": Model(plain.DenseNet, image(3, 32, 32), blocks="body.*"),
    "unet2d": Model(plain.UNet2d, image(1, 32, 32), blocks="down?,up?"),
    "autoencoder": Model(plain.autoencoder, image(1, 28, 28)),
    "mixer": Model(plain.Mixer, image(3, 32, 32), blocks="blocks.*"),
    "lstm_language": Model(partial(plain.RecurrentLanguage, "LSTM"), tokens(12)),
    "gru_classifier": Model(plain.GruClassifier, tokens(10)),
    "transformer_encoder": Model(plain.Encoder, tokens(16), blocks="encoder.layers.*"),
    "mobile_blocks": Model(plain.MobileNet, image(3, 32, 32), blocks="blocks.*"),
    "bert": Model(
        hugging_face("BertForSequenceClassification", "BertConfig", **TEXT, **POSITIONS, num_labels=3),
        tokens(16),
        blocks="bert.encoder.layer.*",
    ),
    "distilbert": Model(
        hugging_face(
            "DistilBertForSequenceClassification",
            "DistilBertConfig",
            vocab_size=100,
            dim=32,
            n_layers=2,
            n_heads=4,
            hidden_dim=64,
            max_position_embeddings=64,
        ),
        tokens(16),
        blocks="distilbert.transformer.layer.*",
    ),
    "gpt2": Model(
        hugging_face("GPT2LMHeadModel", "GPT2Config", vocab_size=100, n_embd=32, n_layer=2, n_head=4, n_positions=64),
        tokens(16),
        blocks="transformer.h.*",
    ),
    "vit": Model(
        hugging_face(
            "ViTForImageClassification",
            "ViTConfig",
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=64,
            image_size=32,
            patch_size=8,
            num_labels=5,
        ),
        image(3, 32, 32),
        blocks="vit.layers.*",
    ),
    "convnext": Model(
        hugging_face(
            "ConvNextForImageClassification",
            "ConvNextConfig",
            hidden_sizes=[8, 16, 24, 32],
            depths=[1, 1, 2, 1],
            image_size=64,
            num_labels=5,
        ),
        image(3, 64, 64),
        blocks="convnext.encoder.stages.*",
    ),
    "hf_resnet": Model(
        hugging_face(
            "ResNetForImageClassification",
            "ResNetConfig",
            embedding_size=8,
            hidden_sizes=[8, 16, 24, 32],
            depths=[1, 1, 1, 1],
            num_labels=5,
        ),
        image(3, 32, 32),
        blocks="resnet.encoder.stages.*",
    ),
    "llama": Model(
        hugging_face("LlamaForCausalLM", "LlamaConfig", **TEXT, **POSITIONS, num_key_value_heads=2),
        tokens(16),
        blocks="model.layers.*",
    ),
    "t5": Model(
        hugging_face(
            "T5ForConditionalGeneration",
            "T5Config",
            vocab_size=100,
            d_model=32,
            d_kv=8,
            d_ff=64,
            num_layers=2,
            num_heads=4,
        ),
        both_tokens(12, 8),
        blocks="encoder.block.*,decoder.block.*",
    ),
    "monai_unet": Model(
        monai(
            "UNet", spatial_dims=3, in_channels=1, out_channels=2, channels=(8, 16, 32), strides=(2, 2), num_res_units=1
        ),
        image(1, 16, 16, 16),
    ),
    "basic_unet": Model(
        monai("BasicUNet", spatial_dims=2, in_channels=1, out_channels=2, features=(8, 8, 16, 16, 32, 8)),
        image(1, 32, 32),
        blocks="down_*,upcat_*",
    ),
    "seg_resnet": Model(
        monai("SegResNet", spatial_dims=2, init_filters=8, in_channels=1, out_channels=2),
        image(1, 32, 32),
        blocks="down_layers.*,up_layers.*",
    ),
    "monai_densenet": Model(
        monai(
            "DenseNet",
            spatial_dims=2,
            in_channels=1,
            out_channels=3,
            init_features=8,
            growth_rate=4,
            block_config=(2, 2),
        ),
        image(1, 32, 32),
    ),
    "unetr": Model(
        monai(
            "UNETR",
            in_channels=1,
            out_channels=2,
            img_size=(32, 32),
            feature_size=8,
            hidden_size=32,
            mlp_dim=64,
            num_heads=4,
            spatial_dims=2,
        ),
        image(1, 32, 32),
        blocks="encoder?,decoder?",
    ),
}

JUDGING: dict[str, Model] = {
    "alexnet": Model(plain.alexnet, image(3, 64, 64)),
    "wide_resnet": Model(partial(plain.ResNet, bottleneck=True), image(3, 32, 32), blocks="blocks.*"),
    "inception": Model(plain.Inception, image(3, 32, 32), blocks="one,three,five,pool"),
    "squeeze_excite": Model(plain.SqueezeExcite, image(3, 32, 32)),
    "conv1d": Model(plain.conv1d, image(4, 64)),
    "generator": Model(plain.generator, image(16, 1, 1)),
    "rnn_tagger": Model(partial(plain.RecurrentLanguage, "RNN"), tokens(12)),
    "bilstm": Model(plain.BiLstm, tokens(10)),
    "seq2seq_gru": Model(plain.Seq2Seq, both_tokens(8, 6)),
    "decoder_only": Model(plain.Decoder, tokens(16), blocks="blocks.*"),
    "net3d": Model(plain.net3d, image(1, 16, 16, 16)),
    "roberta": Model(
        hugging_face("RobertaForSequenceClassification", "RobertaConfig", **TEXT, **POSITIONS, num_labels=3),
        tokens(16),
        blocks="roberta.encoder.layer.*",
    ),
    "albert": Model(
        hugging_face("AlbertForSequenceClassification", "AlbertConfig", **TEXT, **POSITIONS, embedding_size=16),
        tokens(16),
    ),
    "electra": Model(
        hugging_face("ElectraForSequenceClassification", "ElectraConfig", **TEXT, **POSITIONS, embedding_size=16),
        tokens(16),
        blocks="electra.encoder.layer.*",
    ),
    "opt": Model(
        hugging_face(
            "OPTForCausalLM",
            "OPTConfig",
            vocab_size=100,
            hidden_size=32,
            num_hidden_layers=2,
            ffn_dim=64,
            num_attention_heads=4,
            max_position_embeddings=64,
            word_embed_proj_dim=32,
        ),
        tokens(16),
        blocks="model.decoder.layers.*",
    ),
    "mistral": Model(
        hugging_face("MistralForCausalLM", "MistralConfig", **TEXT, **POSITIONS, num_key_value_heads=2),
        tokens(16),
        blocks="model.layers.*",
    ),
    "qwen2": Model(
        hugging_face("Qwen2ForCausalLM", "Qwen2Config", **TEXT, **POSITIONS, num_key_value_heads=2),
        tokens(16),
        blocks="model.layers.*",
    ),
    "gpt_neox": Model(
        hugging_face("GPTNeoXForCausalLM", "GPTNeoXConfig", **TEXT, **POSITIONS), tokens(16), blocks="gpt_neox.layers.*"
    ),
    "bart": Model(
        hugging_face(
            "BartForConditionalGeneration",
            "BartConfig",
            vocab_size=100,
            d_model=32,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=64,
            decoder_ffn_dim=64,
            max_position_embeddings=64,
        ),
        both_tokens(12, 8),
        blocks="model.encoder.layers.*,model.decoder.layers.*",
    ),
    "deit": Model(
        hugging_face(
            "DeiTForImageClassification",
            "DeiTConfig",
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=64,
            image_size=32,
            patch_size=8,
            num_labels=5,
        ),
        image(3, 32, 32),
        blocks="deit.layers.*",
    ),
    "swin": Model(
        hugging_face(
            "SwinForImageClassification",
            "SwinConfig",
            embed_dim=16,
            depths=[1, 1],
            num_heads=[2, 4],
            window_size=4,
            image_size=32,
            patch_size=2,
            num_labels=5,
        ),
        image(3, 32, 32),
    ),
    "mobilenet_v2": Model(
        hugging_face(
            "MobileNetV2ForImageClassification", "MobileNetV2Config", depth_multiplier=0.35, image_size=32, num_labels=5
        ),
        image(3, 32, 32),
    ),
    "regnet": Model(
        hugging_face(
            "RegNetForImageClassification",
            "RegNetConfig",
            embedding_size=8,
            hidden_sizes=[8, 16, 24, 32],
            depths=[1, 1, 1, 1],
            groups_width=4,
            num_labels=5,
        ),
        image(3, 32, 32),
    ),
    "whisper": Model(
        hugging_face(
            "WhisperForConditionalGeneration",
            "WhisperConfig",
            vocab_size=100,
            num_mel_bins=8,
            d_model=32,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=64,
            decoder_ffn_dim=64,
            max_source_positions=32,
            max_target_positions=32,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=1,
            decoder_start_token_id=1,
            suppress_tokens=None,
            begin_suppress_tokens=None,
        ),
        lambda batch: (
            (),
            {"input_features": torch.rand(batch, 8, 64), "decoder_input_ids": torch.randint(2, 100, (batch, 6))},
        ),
        blocks="model.encoder.layers.*,model.decoder.layers.*",
    ),
    "vnet": Model(
        monai("VNet", spatial_dims=2, in_channels=1, out_channels=2), image(1, 32, 32), blocks="down_tr*,up_tr*"
    ),
    "attention_unet": Model(
        monai("AttentionUnet", spatial_dims=2, in_channels=1, out_channels=2, channels=(8, 16, 32), strides=(2, 2)),
        image(1, 32, 32),
    ),
    "dyn_unet": Model(
        monai(
            "DynUNet",
            spatial_dims=2,
            in_channels=1,
            out_channels=2,
            kernel_size=[3, 3, 3],
            strides=[1, 2, 2],
            upsample_kernel_size=[2, 2],
            filters=[8, 16, 32],
        ),
        image(1, 32, 32),
    ),
}

MODELS = WORKING | JUDGING
