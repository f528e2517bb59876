"""Families of transformers that no rule had seen when they were written down: doc/guide/accuracy.md has the result.

A table of models by the name of their class, all made small in the same way: wherever a configuration, or a part of it,
has one of the names of SIZES, it gets that value. Left out before anything was recorded: families that route tokens to
experts (values decide about sizes there), parts of other families that are models of their own, models that need
packages besides torch, and such as did not run in a few lines.
"""

from __future__ import annotations

import re
from typing import Any

import torch
from models import Inputs, Model, both_tokens, tokens
from torch import nn

HEADS, WIDTH, LAYERS, WORDS = 4, 32, 2, 100

SIZES: dict[str, Any] = (
    dict.fromkeys(
        ("vocab_size", "text_vocab_size", "src_vocab_size", "tgt_vocab_size", "codebook_size", "num_codes"), WORDS
    )
    | dict.fromkeys(
        (
            "hidden_size",
            "d_model",
            "n_embd",
            "dim",
            "emb_dim",
            "embed_dim",
            "encoder_hidden_size",
            "decoder_hidden_size",
            "embedding_size",
            "word_embed_proj_dim",
            "input_embedding_size",
            "true_hidden_size",
            "lm_head_hidden_size",
            "text_hidden_size",
            "encoder_hidden_dim",
            "n_embed",
            "lru_width",
            "hidden_dim",
        ),
        WIDTH,
    )
    | dict.fromkeys(
        (
            "num_hidden_layers",
            "num_layers",
            "n_layer",
            "n_layers",
            "encoder_layers",
            "decoder_layers",
            "num_decoder_layers",
            "num_encoder_layers",
            "encoder_num_hidden_layers",
            "decoder_num_hidden_layers",
        ),
        LAYERS,
    )
    | dict.fromkeys(
        (
            "num_attention_heads",
            "n_head",
            "n_heads",
            "num_heads",
            "encoder_attention_heads",
            "decoder_attention_heads",
            "encoder_num_attention_heads",
            "decoder_num_attention_heads",
            "num_encoder_attention_heads",
            "num_decoder_attention_heads",
        ),
        HEADS,
    )
    | dict.fromkeys(
        (
            "intermediate_size",
            "d_ff",
            "ffn_dim",
            "n_inner",
            "ffn_hidden_size",
            "encoder_ffn_dim",
            "decoder_ffn_dim",
            "dff",
            "d_inner",
            "mlp_dim",
            "dim_feedforward",
            "dim_ff",
            "encoder_intermediate_size",
        ),
        64,
    )
    | dict.fromkeys(("max_position_embeddings", "n_positions", "max_target_positions", "max_seq_len", "block_size"), 64)
    | dict.fromkeys(("head_dim", "d_kv", "attention_head_size", "kv_channels"), 8)
    | {
        "num_key_value_heads": 2,
        "num_kv_heads": 2,
        "projection_dim": 16,
        "image_size": 32,
        "patch_size": 8,
        "num_labels": 3,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 1,
        "decoder_start_token_id": 1,
        "q_lora_rank": 16,
        "kv_lora_rank": 16,
        "rotary_dim": 4,
        "sliding_window": 8,
        "use_timm_backbone": False,
        "use_pretrained_backbone": False,
        "layerdrop": 0.0,
        "encoder_layerdrop": 0.0,
        "decoder_layerdrop": 0.0,
        "speech_encoder_layerdrop": 0.0,
    }
)

# The same where a configuration has one for each of its stages.
LISTS: dict[str, Any] = {
    "depths": lambda count: [1] * count,
    "hidden_sizes": lambda count: [8 * (stage + 1) for stage in range(count)],
    "num_heads": lambda count: [2**stage for stage in range(count)],
    "num_attention_heads": lambda count: [2**stage for stage in range(count)],
    "image_size": lambda count: [64] * count,
}

Settings = dict[str, Any]
AS_IT_IS = object()  # a setting that is left to the configuration


