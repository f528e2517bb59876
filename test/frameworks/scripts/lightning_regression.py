"""Lightning in bf16-true: regression with early stopping, averaged weights, metrics and a test."""

import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from lightning.pytorch.callbacks import EarlyStopping, ModelSummary, StochasticWeightAveraging
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from torchmetrics import MeanAbsoluteError, MetricCollection, R2Score


class Regressor(LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(20, 128), nn.SiLU(), nn.BatchNorm1d(128), nn.Linear(128, 1))
        self.metrics = MetricCollection({"mae": MeanAbsoluteError(), "r2": R2Score()}, prefix="val_")

    def forward(self, x):
        return self.layers(x).squeeze(-1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.huber_loss(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        prediction = self(x)
        self.log("val_loss", nn.functional.mse_loss(prediction, y), prog_bar=True)
        self.metrics.update(prediction.float(), y.float())

    def on_validation_epoch_end(self):
        self.log_dict(self.metrics.compute())
        self.metrics.reset()

    test_step = validation_step

    def configure_optimizers(self):
        optimizer = torch.optim.RMSprop(self.parameters(), lr=1e-3)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
        return {"optimizer": optimizer, "lr_scheduler": scheduler, "monitor": "val_loss"}


def main():
    seed_everything(1)
    x = torch.randn(300, 20)
    train, val = random_split(TensorDataset(x, x.sum(1)), [240, 60])
    trainer = Trainer(
        max_epochs=2, precision="bf16-true", accelerator="cpu", enable_progress_bar=False, gradient_clip_val=0.5,
        gradient_clip_algorithm="value", val_check_interval=0.5,
        callbacks=[EarlyStopping("val_loss"), StochasticWeightAveraging(1e-2), ModelSummary(2)],
    )  # fmt: skip
    model = Regressor()
    trainer.fit(model, DataLoader(train, 60, shuffle=True), DataLoader(val, 60))
    trainer.test(model, DataLoader(val, 60))
    trainer.save_checkpoint("last.ckpt")


if __name__ == "__main__":
    main()
