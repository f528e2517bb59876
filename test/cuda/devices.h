/* Two simulated GPUs for tests of the stand-ins of NVIDIA's libraries. */
#ifndef TEST_DEVICES_H
#define TEST_DEVICES_H

#include "device.h"

#include "device/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define MIB ((int64_t)1 << 20)

static const struct ledger_gpu h100 = {.name = "NVIDIA H100 80GB HBM3", .capability = 90, .memory = 79 * 1024 * MIB};

/* A run of two simulated GPUs of 79 GiB, whose contexts and modules take nothing. */
static inline int
make_devices(void **state)
{
    char path[64];
    int descriptor;

    (void)state;
    if (!ledger_new(&h100, 2, h100.memory, false, &descriptor))
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return setenv(LEDGER_VARIABLE, path, 1);
}

#endif
