"""torch.profiler with a schedule and memory, the allocator's history, snapshot and summary."""

import pathlib
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

torch.cuda.memory._record_memory_history(max_entries=10000)
model = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(256, 4, batch_first=True), 3).cuda()
optimizer = torch.optim.Adam(model.parameters())
with tempfile.TemporaryDirectory() as folder:
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(
        activities=activities, schedule=schedule(wait=0, warmup=1, active=2), profile_memory=True, record_shapes=True
    ) as profiler:
        for _ in range(3):
            with record_function("step"):
                model(torch.randn(8, 64, 256, device="cuda")).mean().backward()
                optimizer.step()
                optimizer.zero_grad()
            profiler.step()
    print(profiler.key_averages().table(sort_by="self_cuda_memory_usage", row_limit=5))
    profiler.export_chrome_trace(folder + "/trace.json")
    torch.cuda.memory._dump_snapshot(folder + "/snapshot.pickle")
    print([path.name for path in sorted(pathlib.Path(folder).iterdir())])
torch.cuda.memory._record_memory_history(enabled=None)
print(torch.cuda.memory_summary(abbreviated=True)[:400])
print(torch.cuda.get_device_properties(0).multi_processor_count, torch.cuda.mem_get_info())
