"""A table with numbers and categories: scikit-learn prepares and scores, early stopping, the best weights kept on disk."""

import argparse
import copy
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import accuracy_score, confusion_matrix, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


class Table(Dataset):
    def __init__(self, numbers, categories, target):
        self.numbers = torch.tensor(numbers, dtype=torch.float32)
        self.categories = torch.tensor(categories, dtype=torch.long)
        self.target = torch.tensor(target, dtype=torch.float32)

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return self.numbers[i], self.categories[i], self.target[i]


class TabularNet(nn.Module):
    def __init__(self, sizes, numbers):
        super().__init__()
        self.embeddings = nn.ModuleList([nn.Embedding(size, min(50, (size + 1) // 2)) for size in sizes])
        width = sum(e.embedding_dim for e in self.embeddings) + numbers
        self.net = nn.Sequential(
            nn.Linear(width, 128), nn.ReLU(), nn.BatchNorm1d(128), nn.Dropout(0.3), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1)
        )

    def forward(self, numbers, categories):
        embedded = [e(categories[:, i]) for i, e in enumerate(self.embeddings)]
        return self.net(torch.cat([*embedded, numbers], 1)).squeeze(1)


def score(model, loader):
    model.eval()
    probabilities, truth = [], []
    with torch.no_grad():
        for numbers, categories, y in loader:
            probabilities.append(torch.sigmoid(model(numbers, categories)).cpu().numpy())
            truth.append(y.numpy())
    p, y = np.concatenate(probabilities), np.concatenate(truth)
    auc = roc_auc_score(y, p)
    return {"auc": float(auc), "accuracy": accuracy_score(y, p > 0.5), "matrix": confusion_matrix(y, p > 0.5).tolist()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--out", default="tabular_run")
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 5)), columns=list("abcde"))
    frame["city"], frame["day"] = rng.integers(0, 30, 400), rng.integers(0, 7, 400)
    frame["y"] = (frame.a + frame.b + rng.normal(size=400) > 0).astype(int)
    Path(args.out).mkdir(exist_ok=True)
    frame.to_csv(f"{args.out}/data.csv", index=False)
    frame = pd.read_csv(f"{args.out}/data.csv")
    train, test = train_test_split(frame, test_size=0.25, random_state=1)
    scaler = StandardScaler().fit(train[list("abcde")])
    parts = [Table(scaler.transform(f[list("abcde")]), f[["city", "day"]].values, f.y.values) for f in (train, test)]
    weights = np.where(train.y == 1, 1 / train.y.mean(), 1 / (1 - train.y.mean()))
    loader = DataLoader(parts[0], args.batch_size, sampler=WeightedRandomSampler(weights, len(weights)))
    model = TabularNet([30, 7], 5)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", factor=0.5, patience=0)
    criterion, best, bad, weights_of_best = nn.BCEWithLogitsLoss(), -1, 0, None
    for epoch in range(args.epochs):
        model.train()
        for numbers, categories, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(numbers, categories), y)
            loss.backward()
            optimizer.step()
        metrics = score(model, DataLoader(parts[1], 128))
        scheduler.step(metrics["auc"])
        with open(f"{args.out}/log.jsonl", "a") as log:
            log.write(json.dumps({"epoch": epoch, "loss": loss.item(), **metrics}) + "\n")
        if metrics["auc"] > best:
            best, bad, weights_of_best = metrics["auc"], 0, copy.deepcopy(model.state_dict())
            torch.save(weights_of_best, f"{args.out}/model.pt")
            shutil.copy(f"{args.out}/model.pt", f"{args.out}/best.pt")
        else:
            bad += 1
            if bad > 1:
                break
    model.load_state_dict(torch.load(f"{args.out}/best.pt", weights_only=True))
    print(score(model, DataLoader(parts[1], 128)))


if __name__ == "__main__":
    sys.exit(main())
