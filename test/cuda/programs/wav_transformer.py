"""Speech by transformers: wav2vec 2.0 with CTC and masked times, whose masks come of numpy; SGD."""

import torch
from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

config = Wav2Vec2Config(num_hidden_layers=4, vocab_size=40, ctc_loss_reduction="mean", ctc_zero_infinity=True)
model = Wav2Vec2ForCTC(config).cuda().train()
model.freeze_feature_encoder()
optimizer = torch.optim.SGD(model.parameters(), 1e-3, momentum=0.9)
for _ in range(3):
    sound = torch.randn(2, 16000, device="cuda")
    mask = torch.ones(2, 16000, dtype=torch.long, device="cuda")
    mask[1, 12000:] = 0
    loss = model(sound, attention_mask=mask, labels=torch.randint(1, 40, (2, 10), device="cuda")).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
