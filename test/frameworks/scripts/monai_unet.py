"""Segmentation by a 3-D U-Net of MONAI: Dice, sliding windows, its metric, the best model kept."""

import torch
from monai.data import CacheDataset, decollate_batch
from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss
from monai.metrics import DiceMetric
from monai.networks.nets import UNet
from monai.transforms import Activations, AsDiscrete, Compose, RandFlipd, RandSpatialCropd
from torch.utils.data import DataLoader

torch.manual_seed(0)
volumes = [
    {"image": torch.rand(1, 32, 32, 32), "label": (torch.rand(1, 32, 32, 32) > 0.7).float()} for _ in range(8)
]
transform = Compose([
    RandSpatialCropd(keys=["image", "label"], roi_size=(24, 24, 24), random_size=False),
    RandFlipd(keys=["image", "label"], spatial_axis=0, prob=0.5),
])  # fmt: skip
train_loader = DataLoader(CacheDataset(volumes[:6], transform, num_workers=0, progress=False), batch_size=2)
val_loader = DataLoader(volumes[6:], batch_size=1)

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
model = UNet(
    spatial_dims=3, in_channels=1, out_channels=1, channels=(8, 16, 32), strides=(2, 2), num_res_units=1
).to(device)
loss_function = DiceCELoss(sigmoid=True)
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
dice_metric = DiceMetric(include_background=True, reduction="mean")
post = Compose([Activations(sigmoid=True), AsDiscrete(threshold=0.5)])

best = -1
for epoch in range(2):
    model.train()
    epoch_loss = 0
    for batch in train_loader:
        inputs, labels = batch["image"].to(device), batch["label"].to(device)
        optimizer.zero_grad()
        loss = loss_function(model(inputs), labels)
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
        print(f"train_loss: {loss.item():.4f}")
    model.eval()
    with torch.no_grad():
        for val in val_loader:
            images, labels = val["image"].to(device), val["label"].to(device)
            outputs = sliding_window_inference(images, (24, 24, 24), 2, model)
            outputs = [post(i) for i in decollate_batch(outputs)]
            dice_metric(y_pred=outputs, y=labels)
        metric = dice_metric.aggregate().item()
        dice_metric.reset()
        if metric > best:
            best = metric
            torch.save(model.state_dict(), "best_metric_model.pth")
    print(f"epoch {epoch + 1} mean dice {metric:.4f} best {best:.4f}")
