"""Knowledge distillation: a small network learns from a large one, the best checkpoint is read again."""

import csv

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


def network(width):
    return nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(2 * width * 49, 10),
    )  # fmt: skip


def distillation_loss(student, teacher, labels, temperature=4.0, alpha=0.7):
    soft = F.kl_div(
        F.log_softmax(student / temperature, 1), F.softmax(teacher / temperature, 1), reduction="batchmean"
    )
    return alpha * temperature**2 * soft + (1 - alpha) * F.cross_entropy(student, labels)


def evaluate(model, loader):
    model.eval()
    correct = 0
    with torch.inference_mode():
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum().item()
    return correct / len(loader.dataset)


torch.manual_seed(0)
torch.save(network(32).state_dict(), "teacher.pt")
teacher = network(32)
teacher.load_state_dict(torch.load("teacher.pt"))
teacher.eval().requires_grad_(False)
student = network(8)
data = TensorDataset(torch.randn(200, 1, 28, 28), torch.randint(0, 10, (200,)))
train, val = random_split(data, [0.8, 0.2])
train, val = DataLoader(train, 64, shuffle=True), DataLoader(val, 64)
optimizer = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9, nesterov=True)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [1, 2])

best = -1.0
with open("log.csv", "w", newline="") as file:
    log = csv.writer(file)
    log.writerow(["epoch", "loss", "accuracy"])
    for epoch in range(3):
        student.train()
        for x, y in train:
            with torch.no_grad():
                target = teacher(x)
            loss = distillation_loss(student(x), target, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
        accuracy = evaluate(student, val)
        log.writerow([epoch, loss.item(), accuracy])
        if accuracy > best:
            best = accuracy
            torch.save(student.state_dict(), "best.pt")
student.load_state_dict(torch.load("best.pt"))
print(f"best {evaluate(student, val):.3f}")
