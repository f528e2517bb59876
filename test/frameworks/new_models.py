"""Networks that the rules had not seen when they were first judged by them (doc/guide/accuracy.md has those figures).

Left out from the start: networks in which values decide about sizes, such as mixtures of experts.
"""

from __future__ import annotations

from typing import Any

import new_plain_models as plain
import torch
from models import POSITIONS, TEXT, Inputs, Model, both_tokens, hugging_face, image, monai, tokens

VISION = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 32,
    "patch_size": 8, "num_labels": 5,
}  # fmt: skip
FOUR_STAGES = {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "num_labels": 5}
ENCODER_DECODER = {
    "vocab_size": 100, "d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": 64,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1, "decoder_start_token_id": 1, "forced_eos_token_id": 1,
}  # fmt: skip
SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1}
GPT = {"vocab_size": 100, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, **SPECIAL}
SPEECH = {
    "vocab_size": 32, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
    "conv_dim": (16, 16, 16), "conv_stride": (5, 2, 2), "conv_kernel": (10, 3, 3), "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4, "mask_time_prob": 0.0, "layerdrop": 0.0, "num_labels": 4,
    "classifier_proj_size": 16,
}  # fmt: skip


def whole(*sizes: int) -> torch.Tensor:
    return torch.randint(2, 100, sizes)


