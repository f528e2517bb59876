"""Networks of timm, torchvision, MONAI and torch.nn that the rules had not seen when they were first judged by them.

Small variants on small images. Left out from the start: networks in which values decide about sizes, such as
torchvision's detectors (non-maximum suppression), MONAI's NaViT (token dropout) and VISTA3D (points). Recorded with
timm 1.0.31, torchvision 0.29.2, MONAI 1.6.1 and requirements-vision.txt, where MONAI and einops are installed as well.
"""

from __future__ import annotations

from typing import Any

import new_composites as composite
import new_graphs as graphs
import new_sequences as sequence
import new_tables as tables
import torch
from cuda_networks import declare_operators
from models import Inputs, Make, Model, both_tokens, image, monai, tokens
from torch import nn

declare_operators()  # MONAI, too, looks for torchvision when it is imported


def timm(name: str, size: int = 64, *, blocks: str = "", **settings: Any) -> Model:
    """A model of timm for ten classes, made for images of that size where it asks for it."""

    def make() -> nn.Module:
        import timm

        made: nn.Module = timm.create_model(name, pretrained=False, num_classes=10, **settings)
        return made

    return Model(make, image(3, size, size), blocks)


def fixed(name: str, size: int = 64, **settings: Any) -> Model:
    """One whose tables depend on the size."""
    return timm(name, size, img_size=size, **settings)


def torchvision(name: str, *, family: str = "", **settings: Any) -> Make:
    def make() -> nn.Module:
        import torchvision

        models = getattr(torchvision.models, family) if family else torchvision.models
        made: nn.Module = getattr(models, name)(**settings)
        return made

    return make


