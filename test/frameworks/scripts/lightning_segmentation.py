"""Lightning, 16-mixed: a U-Net for images, hooks, a learning rate of its own schedule, resumed from its checkpoint."""

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Circles(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        y, x = torch.meshgrid(torch.arange(48), torch.arange(48), indexing="ij")
        mask = ((x - 24) ** 2 + (y - 24) ** 2 < (5 + index % 15) ** 2).long()
        return mask[None].float() + 0.1 * torch.randn(1, 48, 48), mask


def double(inside, outside):
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, padding=1), nn.InstanceNorm2d(outside), nn.LeakyReLU(),
        nn.Conv2d(outside, outside, 3, padding=1), nn.LeakyReLU(),
    )  # fmt: skip


class UNet(L.LightningModule):
    def __init__(self, lr: float = 1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.a, self.b, self.c = double(1, 8), double(8, 16), double(24, 8)
        self.up, self.out = nn.ConvTranspose2d(16, 16, 2, stride=2), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = self.a(x)
        return self.out(self.c(torch.cat([a, self.up(self.b(F.max_pool2d(a, 2)))], 1)))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("loss", loss, prog_bar=True, on_step=True)
        return {"loss": loss}

    def on_before_optimizer_step(self, optimizer):
        norms = [p.grad.norm() for p in self.parameters() if p.grad is not None]
        self.log("grad_norm", torch.stack(norms).norm())

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), self.hparams.lr, momentum=0.9)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.95**step)
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]


class Printer(Callback):
    def on_train_epoch_end(self, trainer, module):
        print("epoch", trainer.current_epoch, {k: float(v) for k, v in trainer.callback_metrics.items()})


if __name__ == "__main__":
    checkpoint = ModelCheckpoint(dirpath="checkpoints", save_last=True, every_n_train_steps=2)
    loader = DataLoader(Circles(), batch_size=8, shuffle=True)
    options = {"accelerator": "cpu", "precision": "16-mixed", "logger": False, "log_every_n_steps": 1}
    L.Trainer(max_epochs=1, callbacks=[checkpoint, Printer()], **options).fit(UNet(), loader)
    L.Trainer(max_epochs=2, **options).fit(UNet(), loader, ckpt_path=checkpoint.last_model_path)
