"""Lightning: a module with training, validation, 16-mixed precision, accumulated gradients, a checkpoint callback."""

import tempfile

import lightning
import torch
import torchvision
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import MulticlassAccuracy


class Images(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = torchvision.models.mobilenet_v3_small(num_classes=10)
        self.accuracy = MulticlassAccuracy(10)

    def training_step(self, batch, _):
        loss = functional.cross_entropy(self.model(batch[0]), batch[1])
        self.log("loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, _):
        self.accuracy(self.model(batch[0]), batch[1])
        self.log("accuracy", self.accuracy)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]


def data():
    return DataLoader(TensorDataset(torch.rand(48, 3, 96, 96), torch.randint(10, (48,))), batch_size=8)


with tempfile.TemporaryDirectory() as folder:
    trainer = lightning.Trainer(
        accelerator="gpu",
        devices=1,
        max_epochs=1,
        precision="16-mixed",
        accumulate_grad_batches=2,
        gradient_clip_val=1.0,
        logger=CSVLogger(folder),
        callbacks=[ModelCheckpoint(folder, monitor="accuracy"), LearningRateMonitor()],
        enable_progress_bar=False,
    )
    trainer.fit(Images(), data(), data())
    print(trainer.callback_metrics, trainer.global_step)
