/* PyTorch's memory snapshots of a CUDA device, as torch.cuda.memory._dump_snapshot() writes them. */
#ifndef TRACE_SNAPSHOT_H
#define TRACE_SNAPSHOT_H

#include "trace/trace.h"

/* Whether the bytes begin like a pickle. */
bool
snapshot_looks_like_one(const char *bytes, size_t length);

/* The allocations and releases of the first device that has any. */
int
snapshot_parse(memmodel_context *context, const char *name, const char *bytes, size_t length, memmodel_trace **trace);

#endif