TIMM: dict[str, Model] = {
    "timm_test_vit": timm("test_vit", 160),
    "timm_test_vit3": timm("test_vit3", 160),
    "timm_test_resnet": timm("test_resnet"),
    "timm_test_efficientnet": timm("test_efficientnet"),
    "timm_test_efficientnet_gn": timm("test_efficientnet_gn"),
    "timm_test_efficientnet_ln": timm("test_efficientnet_ln"),
    "timm_test_efficientnet_evos": timm("test_efficientnet_evos"),
    "timm_test_byobnet": timm("test_byobnet"),
    "timm_test_convnext": timm("test_convnext"),
    "timm_test_convnext3": timm("test_convnext3"),
    "timm_test_nfnet": timm("test_nfnet"),
    "timm_test_mambaout": timm("test_mambaout"),
    "timm_test_maxvit": fixed("test_maxvit", 64),
    "timm_test_coatnet": fixed("test_coatnet", 64),
    "timm_test_vit_relpos": timm("test_vit_relpos", 160),
    "timm_bat_resnext": timm("bat_resnext26ts", 256),
    "timm_botnet": fixed("botnet26t_256", 64),
    "timm_cait": fixed("cait_xxs24_224", depth=3),
    "timm_coat": fixed("coat_lite_tiny"),
    "timm_convit": fixed("convit_tiny", depth=4, local_up_to_layer=3),
    "timm_convmixer": timm("convmixer_768_32"),
    "timm_convnext_atto": timm("convnext_atto"),
    "timm_convnext_zepto_rms": timm("convnext_zepto_rms"),
    "timm_crossvit": timm("crossvit_9_240", 240, depth=[[1, 2, 0], [1, 2, 0], [1, 2, 0]]),
    "timm_cspresnet": timm("cspresnet50"),
    "timm_cs3darknet": timm("cs3darknet_s"),
    "timm_cspnext": timm("cspnext_tiny"),
    "timm_davit": timm("davit_tiny", depths=(1, 1, 1, 1), embed_dims=(24, 48, 96, 192), num_heads=(1, 2, 4, 8)),
    "timm_deit_distilled": fixed("deit_tiny_distilled_patch16_224", depth=3),
    "timm_densenet": timm("densenet121", growth_rate=8, block_config=(2, 3, 4, 2)),
    "timm_dla": timm("dla46x_c"),
    "timm_dpn": timm("dpn48b"),
    "timm_edgenext": timm("edgenext_xx_small"),
    "timm_efficientformer": timm("efficientformer_l1", 224),
    "timm_efficientformerv2": fixed("efficientformerv2_s0"),
    "timm_efficientvit_mit": timm("efficientvit_b0"),
    "timm_efficientvit_msra": fixed("efficientvit_m0"),
    "timm_eva": fixed("eva02_tiny_patch14_224", 56, depth=3),
    "timm_fasternet": timm("fasternet_t0"),
    "timm_fastvit": timm("fastvit_t8"),
    "timm_focalnet": timm("focalnet_tiny_srf"),
    "timm_gcvit": fixed("gcvit_xxtiny"),
    "timm_gernet": timm("gernet_s"),
    "timm_ghostnet": timm("ghostnet_050"),
    "timm_ghostnetv2": timm("ghostnetv2_100"),
    "timm_gmixer": fixed("gmixer_12_224"),
    "timm_gmlp": fixed("gmlp_ti16_224"),
    "timm_halonet": timm("halonet26t", 256),
    "timm_hgnetv2": timm("hgnetv2_b0"),
    "timm_hiera": fixed("hiera_tiny_224", 224, embed_dim=24, stages=(1, 1, 2, 1)),
    "timm_hrnet": timm("hrnet_w18_small"),
    "timm_inception_v3": timm("inception_v3", 96),
    "timm_inception_resnet": timm("inception_resnet_v2", 96),
    "timm_inception_next": timm("inception_next_atto"),
    "timm_lambda": fixed("lambda_resnet26t"),
    "timm_lcnet": timm("lcnet_035"),
    "timm_levit": timm("levit_128s", 224),
    "timm_mambaout": timm("mambaout_femto"),
    "timm_maxxvit": fixed("maxxvit_rmlp_nano_rw_256"),
    "timm_mixer": fixed("mixer_s32_224"),
    "timm_mixnet": timm("mixnet_s"),
    "timm_mobilenetv3": timm("mobilenetv3_small_050"),
    "timm_mobilenetv4": timm("mobilenetv4_conv_small_035"),
    "timm_mobilenetv4_hybrid": timm("mobilenetv4_hybrid_medium_075"),
    "timm_mobileone": timm("mobileone_s0"),
    "timm_mobilevit": timm("mobilevit_xxs"),
    "timm_mobilevitv2": timm("mobilevitv2_050"),
    "timm_mvitv2": timm("mvitv2_tiny", 224),
    "timm_nest": fixed("nest_tiny_jx", 64),
    "timm_nextvit": timm("nextvit_small"),
    "timm_nf_regnet": timm("nf_regnet_b0"),
    "timm_pit": fixed("pit_ti_224"),
    "timm_poolformerv2": timm("poolformerv2_s12"),
    "timm_pvt_v2_li": timm("pvt_v2_b2_li", depths=(1, 1, 1, 1)),
    "timm_rdnet": timm("rdnet_tiny", 64, growth_rates=(16, 16, 16, 16, 16, 16, 16)),
    "timm_regnetz": timm("regnetz_005"),
    "timm_repghost": timm("repghostnet_050"),
    "timm_repvgg": timm("repvgg_a0"),
    "timm_repvit": timm("repvit_m0_9"),
    "timm_res2net": timm("res2net50_14w_8s", layers=(1, 1, 1, 1)),
    "timm_resmlp": fixed("resmlp_12_224"),
    "timm_resnest": timm("resnest14d"),
    "timm_resnet_aa": timm("resnetaa34d"),
    "timm_resnet_blur": timm("resnetblur18"),
    "timm_ecaresnet": timm("ecaresnet26t"),
    "timm_resnetv2_bit": timm("resnetv2_50x1_bit"),
    "timm_rexnet": timm("rexnet_100"),
    "timm_samvit": fixed("samvit_base_patch16_224", 64, embed_dim=48, depth=3, num_heads=4, global_attn_indexes=(1,)),
    "timm_sebotnet": fixed("sebotnet33ts_256"),
    "timm_selecsls": timm("selecsls42"),
    "timm_sequencer": timm("sequencer2d_s", layers=(1, 1, 2, 1)),
    "timm_shvit": timm("shvit_s1"),
    "timm_skresnet": timm("skresnet18"),
    "timm_starnet": timm("starnet_s050"),
    "timm_swiftformer": timm("swiftformer_xs"),
    "timm_swinv2_cr": fixed("swinv2_cr_tiny_224", 64, embed_dim=24, depths=(1, 1, 2, 1), window_size=2),
    "timm_tiny_vit": timm("tiny_vit_5m_224", 224),
    "timm_tinynet": timm("tinynet_e"),
    "timm_tnt": fixed("tnt_s_legacy_patch16_224", 64, depth=3),
    "timm_tresnet": timm("tresnet_m", layers=[1, 1, 1, 1]),
    "timm_twins_svt": timm("twins_svt_small", 224, depths=[1, 1, 2, 1], embed_dims=[24, 48, 96, 192]),
    "timm_twins_pcpvt": timm("twins_pcpvt_small", 224, depths=[1, 1, 1, 1]),
    "timm_visformer": fixed("visformer_tiny", 64),
    "timm_vit_rope": fixed("vit_small_patch16_rope_224", 64, embed_dim=48, depth=3, num_heads=4),
    "timm_vit_dino": fixed("vit_small_patch14_reg4_dinov2", 56, embed_dim=48, depth=3, num_heads=4),
    "timm_vit_srelpos": fixed("vit_srelpos_small_patch16_224", 64, embed_dim=48, depth=3, num_heads=4),
    "timm_vitamin": fixed("vitamin_small_224", 64),
    "timm_volo": fixed("volo_d1_224", 64),
    "timm_vovnet": timm("ese_vovnet19b_slim_dw"),
    "timm_xception": timm("xception41p"),
    "timm_xcit": fixed("xcit_nano_12_p16_224", 64, depth=3),
}