def merged(one: Settings, other: Settings) -> Settings:
    both = {key for key in one.keys() & other.keys() if isinstance(one[key], dict) and isinstance(other[key], dict)}
    return one | other | {key: merged(one[key], other[key]) for key in both}


def small(config: Any) -> Settings:
    """Settings that make a configuration, and the configurations in it, small."""
    settings = {name: value for name, value in SIZES.items() if hasattr(config, name)}
    for name in [*settings, *LISTS]:
        if isinstance(value := getattr(config, name, None), (list, tuple)):
            settings[name] = LISTS[name](len(value)) if name in LISTS else value
    for name in config.sub_configs:
        part = getattr(config, name, None)
        if hasattr(part, "sub_configs"):
            settings[name] = small(part) | ({"model_type": part.model_type} if part.model_type else {})
    return settings


def family(name: str, inputs: Inputs, labels: str = "", **settings: Any) -> Model:
    def make() -> nn.Module:
        import transformers

        kind = getattr(transformers, name)
        chosen = merged(small(kind.config_class()), settings)
        if name.endswith(("ForQuestionAnswering", "ForQuestionAnsweringSimple")):
            chosen["num_labels"] = 2
        made: nn.Module = kind(kind.config_class(**{key: v for key, v in chosen.items() if v is not AS_IT_IS}))
        return made

    return Model(make, inputs, labels=labels)


LABELS = {
    "ForCausalLM": "input_ids",
    "ForMaskedLM": "input_ids",
    "LMHeadModel": "input_ids",
    "ForSequenceClassification": "class",
    "ForImageClassification": "class",
    "ForTokenClassification": "tokens",
}


def labels_of(name: str) -> str:
    return next((labels for ending, labels in LABELS.items() if name.endswith(ending)), "")


def text(name: str, **settings: Any) -> Model:
    return family(name, tokens(16), labels_of(name), **settings)


def translation(name: str, **settings: Any) -> Model:
    return family(name, both_tokens(12, 8), "decoder_input_ids", **settings)


