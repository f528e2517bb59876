/* A kind of GPU as its programs see it. */
#ifndef DEVICE_PROFILE_H
#define DEVICE_PROFILE_H

#include "device/ledger.h"
#include "frameworks/cuda/gpu.h"

struct ledger_gpu
device_profile(const struct gpu *gpu);

#endif
