"""Lightning: a CNN with validation, metrics, checkpoints, clipped gradients and a schedule."""

import lightning as L
import torch
import torchmetrics
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


class Classifier(L.LightningModule):
    def __init__(self, width=16, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Conv2d(3, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(2 * width, 10),
        )  # fmt: skip
        self.accuracy = torchmetrics.Accuracy(task="multiclass", num_classes=10)

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, _):
        x, y = batch
        logits = self(x)
        loss = F.cross_entropy(logits, y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        logits = self(x)
        self.accuracy(logits, y)
        self.log("val_loss", F.cross_entropy(logits, y))
        self.log("val_acc", self.accuracy, on_epoch=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "epoch"}}


def data(count):
    return TensorDataset(torch.randn(count, 3, 32, 32), torch.randint(0, 10, (count,)))


if __name__ == "__main__":
    L.seed_everything(7)
    trainer = L.Trainer(
        accelerator="cpu", devices=1, max_epochs=2, gradient_clip_val=1.0, log_every_n_steps=1,
        logger=CSVLogger("logs"), default_root_dir=".",
        callbacks=[ModelCheckpoint(monitor="val_loss", save_top_k=1), LearningRateMonitor()],
    )  # fmt: skip
    train, val = DataLoader(data(64), batch_size=32, shuffle=True), DataLoader(data(32), batch_size=32)
    model = Classifier()
    trainer.fit(model, train, val)
    print(trainer.validate(model, val))
