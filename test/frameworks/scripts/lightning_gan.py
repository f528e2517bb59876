"""Lightning, manual optimization: a generator and a discriminator."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

LATENT = 32


class GAN(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.generator = nn.Sequential(nn.Linear(LATENT, 128), nn.LeakyReLU(0.2), nn.Linear(128, 784), nn.Tanh())
        self.discriminator = nn.Sequential(nn.Linear(784, 128), nn.LeakyReLU(0.2), nn.Linear(128, 1))
        self.loss = nn.BCEWithLogitsLoss()

    def training_step(self, batch):
        (real,) = batch
        g_optimizer, d_optimizer = self.optimizers()
        ones, zeros = torch.ones(len(real), 1).type_as(real), torch.zeros(len(real), 1).type_as(real)

        self.toggle_optimizer(g_optimizer)
        fake = self.generator(torch.randn(len(real), LATENT, device=self.device))
        g_loss = self.loss(self.discriminator(fake), ones)
        self.manual_backward(g_loss)
        g_optimizer.step()
        g_optimizer.zero_grad()
        self.untoggle_optimizer(g_optimizer)

        self.toggle_optimizer(d_optimizer)
        d_loss = (self.loss(self.discriminator(real), ones) + self.loss(self.discriminator(fake.detach()), zeros)) / 2
        self.manual_backward(d_loss)
        d_optimizer.step()
        d_optimizer.zero_grad()
        self.untoggle_optimizer(d_optimizer)
        self.log_dict({"g": g_loss, "d": d_loss}, prog_bar=True)

    def configure_optimizers(self):
        return (
            torch.optim.Adam(self.generator.parameters(), lr=2e-4, betas=(0.5, 0.999)),
            torch.optim.Adam(self.discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999)),
        )


loader = DataLoader(TensorDataset(torch.rand(256, 784) * 2 - 1), batch_size=64, shuffle=True)
L.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=True).fit(GAN(), loader)