def given(**shapes: Any) -> Inputs:
    """Keyword arguments by their shapes without the batch; a list is one of whole numbers."""

    def make(batch: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        made = {
            name: whole(batch, *shape) if isinstance(shape, list) else torch.rand(batch, *shape)
            for name, shape in shapes.items()
        }
        return (), made

    return make


LOSS_ONLY = ("vit_mae",)  # give nothing but their loss


def language(model: str, config: str, *, length: int = 16, blocks: str = "model.layers.*", **settings: Any) -> Model:
    return Model(hugging_face(model, config, **settings), tokens(length), blocks, labels="input_ids")


def text(model: str, config: str, *, blocks: str = "", **settings: Any) -> Model:
    settings = {**TEXT, **POSITIONS, **SPECIAL, "num_labels": 3} | settings
    return Model(hugging_face(model, config, **settings), tokens(16), blocks, labels="class")


def vision(model: str, config: str, size: int = 32, *, blocks: str = "", **settings: Any) -> Model:
    labels = "class" if model.endswith("ForImageClassification") else ""
    return Model(hugging_face(model, config, **settings), given(pixel_values=(3, size, size)), blocks, labels)


def translation(model: str, config: str, **settings: Any) -> Model:
    blocks = "model.encoder.layers.*,model.decoder.layers.*"
    make = hugging_face(model, config, **ENCODER_DECODER | settings)
    return Model(make, both_tokens(12, 8), blocks, labels="decoder_input_ids")


NEW: dict[str, Model] = {
    # ---- torch.nn ----
    "wavenet": Model(plain.WaveNet, image(4, 64)),
    "tcn": Model(plain.Tcn, image(3, 48), "blocks.*"),
    "attention_seq2seq": Model(plain.AttentionSeq2Seq, both_tokens(8, 5)),
    "text_cnn": Model(plain.TextCnn, tokens(20)),
    "cell_lstm": Model(plain.CellLstm, image(7, 6)),
    "speech_ctc": Model(plain.SpeechCtc, image(1, 16, 40), labels="words"),
    "memory_network": Model(plain.MemoryNetwork, given(story=[10, 6], query=[6])),
    "gated_mlp": Model(plain.GatedMlp, tokens(16)),
    "linear_attention": Model(plain.LinearAttention, tokens(24)),
    "siamese": Model(plain.Siamese, given(first=(1, 28, 28), second=(1, 28, 28))),
    "feature_pyramid": Model(plain.FeaturePyramid, image(3, 64, 64), "stages.*"),
    "gan_pair": Model(plain.GanPair, image(16)),
    "capsules": Model(plain.Capsules, image(1, 28, 28)),
    "pixel_cnn": Model(plain.pixel_cnn, image(1, 28, 28)),
    "super_resolution": Model(plain.SuperResolution, image(3, 20, 20)),
    "spatial_transformer": Model(plain.SpatialTransformer, image(1, 28, 28)),
    "hourglass": Model(plain.Hourglass, image(3, 32, 32), "down.*,side.*,up.*"),
    "vae": Model(plain.Vae, image(1, 28, 28), labels="class"),
    "shuffle": Model(plain.Shuffle, image(3, 32, 32), "blocks.*"),
    "attended": Model(plain.Attended, image(3, 24, 24)),
    "video": Model(plain.video, image(3, 8, 24, 24)),
    "volume_decoder": Model(plain.volume_decoder, image(1, 16, 16, 16)),
    "dlrm": Model(plain.Dlrm, given(dense=(10,), categories=[3, 4])),
    "deep_fm": Model(plain.DeepFm, given(fields=[8])),
    "dense_graph": Model(plain.DenseGraph, given(nodes=(12, 7), adjacency=(12, 12))),
    "point_net": Model(plain.PointNet, image(3, 64)),
    "tabular_residual": Model(plain.TabularResidual, image(20)),
    # ---- transformers: text ----
    "xlnet": Model(
        hugging_face("XLNetForSequenceClassification", "XLNetConfig", vocab_size=100, d_model=32, n_layer=2, n_head=4,
                     d_inner=64, num_labels=3, **SPECIAL),
        tokens(16), labels="class",
    ),
    "funnel": Model(
        hugging_face("FunnelForSequenceClassification", "FunnelConfig", vocab_size=100, block_sizes=[1, 1], d_model=32,
                     n_head=4, d_head=8, d_inner=64, num_labels=3),
        tokens(16), labels="class",
    ),
    "longformer": text(
        "LongformerForSequenceClassification", "LongformerConfig", attention_window=4, max_position_embeddings=66
    ),
    "big_bird": text("BigBirdForSequenceClassification", "BigBirdConfig", attention_type="original_full"),
    "mpnet": text("MPNetForSequenceClassification", "MPNetConfig"),
    "deberta_v2": text(
        "DebertaV2ForSequenceClassification", "DebertaV2Config", relative_attention=True, pos_att_type=["p2c", "c2p"],
        blocks="deberta.encoder.layer.*",
    ),
    "xlm_roberta": Model(
        hugging_face("XLMRobertaForTokenClassification", "XLMRobertaConfig", **TEXT, **POSITIONS, num_labels=5),
        tokens(16), "roberta.encoder.layer.*", labels="tokens",
    ),
    "conv_bert": text("ConvBertForSequenceClassification", "ConvBertConfig", embedding_size=16),
    "squeeze_bert": text("SqueezeBertForSequenceClassification", "SqueezeBertConfig", embedding_size=32),
    "nystromformer": text("NystromformerForSequenceClassification", "NystromformerConfig", num_landmarks=4,
                          segment_means_seq_len=16),
    "roformer": text("RoFormerForSequenceClassification", "RoFormerConfig", embedding_size=32,
                     blocks="roformer.encoder.layer.*"),
    "fnet": text("FNetForSequenceClassification", "FNetConfig"),
    "esm": text("EsmForSequenceClassification", "EsmConfig", position_embedding_type="rotary",
                blocks="esm.encoder.layer.*"),
    "marian": translation("MarianMTModel", "MarianConfig"),
    "mbart": translation("MBartForConditionalGeneration", "MBartConfig"),
    "pegasus": translation("PegasusForConditionalGeneration", "PegasusConfig"),
    "bloom": language(
        "BloomForCausalLM", "BloomConfig", vocab_size=100, hidden_size=32, n_layer=2, n_head=4, blocks="transformer.h.*"
    ),
    "gptj": language("GPTJForCausalLM", "GPTJConfig", **GPT, rotary_dim=4, blocks="transformer.h.*"),
    "codegen": language("CodeGenForCausalLM", "CodeGenConfig", **GPT, rotary_dim=4, blocks="transformer.h.*"),
    "gpt_neo": language(
        "GPTNeoForCausalLM", "GPTNeoConfig", vocab_size=100, hidden_size=32, num_layers=2, num_heads=4, window_size=8,
        attention_types=[[["global", "local"], 1]], max_position_embeddings=64, blocks="transformer.h.*", **SPECIAL,
    ),
    "gpt_big_code": language("GPTBigCodeForCausalLM", "GPTBigCodeConfig", **GPT, blocks="transformer.h.*"),
    "falcon": language(
        "FalconForCausalLM", "FalconConfig", vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        blocks="transformer.h.*", **SPECIAL,
    ),
    "phi": language("PhiForCausalLM", "PhiConfig", **TEXT, **POSITIONS, **SPECIAL),
    "gemma2": language(
        "Gemma2ForCausalLM", "Gemma2Config", **TEXT, **POSITIONS, **SPECIAL, head_dim=8, num_key_value_heads=2,
        sliding_window=8,
    ),
    "stablelm": language(
        "StableLmForCausalLM", "StableLmConfig", **TEXT, **POSITIONS, **SPECIAL, num_key_value_heads=4
    ),
    "olmo": language("OlmoForCausalLM", "OlmoConfig", **TEXT, **POSITIONS, **SPECIAL),
    "qwen3": language("Qwen3ForCausalLM", "Qwen3Config", **TEXT, **POSITIONS, num_key_value_heads=2, head_dim=8),
    "mamba": language(
        "MambaForCausalLM", "MambaConfig", vocab_size=100, hidden_size=32, num_hidden_layers=2, state_size=8, length=8,
        blocks="backbone.layers.*", **SPECIAL,
    ),
    # ---- transformers: images and sound ----
    "efficientnet": vision(
        "EfficientNetForImageClassification", "EfficientNetConfig", width_coefficient=0.25, depth_coefficient=0.2,
        image_size=32, hidden_dim=320, num_labels=5,
    ),
    "levit": vision(
        "LevitForImageClassification", "LevitConfig", 64, image_size=64, hidden_sizes=[16, 32, 48],
        num_attention_heads=[2, 2, 3], depths=[1, 1, 1], key_dim=[8, 8, 8], num_labels=5,
    ),
    "poolformer": vision("PoolFormerForImageClassification", "PoolFormerConfig", 64, **FOUR_STAGES),
    "segformer": vision(
        "SegformerForSemanticSegmentation", "SegformerConfig", 64, **FOUR_STAGES, num_attention_heads=[1, 1, 2, 2],
        decoder_hidden_size=16,
    ),
    "pvt_v2": vision(
        "PvtV2ForImageClassification", "PvtV2Config", 64, **FOUR_STAGES, num_attention_heads=[1, 1, 2, 2], image_size=64
    ),
    "cvt": vision(
        "CvtForImageClassification", "CvtConfig", 64, embed_dim=[8, 16, 24], num_heads=[1, 2, 3], depth=[1, 2, 3],
        num_labels=5,
    ),
    "dpt": vision(
        "DPTForDepthEstimation", "DPTConfig", 64,
        **VISION | {"num_hidden_layers": 4, "image_size": 64, "patch_size": 16},
        backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[8, 16, 16, 16], fusion_hidden_size=16,
        blocks="dpt.encoder.layer.*",
    ),
    "mobilevit": vision(
        "MobileViTForImageClassification", "MobileViTConfig", 64, hidden_sizes=[16, 24, 32], image_size=64,
        neck_hidden_sizes=[8, 8, 16, 24, 24, 32, 40], num_attention_heads=4, num_labels=5,
    ),
    "mobilevit_v2": vision(
        "MobileViTV2ForImageClassification", "MobileViTV2Config", 64, width_multiplier=0.25, image_size=64,
        base_attn_unit_dims=[32, 48, 64], num_labels=5,
    ),
    "beit": vision("BeitForImageClassification", "BeitConfig", **VISION, use_relative_position_bias=True,
                   blocks="beit.layers.*"),
    "clip": Model(
        hugging_face(
            "CLIPModel", "CLIPConfig", projection_dim=16, vision_config=VISION,
            text_config={**TEXT, **POSITIONS, **SPECIAL},
        ),
        given(input_ids=[12], pixel_values=(3, 32, 32)),
    ),
    "yolos": vision(
        "YolosForObjectDetection", "YolosConfig", **VISION | {"image_size": [32, 32]}, num_detection_tokens=5
    ),
    "vit_mae": vision(
        "ViTMAEForPreTraining", "ViTMAEConfig", **VISION, decoder_hidden_size=16, decoder_num_hidden_layers=1,
        decoder_num_attention_heads=4, decoder_intermediate_size=32,
    ),
    "dinov2": vision("Dinov2ForImageClassification", "Dinov2Config", **VISION, blocks="dinov2.encoder.layer.*"),
    "swin_v2": vision(
        "Swinv2ForImageClassification", "Swinv2Config", embed_dim=16, depths=[1, 1], num_heads=[2, 4], window_size=4,
        image_size=32, patch_size=2, num_labels=5,
    ),
    "bit": vision("BitForImageClassification", "BitConfig", 64, **FOUR_STAGES, embedding_size=8, num_groups=4),
    "convnext_v2": vision("ConvNextV2ForImageClassification", "ConvNextV2Config", 64, **FOUR_STAGES, image_size=64),
    "focalnet": vision(
        "FocalNetForImageClassification", "FocalNetConfig", embed_dim=16, depths=[1, 1], hidden_sizes=[16, 32],
        focal_levels=[2, 2], focal_windows=[3, 3], image_size=32, patch_size=4, num_labels=5,
    ),
    "mobilenet_v1": vision(
        "MobileNetV1ForImageClassification", "MobileNetV1Config", depth_multiplier=0.25, image_size=32, num_labels=5
    ),
    "detr": Model(
        hugging_face(
            "DetrForObjectDetection", "DetrConfig", d_model=32, encoder_layers=1, decoder_layers=1,
            encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_queries=6,
            use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, num_labels=5,
            backbone_config={"model_type": "resnet", "embedding_size": 8, "hidden_sizes": [8, 16, 24, 32],
                             "depths": [1, 1, 1, 1], "out_features": ["stage4"]},
        ),
        given(pixel_values=(3, 64, 64)),
    ),
    "wav2vec2": Model(
        hugging_face("Wav2Vec2ForCTC", "Wav2Vec2Config", **SPEECH), given(input_values=(800,)),
        "wav2vec2.encoder.layers.*",
    ),
    "hubert": Model(
        hugging_face("HubertForSequenceClassification", "HubertConfig", **SPEECH), given(input_values=(600,)),
        labels="class",
    ),
    # ---- MONAI ----
    "swin_unetr": Model(
        monai("SwinUNETR", in_channels=1, out_channels=2, feature_size=12, spatial_dims=2, depths=(1, 1, 1, 1),
              num_heads=(1, 2, 2, 4)),
        image(1, 64, 64),
    ),
    "high_res_net": Model(
        monai("HighResNet", spatial_dims=3, in_channels=1, out_channels=2, layer_params=(
            {"name": "conv_0", "n_features": 8, "kernel_size": 3},
            {"name": "res_1", "n_features": 8, "kernels": (3, 3), "repeat": 2},
            {"name": "res_2", "n_features": 16, "kernels": (3, 3), "repeat": 1},
            {"name": "conv_1", "n_features": 16, "kernel_size": 1},
            {"name": "conv_2", "kernel_size": 1},
        )),
        image(1, 12, 12, 12),
    ),
    "flexible_unet": Model(
        monai("FlexibleUNet", in_channels=3, out_channels=2, backbone="resnet18", decoder_channels=(32, 24, 16, 16, 8)),
        image(3, 32, 32),
    ),
    "se_resnet": Model(
        monai("SENet", spatial_dims=2, in_channels=3, block="se_resnet_bottleneck", layers=(1, 1, 1, 1), groups=1,
              reduction=4, inplanes=16, downsample_kernel_size=1, input_3x3=False, num_classes=5),
        image(3, 32, 32),
    ),
    "monai_efficientnet": Model(
        monai("EfficientNet", blocks_args_str=["r1_k3_s11_e1_i32_o8_se0.25", "r2_k5_s22_e4_i8_o16_se0.25"],
              width_coefficient=1.0, depth_coefficient=1.0, spatial_dims=2, in_channels=1, num_classes=5),
        image(1, 32, 32),
    ),
    "regressor": Model(
        monai("Regressor", in_shape=(1, 24, 24), out_shape=(4,), channels=(8, 16), strides=(2, 2)), image(1, 24, 24)
    ),
    "monai_autoencoder": Model(
        monai("AutoEncoder", spatial_dims=3, in_channels=1, out_channels=1, channels=(4, 8, 16), strides=(2, 2, 2),
              inter_channels=(16, 16), inter_dilations=(1, 2), num_res_units=1),
        image(1, 16, 16, 16),
    ),
    "var_autoencoder": Model(
        monai("VarAutoEncoder", spatial_dims=2, in_shape=(1, 32, 32), out_channels=1, latent_size=4, channels=(8, 16),
              strides=(2, 2)),
        image(1, 32, 32),
    ),
    "seg_resnet_ds": Model(
        monai("SegResNetDS", spatial_dims=3, init_filters=8, in_channels=1, out_channels=2, blocks_down=(1, 1, 1)),
        image(1, 16, 16, 16),
    ),
    "basic_unet_plus": Model(
        monai("BasicUNetPlusPlus", spatial_dims=2, in_channels=1, out_channels=2, features=(8, 8, 16, 16, 32, 8)),
        image(1, 32, 32),
    ),
    "quicknat": Model(
        monai("Quicknat", num_classes=3, num_channels=1, num_filters=8, se_block="None", drop_out=0), image(1, 64, 64)
    ),
    "mednext": Model(
        monai("MedNeXt", spatial_dims=3, init_filters=8, in_channels=1, out_channels=2, encoder_expansion_ratio=2,
              decoder_expansion_ratio=2, bottleneck_expansion_ratio=2, blocks_down=(1, 1), blocks_bottleneck=1,
              blocks_up=(1, 1)),
        image(1, 16, 16, 16),
    ),
    "vit_autoenc": Model(
        monai("ViTAutoEnc", in_channels=1, img_size=(32, 32), patch_size=(4, 4), hidden_size=32, mlp_dim=64,
              num_layers=2, num_heads=4, spatial_dims=2, deconv_chns=8),
        image(1, 32, 32), "blocks.*",
    ),
    "monai_resnet": Model(
        monai("ResNet", block="basic", layers=[1, 1, 1, 1], block_inplanes=[8, 16, 24, 32], spatial_dims=3,
              n_input_channels=1, num_classes=3),
        image(1, 24, 24, 24),
    ),
    "diffusion_unet": Model(
        monai("DiffusionModelUNet", spatial_dims=2, in_channels=1, out_channels=1, channels=(16, 32), num_res_blocks=1,
              attention_levels=(False, True), num_head_channels=8, norm_num_groups=8),
        lambda batch: ((torch.rand(batch, 1, 16, 16), torch.randint(0, 100, (batch,))), {}),
    ),
    "patch_discriminator": Model(
        monai("PatchDiscriminator", spatial_dims=2, num_layers_d=2, channels=8, in_channels=1, out_channels=1),
        image(1, 48, 48),
    ),
}  # fmt: skip