TORCHVISION: dict[str, Model] = {
    "tv_alexnet": Model(torchvision("alexnet"), image(3, 64, 64)),
    "tv_vgg11_bn": Model(torchvision("vgg11_bn", num_classes=10), image(3, 32, 32)),
    "tv_squeezenet": Model(torchvision("squeezenet1_1"), image(3, 64, 64)),
    "tv_googlenet": Model(
        torchvision("googlenet", aux_logits=True, init_weights=False, transform_input=True), image(3, 224, 224)
    ),
    "tv_inception_v3": Model(torchvision("inception_v3", aux_logits=False, init_weights=False), image(3, 96, 96)),
    "tv_mobilenet_v2": Model(torchvision("mobilenet_v2", width_mult=0.35), image(3, 64, 64)),
    "tv_mobilenet_v3": Model(torchvision("mobilenet_v3_small"), image(3, 64, 64)),
    "tv_mnasnet": Model(torchvision("mnasnet0_5"), image(3, 64, 64)),
    "tv_shufflenet": Model(torchvision("shufflenet_v2_x0_5"), image(3, 64, 64)),
    "tv_regnet_y": Model(torchvision("regnet_y_400mf"), image(3, 64, 64)),
    "tv_efficientnet_b0": Model(torchvision("efficientnet_b0"), image(3, 64, 64)),
    "tv_efficientnet_v2": Model(torchvision("efficientnet_v2_s"), image(3, 64, 64)),
    "tv_convnext": Model(torchvision("convnext_tiny"), image(3, 64, 64)),
    "tv_densenet": Model(torchvision("DenseNet", growth_rate=8, block_config=(2, 3, 4, 2)), image(3, 64, 64)),
    "tv_resnet18": Model(torchvision("resnet18"), image(3, 64, 64)),
    "tv_resnext": Model(torchvision("resnext50_32x4d"), image(3, 64, 64)),
    "tv_swin": Model(
        torchvision("SwinTransformer", patch_size=[4, 4], embed_dim=24, depths=[2, 2], num_heads=[3, 6],
                    window_size=[4, 4], num_classes=10),
        image(3, 48, 48),
    ),
    "tv_swin_v2": Model(torchvision("swin_v2_t", num_classes=10), image(3, 64, 64)),
    "tv_vit": Model(
        torchvision("VisionTransformer", image_size=32, patch_size=8, num_layers=2, num_heads=4, hidden_dim=32,
                    mlp_dim=64, num_classes=10),
        image(3, 32, 32),
    ),
    "tv_maxvit": Model(
        torchvision("MaxVit", input_size=(64, 64), stem_channels=16, partition_size=2, block_channels=[16, 32],
                    block_layers=[1, 1], head_dim=8, stochastic_depth_prob=0.1, num_classes=10),
        image(3, 64, 64),
    ),
    "tv_r3d": Model(torchvision("r3d_18", family="video", num_classes=10), image(3, 4, 32, 32)),
    "tv_mc3": Model(torchvision("mc3_18", family="video", num_classes=10), image(3, 4, 32, 32)),
    "tv_r2plus1d": Model(torchvision("r2plus1d_18", family="video", num_classes=10), image(3, 4, 32, 32)),
    "tv_swin3d": Model(torchvision("swin3d_t", family="video", num_classes=10), image(3, 4, 64, 64)),
    "tv_fcn": Model(
        torchvision("fcn_resnet50", family="segmentation", num_classes=3, weights_backbone=None), image(3, 64, 64)
    ),
    "tv_deeplab": Model(
        torchvision("deeplabv3_mobilenet_v3_large", family="segmentation", num_classes=3, weights_backbone=None),
        image(3, 64, 64),
    ),
    "tv_lraspp": Model(
        torchvision("lraspp_mobilenet_v3_large", family="segmentation", num_classes=3, weights_backbone=None),
        image(3, 64, 64),
    ),
    "tv_raft": Model(
        torchvision("raft_small", family="optical_flow"),
        lambda batch: ((torch.rand(batch, 3, 128, 128), torch.rand(batch, 3, 128, 128)), {"num_flow_updates": 2}),
    ),
}  # fmt: skip

