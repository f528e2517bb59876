"""Several streams: a prefetcher on a side stream, record_stream, host memory that is pinned, offloaded activations."""

import torch
from torch import nn


class Prefetcher:
    def __init__(self, batches):
        self.batches, self.stream, self.following = iter(batches), torch.cuda.Stream(), None
        self.preload()

    def preload(self):
        try:
            self.following = next(self.batches)
        except StopIteration:
            self.following = None
            return
        with torch.cuda.stream(self.stream):
            self.following = self.following.cuda(non_blocking=True).float().div_(255)

    def __iter__(self):
        while self.following is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
            batch = self.following
            batch.record_stream(torch.cuda.current_stream())
            self.preload()
            yield batch


model = nn.Sequential(*[nn.Conv2d(3 if i == 0 else 32, 32, 3, padding=1) for i in range(6)]).cuda()
optimizer = torch.optim.ASGD(model.parameters())
batches = [torch.randint(255, (8, 3, 128, 128), dtype=torch.uint8).pin_memory() for _ in range(3)]
for batch in Prefetcher(batches):
    with torch.autograd.graph.save_on_cpu(pin_memory=True):
        loss = model(batch).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
streams = [torch.cuda.Stream(priority=-1), torch.cuda.Stream()]
parts = []
for stream in streams:
    with torch.cuda.stream(stream):
        parts.append(torch.randn(2048, 2048, device="cuda") @ torch.randn(2048, 2048, device="cuda"))
event = streams[0].record_event()
streams[1].wait_event(event)
torch.cuda.synchronize()
print(sum(parts).shape, event.query(), torch.cuda.memory_stats()["allocated_bytes.all.peak"])