def given(**shapes: Any) -> Inputs:
    """Keyword arguments by their shapes without the batch; a list is one of whole numbers."""

    def make(batch: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        made = {
            name: torch.randint(2, 98, (batch, *shape)) if isinstance(shape, list) else torch.rand(batch, *shape)
            for name, shape in shapes.items()
        }
        return (), made

    return make


def image(name: str, size: int = 32, **settings: Any) -> Model:
    return family(name, given(pixel_values=(3, size, size)), labels_of(name), **settings)


def video(name: str, frames: int, size: int = 32, **settings: Any) -> Model:
    return family(name, given(pixel_values=(frames, 3, size, size)), **settings)


CONVOLUTIONS = {
    "conv_dim": (16, 16, 16),
    "conv_stride": (5, 2, 2),
    "conv_kernel": (10, 3, 3),
    "vocab_size": 32,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4,
    "mask_time_prob": 0.0,
    "classifier_proj_size": 16,
    "num_feat_extract_layers": 3,
}


def speech(name: str, **settings: Any) -> Model:
    return family(name, given(input_values=(800,)), **CONVOLUTIONS | settings)


IMAGE_TOKEN = 99


def described(name: str, pictures: int, *shape: int, **settings: Any) -> Model:
    """A picture and words about it: the first tokens stand for the picture."""

    def inputs(batch: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        words = torch.randint(2, 98, (batch, pictures + 6))
        words[:, :pictures] = IMAGE_TOKEN
        return (), {"input_ids": words, "pixel_values": torch.rand(batch, *shape)}

    settings = {"image_token_index": IMAGE_TOKEN, "image_token_id": IMAGE_TOKEN} | settings
    return family(name, inputs, "input_ids", **settings)


def both(name: str, *shape: int, **settings: Any) -> Model:
    """Towers of text and of images."""
    return family(name, given(input_ids=[12], pixel_values=shape or (3, 32, 32)), **settings)


# ---- those that are small and run as they are ----

TEXTS = [
    "ArceeForCausalLM",
    "BertGenerationDecoder",
    "BioGptForCausalLM",
    "BitNetForCausalLM",
    "CamembertForCausalLM",
    "CohereForCausalLM",
    "Cohere2ForCausalLM",
    "CTRLLMHeadModel",
    "CwmForCausalLM",
    "DiffLlamaForCausalLM",
    "Emu3ForCausalLM",
    "Ernie4_5ForCausalLM",
    "FalconMambaForCausalLM",
    "GPTNeoXJapaneseForCausalLM",
    "GraniteForCausalLM",
    "GraniteSWAForCausalLM",
    "HrmTextForCausalLM",
    "HunYuanDenseV1ForCausalLM",
    "HyperCLOVAXForCausalLM",
    "Jais2ForCausalLM",
    "Lfm2ForCausalLM",
    "MllamaForCausalLM",
    "ModernBertDecoderForCausalLM",
    "NanoChatForCausalLM",
    "OlmoHybridForCausalLM",
    "PersimmonForCausalLM",
    "RwkvForCausalLM",
    "SmolLM3ForCausalLM",
    "TrOCRForCausalLM",
    "VaultGemmaForCausalLM",
    "XGLMForCausalLM",
    "XLMWithLMHeadModel",
    "BlenderbotForCausalLM",
    "GitForCausalLM",
    "ApertusForTokenClassification",
    "DebertaForTokenClassification",
    "ErnieForTokenClassification",
    "GlmForTokenClassification",
    "JinaEmbeddingsV3ForTokenClassification",
    "MraForTokenClassification",
    "NemotronForTokenClassification",
    "RobertaPreLayerNormForTokenClassification",
    "Starcoder2ForTokenClassification",
    "EuroBertForSequenceClassification",
    "GemmaForSequenceClassification",
    "Gemma3TextForSequenceClassification",
    "Glm4ForSequenceClassification",
    "HeliumForSequenceClassification",
    "IBertForSequenceClassification",
    "LayoutLMForSequenceClassification",
    "MptForSequenceClassification",
    "Olmo2ForSequenceClassification",
    "Olmo3ForSequenceClassification",
    "OpenAIGPTForSequenceClassification",
    "Phi3ForSequenceClassification",
    "SeedOssForSequenceClassification",
    "TapasForSequenceClassification",
    "XLMRobertaXLForSequenceClassification",
    "YosoForSequenceClassification",
    "Data2VecTextForQuestionAnswering",
    "Exaone4ForQuestionAnswering",
    "FlaubertForQuestionAnsweringSimple",
    "MinistralForQuestionAnswering",
    "Ministral3ForQuestionAnswering",
    "RemBertForQuestionAnswering",
    "SplinterForQuestionAnswering",
    "GteForMaskedLM",
    "MegatronBertForMaskedLM",
    "ModernBertForMaskedLM",
    "NomicBertForMaskedLM",
    "UltrabertForMaskedLM",
    "CLIPTextModel",
    "DPRQuestionEncoder",
    "Qwen3VLTextModel",
    "Molmo2TextModel",
]
TRANSLATIONS = [
    "BigBirdPegasusForConditionalGeneration",
    "BlenderbotForConditionalGeneration",
    "BlenderbotSmallForConditionalGeneration",
    "FSMTForConditionalGeneration",
    "LongT5ForConditionalGeneration",
    "M2M100ForConditionalGeneration",
    "MT5ForConditionalGeneration",
    "MvpForConditionalGeneration",
    "PegasusXForConditionalGeneration",
    "PLBartForConditionalGeneration",
    "SeamlessM4TForTextToText",
    "T5GemmaForConditionalGeneration",
    "UMT5ForConditionalGeneration",
]
IMAGES = [
    "Data2VecVisionForImageClassification",
    "Dinov2WithRegistersForImageClassification",
    "IJepaForImageClassification",
    "SiglipForImageClassification",
    "ViTMSNForImageClassification",
    "Aimv2VisionModel",
    "MLCDVisionModel",
    "SiglipVisionModel",
    "ChineseCLIPVisionModel",
    "CLIPVisionModel",
    "DINOv3ViTModel",
    "PixioBackbone",
    "VitDetBackbone",
    "SamVisionModel",
    "InternVLVisionModel",
    "Idefics3VisionTransformer",
    "Sam3ViTModel",
]
SPEECHES = [
    "Data2VecAudioForCTC",
    "SEWForCTC",
    "SEWDForCTC",
    "UniSpeechForCTC",
    "UniSpeechSatForCTC",
    "Wav2Vec2ConformerForCTC",
    "WavLMForCTC",
]

# ---- those that need more settings ----

BACKBONE = {
    "model_type": "resnet",
    "embedding_size": 8,
    "hidden_sizes": [8, 16, 24, 32],
    "depths": [1, 1, 1, 1],
    "layer_type": "basic",
}
STAGES = {"embedding_size": 8, "hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1]}
SWIN = {"embed_dim": 16, "patch_size": 4, "image_size": 64, "window_size": 2}
THREE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]}
DETECTOR = {"backbone": None, "backbone_config": BACKBONE | {"out_features": ["stage4"]}, "num_queries": 6}
LEVELS = {
    "backbone": None,
    "num_queries": 6,
    "num_feature_levels": 3,
    "backbone_config": BACKBONE | {"out_features": ["stage2", "stage3", "stage4"]},
}
VIT4 = {
    "model_type": "dinov2",
    "hidden_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "image_size": 64,
    "patch_size": 8,
    "out_features": ["stage1", "stage2", "stage3", "stage4"],
    "reshape_hidden_states": False,
}


def series(name: str, **settings: Any) -> Model:
    return family(
        name,
        given(past_values=(32, 2)),
        context_length=32,
        prediction_length=8,
        num_input_channels=2,
        patch_length=4,
        stride=4,
        patch_stride=4,
        **settings,
    )


def history(batch: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    made = {
        "past_values": torch.rand(batch, 31),
        "past_time_features": torch.rand(batch, 31, 2),
        "past_observed_mask": torch.ones(batch, 31),
        "future_values": torch.rand(batch, 8),
        "future_time_features": torch.rand(batch, 8, 2),
    }
    return (), made


FORECAST = {
    "prediction_length": 8,
    "context_length": 24,
    "num_time_features": 2,
    "input_size": 1,
    "lags_sequence": [1, 2, 7],
}


def play(batch: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    made = {
        "states": torch.rand(batch, 10, 17),
        "actions": torch.rand(batch, 10, 4),
        "rewards": torch.rand(batch, 10, 1),
        "returns_to_go": torch.rand(batch, 10, 1),
        "timesteps": torch.randint(0, 30, (batch, 10)),
        "attention_mask": torch.ones(batch, 10, dtype=torch.int64),
    }
    return (), made


MORE = {
    "bamba": text(
        "BambaForCausalLM",
        mamba_n_heads=4,
        mamba_d_head=16,
        mamba_d_state=8,
        mamba_chunk_size=8,
        attn_layer_indices=[1],
    ),
    "falcon_h1": text(
        "FalconH1ForCausalLM",
        mamba_d_ssm=64,
        mamba_n_heads=4,
        mamba_d_head=16,
        mamba_d_state=8,
        mamba_chunk_size=8,
        mamba_n_groups=1,
    ),
    "mamba2": text("Mamba2ForCausalLM", num_heads=8, head_dim=8, state_size=8, n_groups=1, chunk_size=8),
    "lfm3": text("Lfm3ForCausalLM", layer_types=["conv", "full_attention"]),
    "minicpm3": text(
        "MiniCPM3ForCausalLM", num_key_value_heads=4, qk_rope_head_dim=8, v_head_dim=8, qk_nope_head_dim=8
    ),
    "youtu": text("YoutuForCausalLM", num_key_value_heads=4, qk_rope_head_dim=8, v_head_dim=8, qk_nope_head_dim=8),
    "qwen3_5": text(
        "Qwen3_5ForCausalLM",
        layer_types=["linear_attention", "full_attention"],
        linear_num_key_heads=4,
        linear_num_value_heads=4,
        linear_key_head_dim=8,
        linear_value_head_dim=8,
    ),
    "recurrent_gemma": text("RecurrentGemmaForCausalLM", block_types=["recurrent", "attention"]),
    "canine": text("CanineForTokenClassification", num_hash_buckets=64),
    "esmc": text("EsmcForTokenClassification", num_key_value_heads=4),
    "lilt": text("LiltForTokenClassification", hidden_size=48),
    "markuplm": text(
        "MarkupLMForTokenClassification",
        max_xpath_tag_unit_embeddings=8,
        max_xpath_subs_unit_embeddings=8,
        xpath_unit_hidden_size=8,
        max_depth=4,
        tag_pad_id=7,
        subs_pad_id=7,
    ),
    "layoutlmv3": text("LayoutLMv3ForSequenceClassification", coordinate_size=4, shape_size=8, visual_embed=False),
    "perceiver": text(
        "PerceiverForSequenceClassification",
        d_latents=32,
        num_latents=8,
        num_self_attends_per_block=2,
        num_self_attention_heads=4,
        num_cross_attention_heads=4,
        d_model=32,
    ),
    "zamba2": text("Zamba2ForSequenceClassification", layers_block_type=["mamba", "hybrid"], mamba_d_state=8),
    "mobilebert": text("MobileBertForQuestionAnswering", intra_bottleneck_size=32),
    "roc_bert": text(
        "RoCBertForQuestionAnswering",
        shape_embed_dim=16,
        pronunciation_embed_dim=16,
        shape_vocab_size=100,
        pronunciation_vocab_size=100,
    ),
    "luke": text("LukeForMaskedLM", entity_vocab_size=50),
    "reformer": text(
        "ReformerForMaskedLM",
        axial_pos_shape=[4, 4],
        axial_pos_embds_dim=[16, 16],
        feed_forward_size=64,
        lsh_attn_chunk_length=8,
        local_attn_chunk_length=8,
        attn_layers=["local", "lsh"],
        num_buckets=2,
        is_decoder=False,
    ),
    "xmod": text("XmodForMaskedLM", languages=["en_XX"], default_language="en_XX"),
    "glm4v_text": text("Glm4vTextModel", rope_parameters=THREE),
    "qwen2_vl_text": text("Qwen2VLTextModel", rope_parameters=THREE),
    "led": translation(
        "LEDForConditionalGeneration",
        max_encoder_position_embeddings=64,
        max_decoder_position_embeddings=64,
        attention_window=4,
    ),
    "prophetnet": translation("ProphetNetForConditionalGeneration", num_hidden_layers=AS_IT_IS),
    "donut_swin": image("DonutSwinForImageClassification", 64, **SWIN),
    "hgnet_v2": image(
        "HGNetV2ForImageClassification",
        64,
        **STAGES | {"hidden_sizes": [16, 24, 32, 40]},
        stem_channels=[3, 8, 8],
        stage_in_channels=[8, 16, 24, 32],
        stage_mid_channels=[8, 8, 8, 8],
        stage_out_channels=[16, 24, 32, 40],
        stage_num_blocks=[1, 1, 1, 1],
        stage_numb_of_layers=[2, 2, 2, 2],
    ),
    "hiera": image("HieraForImageClassification", 64, embed_dim=8),
    "pp_lcnet": image("PPLCNetForImageClassification", scale=0.25),
    "pvt": image("PvtForImageClassification", 64, image_size=64),
    "swiftformer": image("SwiftFormerForImageClassification", 64, image_size=64, embed_dims=[8, 16, 24, 32]),
    "textnet": image("TextNetForImageClassification", 64, stem_out_channels=8, hidden_sizes=[8, 8, 16, 16, 24]),
    "dinov3_convnext": image("DINOv3ConvNextModel", 64),
    "maskformer_swin": image("MaskFormerSwinBackbone", 64, **SWIN),
    "rt_detr_resnet": image("RTDetrResNetBackbone", 64, **STAGES),
    "upernet": image(
        "UperNetForSemanticSegmentation",
        64,
        backbone=None,
        hidden_size=16,
        auxiliary_in_channels=24,
        pool_scales=[1, 2],
        auxiliary_channels=16,
        backbone_config=BACKBONE | {"out_features": ["stage1", "stage2", "stage3", "stage4"]},
    ),
    "swin2sr": image(
        "Swin2SRForImageSuperResolution", embed_dim=16, depths=[1, 1], num_heads=[2, 2], window_size=4, patch_size=1
    ),
    "glpn": image("GLPNForDepthEstimation", 64, decoder_hidden_size=8),
    "depth_anything": image(
        "DepthAnythingForDepthEstimation",
        64,
        backbone=None,
        backbone_config=VIT4,
        patch_size=8,
        neck_hidden_sizes=[8, 16, 16, 16],
        fusion_hidden_size=16,
        reassemble_hidden_size=32,
    ),
    "radio": image("RadioModel", max_img_size=64),
    "mgp_str": image(
        "MgpstrForSceneTextRecognition",
        image_size=[32, 32],
        patch_size=8,
        num_character_labels=20,
        num_bpe_labels=30,
        num_wordpiece_labels=30,
        max_token_length=9,
    ),
    "conditional_detr": image("ConditionalDetrForObjectDetection", 64, **DETECTOR),
    "table_transformer": image("TableTransformerForObjectDetection", 64, **DETECTOR),
    "dab_detr": image("DabDetrForObjectDetection", 64, **DETECTOR),
    "deformable_detr": image("DeformableDetrForObjectDetection", 64, **LEVELS),
    "rt_detr": image(
        "RTDetrForObjectDetection",
        64,
        backbone=None,
        num_queries=6,
        encoder_in_channels=[16, 24, 32],
        decoder_in_channels=[32, 32, 32],
        backbone_config={"model_type": "rt_detr_resnet"} | STAGES | {"out_features": ["stage2", "stage3", "stage4"]},
    ),
    "rf_detr": image("RfDetrForObjectDetection", 64, num_queries=6),
    "maskformer": image(
        "MaskFormerModel",
        64,
        fpn_feature_size=32,
        mask_feature_size=32,
        backbone_config={"model_type": "swin", "depths": [1, 1, 1, 1], "num_heads": [1, 2, 4, 8]} | SWIN,
    ),
    "timesformer": video("TimesformerForVideoClassification", 4, num_frames=4),
    "videomae": video("VideoMAEForVideoClassification", 4, num_frames=4),
    "vivit": video("VivitForVideoClassification", 4, num_frames=4, tubelet_size=[2, 8, 8]),
    "ast": family(
        "ASTForAudioClassification",
        given(input_values=(64, 16)),
        "class",
        max_length=64,
        num_mel_bins=16,
        frequency_stride=8,
        time_stride=8,
    ),
    "speech_to_text": family(
        "Speech2TextForConditionalGeneration",
        given(input_features=(40, 16), decoder_input_ids=[8]),
        input_feat_per_channel=16,
        max_source_positions=64,
        conv_channels=32,
    ),
    "moonshine": family("MoonshineForConditionalGeneration", given(input_values=(2000,), decoder_input_ids=[8])),
    "wav2vec2_bert": family(
        "Wav2Vec2BertForCTC",
        given(input_features=(40, 16)),
        feature_projection_input_dim=16,
        vocab_size=32,
        mask_time_prob=0.0,
    ),
    "speecht5": family(
        "SpeechT5ForSpeechToText",
        given(input_values=(800,), decoder_input_ids=[8]),
        **CONVOLUTIONS | {"vocab_size": 100},
    ),
    "parakeet_ctc": family("ParakeetForCTC", given(input_features=(64, 80)), "", vocab_size=32),
    "pop2piano": family("Pop2PianoForConditionalGeneration", given(inputs_embeds=(10, 32), decoder_input_ids=[8])),
    "dac": family(
        "DacModel",
        given(input_values=(1, 640)),
        encoder_hidden_size=8,
        decoder_hidden_size=32,
        downsampling_ratios=[2, 4, 4],
        upsampling_ratios=[4, 4, 2],
        codebook_size=16,
        n_codebooks=2,
    ),
    "llava": described("LlavaForConditionalGeneration", 16, 3, 32, 32),
    "vipllava": described("VipLlavaForConditionalGeneration", 16, 3, 32, 32, vision_feature_layers=[-2, -1]),
    "paligemma": described("PaliGemmaForConditionalGeneration", 16, 3, 32, 32, projection_dim=32),
    "gemma3": described("Gemma3ForConditionalGeneration", 4, 3, 32, 32, mm_tokens_per_image=4),
    "aya_vision": described("AyaVisionForConditionalGeneration", 4, 3, 32, 32, downsample_factor=2),
    "internvl": described(
        "InternVLForConditionalGeneration",
        4,
        3,
        32,
        32,
        downsample_ratio=0.5,
        vision_config={"image_size": [32, 32], "patch_size": [8, 8]},
    ),
    "blip": family("BlipForConditionalGeneration", given(input_ids=[12], pixel_values=(3, 32, 32))),
    "blip2": described("Blip2ForConditionalGeneration", 6, 3, 32, 32, num_query_tokens=6),
    "idefics3": described("Idefics3ForConditionalGeneration", 4, 1, 3, 32, 32, scale_factor=2),
    "altclip": both("AltCLIPModel"),
    "chinese_clip": both("ChineseCLIPModel"),
    "align": both(
        "AlignModel",
        3,
        64,
        64,
        projection_dim=80,
        vision_config={"width_coefficient": 0.25, "depth_coefficient": 0.2, "hidden_dim": 32},
    ),
    "siglip": both("SiglipModel"),
    "aimv2": both("Aimv2Model"),
    "clipseg": both("CLIPSegForImageSegmentation", extract_layers=[0, 1], reduce_dim=16, decoder_num_attention_heads=4),
    "owlvit": both("OwlViTModel"),
    "owlv2": both("Owlv2Model"),
    "groupvit": both(
        "GroupViTModel", vision_config={"depths": [1, 1], "num_group_tokens": [4, 0], "num_output_groups": [4, 4]}
    ),
    "blip_retrieval": both("BlipModel"),
    "metaclip2": both("MetaClip2Model"),
    "clap": family(
        "ClapModel",
        given(input_ids=[12], input_features=(1, 64, 64)),
        audio_config={
            "spec_size": 64,
            "window_size": 2,
            "num_mel_bins": 64,
            "patch_embeds_hidden_size": 16,
            "hidden_size": 128,
        },
    ),
    "flava": both("FlavaModel"),
    "vilt": both("ViltModel", 3, 32, 32),
    "visual_bert": family("VisualBertModel", given(input_ids=[12], visual_embeds=(4, 32)), visual_embedding_dim=32),
    "lxmert": family(
        "LxmertModel",
        given(input_ids=[12], visual_feats=(4, 16), visual_pos=(4, 4)),
        l_layers=1,
        x_layers=1,
        r_layers=1,
        visual_feat_dim=16,
    ),
    "patchtst": series("PatchTSTForPrediction"),
    "patchtsmixer": series("PatchTSMixerForPrediction"),
    "timesfm": family(
        "TimesFmModelForPrediction", given(past_values=(64,)), patch_length=8, horizon_length=8, context_length=64
    ),
    "time_series_transformer": family("TimeSeriesTransformerModel", history, **FORECAST),
    "informer": family("InformerModel", history, **FORECAST),
    "autoformer": family("AutoformerModel", history, **FORECAST, label_length=4, moving_average=3),
    "decision_transformer": family("DecisionTransformerModel", play, max_ep_len=32),
}


def plain(name: str) -> str:
    """ArceeForCausalLM: arcee_for_causal_lm."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


NEW_TRANSFORMERS: dict[str, Model] = (
    {plain(name): text(name) for name in TEXTS}
    | {plain(name): translation(name) for name in TRANSLATIONS}
    | {plain(name): image(name) for name in IMAGES}
    | {plain(name): speech(name) for name in SPEECHES}
    | MORE
)