STEPS = {"num_res_blocks": 1, "attention_levels": (False, True), "norm_num_groups": 8, "channels": (16, 32)}


def moment(*shape: int, **more: tuple[int, ...]) -> Inputs:
    """An image with the time of a diffusion, and more images by name."""

    def make(batch: int) -> Any:
        others = {name: torch.rand(batch, *size) for name, size in more.items()}
        return (torch.rand(batch, *shape), torch.randint(0, 100, (batch,))), others

    return make


def pair(first: tuple[int, ...], second: tuple[int, ...]) -> Inputs:
    return lambda batch: ((torch.rand(batch, *first), torch.rand(batch, *second)), {})


def restormer(**settings: Any) -> Make:
    """It is in no list of the package's networks."""

    def make() -> nn.Module:
        from monai.networks.nets.restormer import Restormer

        return Restormer(**settings)

    return make


MONAI: dict[str, Model] = {
    "monai_ahnet": Model(
        monai("AHNet", layers=(1, 1, 1, 1), spatial_dims=2, in_channels=1, out_channels=2, psp_block_num=2),
        image(1, 64, 64),
    ),
    "monai_ahnet_3d": Model(
        monai("AHNet", layers=(1, 1, 1, 1), spatial_dims=3, in_channels=1, out_channels=2, psp_block_num=2,
              upsample_mode="trilinear"),
        image(1, 32, 32, 32),
    ),
    "monai_autoencoder_kl": Model(
        monai("AutoencoderKL", spatial_dims=2, in_channels=1, out_channels=1, latent_channels=3, **STEPS),
        image(1, 32, 32),
    ),
    "monai_autoencoder_kl_3d": Model(
        monai("AutoencoderKL", spatial_dims=3, in_channels=1, out_channels=1, latent_channels=3, use_convtranspose=True,
              **STEPS),
        image(1, 8, 8, 8),
    ),
    "monai_classifier": Model(
        monai("Classifier", in_shape=(1, 24, 24), classes=4, channels=(8, 16), strides=(2, 2)), image(1, 24, 24)
    ),
    "monai_discriminator": Model(
        monai("Discriminator", in_shape=(1, 16, 16, 16), channels=(8, 16), strides=(2, 2)), image(1, 16, 16, 16)
    ),
    "monai_critic": Model(
        monai("Critic", in_shape=(1, 32, 32), channels=(8, 16, 32), strides=(2, 2, 2), num_res_units=0),
        image(1, 32, 32),
    ),
    "monai_controlnet": Model(
        monai("ControlNet", spatial_dims=2, in_channels=1, num_head_channels=8,
              conditioning_embedding_num_channels=(8, 16), **STEPS),
        moment(1, 16, 16, controlnet_cond=(1, 32, 32)),
    ),
    "monai_daf3d": Model(monai("DAF3D", in_channels=1, out_channels=1), image(1, 32, 32, 32)),
    "monai_fully_connected": Model(
        monai("FullyConnectedNet", in_channels=20, out_channels=4, hidden_channels=(32, 16), dropout=0.2), image(20)
    ),
    "monai_var_fully_connected": Model(
        monai("VarFullyConnectedNet", in_channels=20, out_channels=20, latent_size=4, encode_channels=(32, 16),
              decode_channels=(16, 32)),
        image(20),
    ),
    "monai_generator": Model(
        monai("Generator", latent_shape=(12,), start_shape=(16, 4, 4), channels=(16, 8, 1), strides=(2, 2, 1)),
        image(12),
    ),
    "monai_hovernet": Model(monai("HoVerNet", mode="fast", out_classes=3), image(3, 256, 256)),
    "monai_mae_vit": Model(
        monai("MaskedAutoEncoderViT", in_channels=1, img_size=(32, 32), patch_size=(8, 8), hidden_size=32, mlp_dim=64,
              num_layers=2, num_heads=4, decoder_hidden_size=32, decoder_mlp_dim=64, decoder_num_layers=1,
              decoder_num_heads=4, spatial_dims=2),
        image(1, 32, 32),
    ),
    "monai_milmodel": Model(
        monai("MILModel", num_classes=2, mil_mode="att_trans", pretrained=False, backbone="resnet18", trans_blocks=1),
        image(3, 3, 32, 32),
    ),
    "monai_regunet": Model(
        monai("RegUNet", spatial_dims=3, in_channels=2, num_channel_initial=4, depth=2), image(2, 16, 16, 16)
    ),
    "monai_globalnet": Model(
        monai("GlobalNet", image_size=[16, 16], spatial_dims=2, in_channels=2, num_channel_initial=4, depth=2),
        image(2, 16, 16),
    ),
    "monai_localnet": Model(
        monai("LocalNet", spatial_dims=2, in_channels=2, num_channel_initial=4, extract_levels=(0, 1, 2)),
        image(2, 32, 32),
    ),
    "monai_restormer": Model(
        restormer(spatial_dims=2, in_channels=1, out_channels=1, dim=16, num_refinement_blocks=1),
        image(1, 32, 32),
    ),
    "monai_segresnet_vae": Model(
        monai("SegResNetVAE", input_image_size=(32, 32), spatial_dims=2, in_channels=1, vae_nz=16,
              blocks_down=(1, 1, 1), blocks_up=(1, 1)),
        image(1, 32, 32),
    ),
    "monai_segresnet_3d": Model(
        monai("SegResNet", spatial_dims=3, init_filters=8, in_channels=1, out_channels=2, dropout_prob=0.2,
              upsample_mode="deconv"),
        image(1, 16, 16, 16),
    ),
    "monai_spade_autoencoder": Model(
        monai("SPADEAutoencoderKL", spatial_dims=2, label_nc=3, in_channels=1, out_channels=1, latent_channels=3,
              spade_intermediate_channels=8, **STEPS),
        pair((1, 32, 32), (3, 32, 32)),
    ),
    "monai_spade_diffusion": Model(
        monai("SPADEDiffusionModelUNet", spatial_dims=2, in_channels=1, out_channels=1, label_nc=3, num_head_channels=8,
              spade_intermediate_channels=8, **STEPS),
        moment(1, 16, 16, seg=(3, 16, 16)),
    ),
    "monai_spade_net": Model(
        monai("SPADENet", spatial_dims=2, in_channels=1, out_channels=1, label_nc=3, input_shape=[32, 32],
              channels=[8, 16], z_dim=8, spade_intermediate_channels=8),
        pair((3, 32, 32), (1, 32, 32)),
    ),
    "monai_torchvision_fc": Model(
        monai("TorchVisionFCModel", model_name="resnet18", num_classes=4, use_conv=True,
              pool=("avg", {"kernel_size": 2, "stride": 1}), pretrained=False),
        image(3, 64, 64),
    ),
    "monai_decoder_only": Model(
        monai("DecoderOnlyTransformer", num_tokens=100, max_seq_len=16, attn_layers_dim=32, attn_layers_depth=2,
              attn_layers_heads=4, with_cross_attention=True),
        lambda batch: ((torch.randint(0, 100, (batch, 16)),), {"context": torch.rand(batch, 6, 32)}),
    ),
    "monai_vit_3d": Model(
        monai("ViT", in_channels=1, img_size=(16, 16, 16), patch_size=(8, 8, 8), hidden_size=32, mlp_dim=64,
              num_layers=2, num_heads=4, classification=True, proj_type="conv", save_attn=True),
        image(1, 16, 16, 16),
    ),
    "monai_voxelmorph_unet": Model(
        monai("VoxelMorphUNet", spatial_dims=3, in_channels=2, unet_out_channels=8, channels=(8, 8, 8, 8, 8, 8),
              final_conv_channels=(8, 8)),
        image(2, 16, 16, 16),
    ),
    "monai_voxelmorph": Model(
        monai("VoxelMorph", integration_steps=3, half_res=True), pair((1, 32, 32, 32), (1, 32, 32, 32))
    ),
    "monai_vqvae": Model(
        monai("VQVAE", spatial_dims=2, in_channels=1, out_channels=1, channels=(8, 16), num_res_layers=1,
              num_res_channels=(8, 16), downsample_parameters=((2, 4, 1, 1),) * 2,
              upsample_parameters=((2, 4, 1, 1, 0),) * 2, num_embeddings=16, embedding_dim=8),
        image(1, 32, 32),
    ),
    "monai_multi_scale": Model(
        monai("MultiScalePatchDiscriminator", num_d=2, num_layers_d=2, spatial_dims=2, channels=8, in_channels=1,
              minimum_size_im=64),
        image(1, 64, 64),
    ),
    "monai_swin_unetr_3d": Model(
        monai("SwinUNETR", in_channels=1, out_channels=2, feature_size=12, spatial_dims=3, depths=(1, 1, 1, 1),
              num_heads=(1, 2, 2, 4), use_v2=True),
        image(1, 64, 64, 64),
    ),
    "monai_dyn_unet_ds": Model(
        monai("DynUNet", spatial_dims=2, in_channels=1, out_channels=2, kernel_size=(3, 3, 3, 3), strides=(1, 2, 2, 2),
              upsample_kernel_size=(2, 2, 2), deep_supervision=True, deep_supr_num=2, res_block=True),
        image(1, 32, 32),
    ),
    "monai_diffusion_3d": Model(
        monai("DiffusionModelUNet", spatial_dims=3, in_channels=1, out_channels=1, num_head_channels=8,
              resblock_updown=True, **STEPS),
        moment(1, 8, 8, 8),
    ),
    "monai_unet_1d": Model(
        monai("UNet", spatial_dims=1, in_channels=1, out_channels=2, channels=(8, 16, 32), strides=(2, 2), norm="batch",
              dropout=0.1, num_res_units=2),
        image(1, 64),
    ),
    "monai_attention_unet_3d": Model(
        monai("AttentionUnet", spatial_dims=3, in_channels=1, out_channels=2, channels=(4, 8, 16), strides=(2, 2)),
        image(1, 16, 16, 16),
    ),
    "monai_densenet_3d": Model(
        monai("DenseNet", spatial_dims=3, in_channels=1, out_channels=3, init_features=8, growth_rate=4,
              block_config=(2, 2), dropout_prob=0.1),
        image(1, 24, 24, 24),
    ),
    "monai_senet_3d": Model(
        monai("SENet", spatial_dims=3, in_channels=1, block="se_resnetxt_bottleneck", layers=(1, 1, 1, 1), groups=8,
              reduction=4, inplanes=16, downsample_kernel_size=1, input_3x3=True, num_classes=5),
        image(1, 24, 24, 24),
    ),
}  # fmt: skip


