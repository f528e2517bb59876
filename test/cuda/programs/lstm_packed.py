"""A bidirectional LSTM over packed sequences of different lengths, then pad_packed_sequence; Adagrad."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20000, 256, padding_idx=0)
        self.lstm = nn.LSTM(256, 512, 2, batch_first=True, bidirectional=True, dropout=0.3)
        self.tags = nn.Linear(1024, 40)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.words(ids), lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.tags(out)


model = Tagger().cuda()
optimizer = torch.optim.Adagrad(model.parameters(), 0.01)
for _ in range(3):
    lengths = torch.tensor([40, 17, 33, 8, 25, 40, 12, 30], device="cuda")
    ids = torch.randint(1, 20000, (8, 40), device="cuda") * (torch.arange(40, device="cuda") < lengths[:, None])
    out = model(ids, lengths)
    loss = nn.functional.cross_entropy(out.transpose(1, 2), torch.where(ids > 0, ids % 40, -100), ignore_index=-100)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(tuple(out.shape), loss.item())
