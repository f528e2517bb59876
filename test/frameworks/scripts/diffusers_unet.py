"""Unconditional diffusion as in diffusers' training example: UNet2DModel, DDPMScheduler, EMAModel, accelerate."""

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from diffusers import DDPMPipeline, DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from diffusers.training_utils import EMAModel
from torch.utils.data import DataLoader


class Config:
    image_size = 16
    train_batch_size = 8
    num_epochs = 1
    lr_warmup_steps = 2
    output_dir = "ddpm"


config = Config()
model = UNet2DModel(
    sample_size=config.image_size, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(16, 32),
    down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"), norm_num_groups=8,
    attention_head_dim=8,
)  # fmt: skip
ema_model = EMAModel(model.parameters(), decay=0.999, use_ema_warmup=True, model_cls=UNet2DModel, model_config=model.config)
noise_scheduler = DDPMScheduler(num_train_timesteps=50)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
loader = DataLoader(torch.rand(48, 3, 16, 16) * 2 - 1, batch_size=config.train_batch_size, shuffle=True)
lr_scheduler = get_cosine_schedule_with_warmup(optimizer, config.lr_warmup_steps, len(loader) * config.num_epochs)


def train_loop():
    accelerator = Accelerator(mixed_precision="no", cpu=True, gradient_accumulation_steps=1)
    net, opt, train, schedule = accelerator.prepare(model, optimizer, loader, lr_scheduler)
    for epoch in range(config.num_epochs):
        for step, clean_images in enumerate(train):
            noise = torch.randn(clean_images.shape, device=clean_images.device)
            bs = clean_images.shape[0]
            timesteps = torch.randint(0, noise_scheduler.config.num_train_timesteps, (bs,), dtype=torch.int64)
            noisy_images = noise_scheduler.add_noise(clean_images, noise, timesteps)
            with accelerator.accumulate(net):
                noise_pred = net(noisy_images, timesteps, return_dict=False)[0]
                loss = F.mse_loss(noise_pred, noise)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(net.parameters(), 1.0)
                opt.step()
                schedule.step()
                opt.zero_grad()
            ema_model.step(net.parameters())
            print({"loss": loss.detach().item(), "lr": schedule.get_last_lr()[0], "step": step})
        pipeline = DDPMPipeline(unet=accelerator.unwrap_model(net), scheduler=noise_scheduler)
        images = pipeline(batch_size=2, num_inference_steps=2, generator=torch.Generator().manual_seed(0)).images
        images[0].save(f"{epoch:04d}.png")
        pipeline.save_pretrained(config.output_dir)


train_loop()
