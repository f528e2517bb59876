"""Tilings against PyTorch: tiles give what the whole gives, and outputs depend on what a tiling says and no more."""

import importlib.util
import unittest

TORCH = importlib.util.find_spec("torch") is not None

if TORCH:
    import memmodel
    import memmodel.torch
    import torch
    from torch import nn

    def block(before, after):
        return nn.Sequential(
            nn.Conv3d(before, after, 3, padding=1), nn.BatchNorm3d(after), nn.LeakyReLU(0.5),
            nn.Conv3d(after, after, 3, padding=1), nn.BatchNorm3d(after), nn.LeakyReLU(0.5),
        )  # fmt: skip

    class UNet(nn.Module):
        def __init__(self, depth, up):
            super().__init__()
            self.encoder = nn.ModuleList(block(max(1, 2**level), 2 ** (level + 1)) for level in range(depth))
            self.bottom = block(2**depth, 2 ** (depth + 1))
            self.up = nn.ModuleList(self.upward(2 ** (level + 2), 2 ** (level + 1), up) for level in range(depth))
            self.decoder = nn.ModuleList(block(2 ** (level + 2), 2 ** (level + 1)) for level in range(depth))
            self.mask = nn.Conv3d(2, 1, 1)

        @staticmethod
        def upward(before, after, up):
            if up == "transposed":
                return nn.ConvTranspose3d(before, after, 2, stride=2)
            return nn.Sequential(nn.Upsample(scale_factor=2, mode=up), nn.Conv3d(before, after, 1))

        def forward(self, x):
            skips = []
            for encoder in self.encoder:
                x = encoder(x)
                skips.append(x)
                x = nn.functional.max_pool3d(x, 2)
            x = self.bottom(x)
            for level in reversed(range(len(self.encoder))):
                x = self.decoder[level](torch.cat([self.up[level](x), skips[level]], 1))
            return self.mask(x)

    def unet(depth, up):
        torch.manual_seed(1)
        model = UNet(depth, up).double().eval()
        for module in model.modules():
            if isinstance(module, nn.BatchNorm3d):
                module.running_mean.normal_()
                module.running_var.uniform_(0.5, 2)
        return model

    def tiled(model, volume, tiles, like):
        whole = torch.full_like(like, float("nan"))
        for tile in tiles:
            whole[(..., *tile.output)] = model(volume[(..., *tile.input)])[(..., *tile.crop)]
        return whole


@unittest.skipUnless(TORCH, "needs torch")
class Tilings(unittest.TestCase):
    def test_tiles_give_what_the_whole_gives(self):
        for up in ("transposed", "nearest", "trilinear"):
            with self.subTest(up=up), torch.no_grad():
                model, volume = unet(1, up), torch.randn(1, 1, 72, 20, 22, dtype=torch.float64)
                net = memmodel.torch.from_module(model, (volume,), mode="inference", symbolic=False)
                tiling = memmodel.Tiling(net, memmodel.Tiling(net).peak // 2)
                whole = model(volume)
                self.assertGreaterEqual(len(tiling), 3)
                self.assertGreater(tiling.overhead, 0)
                torch.testing.assert_close(tiled(model, volume, tiling, whole), whole, rtol=1e-12, atol=1e-12)

    def test_tiles_with_less_around_them_do_not(self):
        with torch.no_grad():
            model, volume = unet(1, "transposed"), torch.randn(1, 1, 72, 16, 16, dtype=torch.float64)
            net = memmodel.torch.from_module(model, (volume,), mode="inference", symbolic=False)
            tiling = memmodel.Tiling(net, memmodel.Tiling(net).peak // 2)
            axis, whole, less = tiling.axes[0], model(volume), []
            self.assertGreater(axis.tile_count, 1)
            for read, keep, write in tiling:
                cut = axis.alignment if read[0].start else 0
                first = slice(read[0].start + cut, read[0].stop)
                kept = slice(keep[0].start - cut, keep[0].stop - cut)
                less.append(memmodel.Tile((first, *read[1:]), (kept, *keep[1:]), write))
            wrong = (tiled(model, volume, less, whole) - whole).abs().amax((0, 1, 3, 4)) > 1e-9
            inner = [tile.output[0].start for tile in tiling if tile.output[0].start]
            self.assertEqual(sorted(set(inner) & set(wrong.nonzero().flatten().tolist())), sorted(set(inner)))

    def test_outputs_depend_on_what_is_around_and_no_more(self):
        for depth, up in ((1, "transposed"), (1, "trilinear"), (2, "transposed")):
            with self.subTest(depth=depth, up=up):
                model = unet(depth, up)
                volume = torch.randn(1, 1, 128, 16, 16, dtype=torch.float64, requires_grad=True)
                net = memmodel.torch.from_module(model, (volume.detach(),), mode="inference", symbolic=False)
                axis = memmodel.Tiling(net).axes[0]
                model(volume)[:, :, 64 : 64 + axis.alignment].square().sum().backward()
                used = volume.grad.abs().amax((0, 1, 3, 4)).nonzero().flatten()
                self.assertEqual(64 - int(used.min()), axis.halo_before)
                self.assertEqual(int(used.max()) + 1 - 64 - axis.alignment, axis.halo_after)


if __name__ == "__main__":
    unittest.main()