def graph(nodes: int, edges: int, *, features: int = 0, apart: bool = False) -> Inputs:
    """Nodes with seven features, all graphs of a batch in one list unless they are kept apart, and edges at random."""

    def make(batch: int) -> Any:
        shape = (batch, nodes, 7) if apart else (batch * nodes, 7)
        given = {"nodes": torch.rand(shape), "edges": torch.randint(0, batch * nodes, (2, batch * edges))}
        return (), given | ({"features": torch.rand(batch * edges, features)} if features else {})

    return make


def several(**shapes: Any) -> Inputs:
    """Keyword arguments by their shapes without the batch; a list is one of whole numbers."""

    def make(batch: int) -> Any:
        return (), {
            name: torch.randint(0, 10, (batch, *shape)) if isinstance(shape, list) else torch.rand(batch, *shape)
            for name, shape in shapes.items()
        }

    return make


COMPOSITES: dict[str, Model] = {
    "message_passing": Model(graphs.MessagePassing, graph(12, 30, features=4)),
    "graph_convolution": Model(graphs.GraphConvolution, graph(12, 30)),
    "edge_attention": Model(graphs.EdgeAttention, graph(12, 30)),
    "sage_mean": Model(graphs.SageMean, graph(12, 30)),
    "isomorphism": Model(graphs.Isomorphism, graph(12, 30, apart=True)),
    "continuous_filter": Model(graphs.ContinuousFilter, several(kinds=[9], positions=(9, 3))),
    "edge_conv": Model(graphs.EdgeConv, image(3, 24)),
    "set_abstraction": Model(graphs.SetAbstraction, image(32, 3)),
    "set_transformer": Model(graphs.SetTransformer, image(20, 3)),
    "conv_vae": Model(composite.ConvVae, several(image=(1, 28, 28)), labels="class"),
    "vector_quantizer": Model(composite.VectorQuantizer, several(image=(3, 16, 16)), labels="class"),
    "hinge_gan": Model(composite.HingeGan, several(noise=(12,), image=(3, 16, 16))),
    "denoiser": Model(composite.Denoiser, several(x=(3, 16, 16), t=[])),
    "real_nvp": Model(composite.RealNvp, several(x=(8,)), labels=""),
    "real_nvp_likelihood": Model(composite.RealNvp, several(x=(8,)), labels="class"),
    "glow_step": Model(composite.GlowStep, several(image=(3, 16, 16))),
    "masked_autoregressive": Model(composite.MaskedAutoregressive, image(10)),
    "modulated": Model(composite.Modulated, image(8)),
    "dense_super_resolution": Model(composite.DenseSuperResolution, image(3, 20, 20)),
    "seg_net": Model(composite.SegNet, image(3, 32, 32)),
    "gated_unet": Model(composite.GatedUNet, image(1, 38, 38)),
    "pyramid_pooling": Model(composite.PyramidPooling, image(3, 32, 32)),
    "focal_detector": Model(composite.Detector, several(image=(3, 32, 32)), labels="class"),
    "key_points": Model(composite.KeyPoints, image(3, 32, 32)),
    "flow_warp": Model(composite.FlowWarp, several(first=(1, 24, 24), second=(1, 24, 24)), labels="class"),
    "involution": Model(composite.Involution, image(3, 16, 16)),
    "patches": Model(composite.Patches, image(3, 16, 16)),
    "axial_attention": Model(composite.AxialAttention, image(3, 16, 16)),
    "coordinates": Model(composite.Coordinates, image(3, 32, 32)),
    "octave": Model(composite.Octave, image(3, 16, 16)),
    "slots": Model(composite.Slots, image(3, 24, 24)),
    "volume_unet": Model(composite.VolumeUNet, image(1, 12, 12, 12)),
    "video_convolutions": Model(composite.VideoConvolutions, image(3, 8, 24, 24)),
    "conv_lstm": Model(composite.ConvLstm, image(4, 3, 12, 12)),
    "radiance_field": Model(composite.RadianceField, several(origins=(3,), directions=(3,))),
    "siren": Model(composite.Siren, image(64, 2)),
    "conformer": Model(sequence.Conformer, image(40, 19), "blocks.*"),
    "separator": Model(sequence.Separator, image(1, 516)),
    "masked_separation": Model(sequence.MaskedSeparation, several(wave=(1, 400)), labels="class"),
    "sound_events": Model(sequence.SoundEvents, image(1, 20, 32)),
    "spectrogram": Model(sequence.Spectrogram, image(1, 1024)),
    "nn_transformer": Model(sequence.Transformer, both_tokens(10, 7)),
    "caption_decoder": Model(sequence.CaptionDecoder, several(image=(3, 32, 32), words=[9])),
    "padded_encoder": Model(sequence.PaddedEncoder, tokens(14)),
    "highway": Model(sequence.Highway, several(letters=[6, 8])),
    "reader": Model(sequence.Reader, several(context=[16], question=[6])),
    "conv_seq2seq": Model(sequence.ConvSeq2Seq, both_tokens(10, 7)),
    "pointer_network": Model(sequence.PointerNetwork, image(8, 2)),
    "retention": Model(sequence.Retention, tokens(16)),
    "adapted": Model(sequence.Adapted, image(10, 24)),
    "state_space": Model(sequence.StateSpace, image(10, 3)),
    "basis_expansion": Model(sequence.BasisExpansion, image(24)),
    "probabilistic": Model(sequence.Probabilistic, several(series=(12, 1), kind=[]), labels="class"),
    "patch_series": Model(sequence.PatchSeries, image(48, 3)),
    "decomposed": Model(sequence.Decomposed, image(24, 3)),
    "skip_recurrent": Model(sequence.SkipRecurrent, image(24, 6)),
    "ode": Model(sequence.Ode, image(4)),
    "turing_machine": Model(sequence.TuringMachine, image(5, 4)),
    "wide_and_deep": Model(tables.WideAndDeep, several(categories=[4], numbers=(5,))),
    "cross_network": Model(tables.CrossNetwork, several(numbers=(5,), fields=[3])),
    "two_tower": Model(tables.TwoTower, several(user=[], item=[]), labels="class"),
    "sequential_recommender": Model(
        tables.SequentialRecommender, several(before=[10], better=[10], worse=[10]), labels="class"
    ),
    "attentive_table": Model(tables.AttentiveTable, image(12)),
    "feature_tokens": Model(tables.FeatureTokens, several(numbers=(6,), categories=[3])),
    "triplet": Model(
        tables.Triplet, several(anchor=(1, 28, 28), near=(1, 28, 28), far=(1, 28, 28)), labels="class"
    ),
    "contrastive": Model(tables.Contrastive, several(first=(3, 16, 16), second=(3, 16, 16)), labels="class"),
    "distilled": Model(tables.Distilled, several(image=(3, 8, 8)), labels="class"),
    "actor_critic": Model(tables.ActorCritic, several(image=(4, 20, 20), advantage=(), old=()), labels="class"),
    "dueling": Model(tables.Dueling, several(state=(8,), after=(8,)), labels="class"),
    "gaussian_policy": Model(tables.GaussianPolicy, image(8)),
    "mixture_density": Model(tables.MixtureDensity, several(x=(4,), y=(1,)), labels="class"),
    "hyper_network": Model(tables.HyperNetwork, image(10)),
    "modulation": Model(tables.Modulation, several(image=(3, 16, 16), question=[6])),
    "prototypes": Model(tables.Prototypes, several(support=(3, 1, 16, 16), query=(1, 16, 16))),
    "landmarks": Model(tables.Landmarks, image(10)),
    "maxout": Model(tables.Maxout, image(20)),
}  # fmt: skip

VISION: dict[str, Model] = TIMM | TORCHVISION | MONAI | COMPOSITES
