"""Speech: a spectrum by stft, convolutions, a GRU, CTC loss (cuDNN's and torch's own), greedy decoding."""

import torch
from torch import nn


class Speech(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolutions = nn.Sequential(nn.Conv1d(201, 128, 11, 2, 5), nn.BatchNorm1d(128), nn.Hardtanh(0, 20))
        self.gru = nn.GRU(128, 256, 3, bidirectional=True)
        self.letters = nn.Linear(512, 29)

    def forward(self, sound):
        window = torch.hann_window(400, device=sound.device)
        spectrum = torch.stft(sound, 400, 160, window=window, return_complex=True).abs().log1p()
        out, _ = self.gru(self.convolutions(spectrum).permute(2, 0, 1))
        return self.letters(out).log_softmax(-1)


model = Speech().cuda()
optimizer = torch.optim.NAdam(model.parameters())
for _ in range(3):
    scores = model(torch.randn(4, 16000, device="cuda"))
    targets = torch.randint(1, 29, (4 * 12,), dtype=torch.int)
    length = scores.size(0)
    # of lists of lengths and targets on the host cuDNN's, else torch's own
    loss = nn.functional.ctc_loss(scores, targets, (length,) * 4, (12,) * 4)
    lengths = torch.full((4,), length, device="cuda")
    loss = loss + nn.functional.ctc_loss(
        scores, targets.view(4, 12).long().cuda(), lengths, torch.full_like(lengths, 12)
    )
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    letters = scores.argmax(-1).T[0].unique_consecutive()
    print(tuple(scores.shape), loss.item(), letters[letters != 0].numel() >= 0)
