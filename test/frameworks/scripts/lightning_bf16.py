"""Lightning in bf16-mixed: a transformer encoder, TensorBoard, accumulated batches, a data module with workers."""

import lightning.pytorch as pl
import torch
from lightning.pytorch.loggers import TensorBoardLogger
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Sequences(Dataset):
    def __init__(self, count=96):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        generator = torch.Generator().manual_seed(i)
        return torch.randint(0, 100, (32,), generator=generator), torch.tensor(i % 4)


class Data(pl.LightningDataModule):
    def setup(self, stage):
        self.train = Sequences()

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=8, shuffle=True, num_workers=2, persistent_workers=True)


class Encoder(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 64)
        layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(64, 4)
        self.criterion = nn.CrossEntropyLoss()

    def training_step(self, batch, batch_idx):
        tokens, labels = batch
        loss = self.criterion(self.head(self.encoder(self.embedding(tokens)).mean(1)), labels)
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    trainer = pl.Trainer(
        max_steps=5, accelerator="cpu", precision="bf16-mixed", accumulate_grad_batches=2,
        logger=TensorBoardLogger("tb", name="encoder"), log_every_n_steps=1,
    )  # fmt: skip
    trainer.fit(Encoder(), datamodule=Data())
