"""Word-level language model as in PyTorch's examples: a corpus that is read of files, truncated backpropagation."""

import math
import os
import random

import torch
import torch.nn as nn

os.makedirs("corpus", exist_ok=True)
random.seed(0)
for split, lines in (("train", 400), ("valid", 60)):
    with open(os.path.join("corpus", split + ".txt"), "w", encoding="utf8") as f:
        for _ in range(lines):
            f.write(" ".join(f"word{random.randrange(300)}" for _ in range(random.randint(5, 15))) + "\n")


class Corpus:
    def __init__(self, path):
        self.word2idx = {}
        self.train, self.valid = (self.tokenize(os.path.join(path, name)) for name in ("train.txt", "valid.txt"))

    def tokenize(self, path):
        ids = []
        with open(path, encoding="utf8") as f:
            for line in f:
                words = [*line.split(), "<eos>"]
                ids.append(torch.tensor([self.word2idx.setdefault(w, len(self.word2idx)) for w in words]).type(torch.int64))
        return torch.cat(ids)


class RNNModel(nn.Module):
    def __init__(self, ntoken, ninp=64, nhid=64, nlayers=2):
        super().__init__()
        self.drop = nn.Dropout(0.2)
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = nn.LSTM(ninp, nhid, nlayers, dropout=0.2)
        self.decoder = nn.Linear(nhid, ntoken)
        self.decoder.weight = self.encoder.weight
        self.ntoken, self.nhid, self.nlayers = ntoken, nhid, nlayers

    def forward(self, x, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(x)), hidden)
        return torch.log_softmax(self.decoder(self.drop(output)).view(-1, self.ntoken), dim=1), hidden

    def init_hidden(self, bsz):
        weight = next(self.parameters())
        return weight.new_zeros(self.nlayers, bsz, self.nhid), weight.new_zeros(self.nlayers, bsz, self.nhid)


def batchify(data, bsz):
    nbatch = data.size(0) // bsz
    return data.narrow(0, 0, nbatch * bsz).view(bsz, -1).t().contiguous()


def get_batch(source, i, bptt=20):
    seq_len = min(bptt, len(source) - 1 - i)
    return source[i : i + seq_len], source[i + 1 : i + 1 + seq_len].view(-1)


corpus = Corpus("corpus")
train_data, val_data = batchify(corpus.train, 16), batchify(corpus.valid, 10)
model, criterion, lr = RNNModel(len(corpus.word2idx)), nn.NLLLoss(), 5.0
optimizer = torch.optim.SGD(model.parameters(), lr)
for epoch in range(1):
    model.train()
    hidden, total = model.init_hidden(16), 0.0
    for batch, i in enumerate(range(0, train_data.size(0) - 1, 20)):
        data, targets = get_batch(train_data, i)
        optimizer.zero_grad()
        hidden = tuple(h.detach() for h in hidden)
        output, hidden = model(data, hidden)
        loss = criterion(output, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        total += loss.item()
        print(f"batch {batch} loss {loss.item():.2f} ppl {math.exp(total / (batch + 1)):.2f}")
    with open("model.pt", "wb") as f:
        torch.save(model, f)
