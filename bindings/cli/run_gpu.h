/* `memmodel run --gpu`: the command runs on simulated GPUs, and what it takes of them is printed. */
#ifndef CLI_RUN_GPU_H
#define CLI_RUN_GPU_H

#include "command.h"

enum { GPU_CAPACITY_OF_KIND = -1 };

struct gpu_options {
    const char *gpu; /* "h100" or "h100:8"; NULL: none is simulated */
    int64_t capacity, stop_after;
    int64_t world_size, rank; /* one process of so many; 0: all that the command starts */
    bool overcommit, strict, beside_driver;
};

struct gpu_run {
    memmodel_device *device; /* NULL: none is simulated */
    int32_t count;
};

/*
 * Makes the devices, and changes this process's environment, which the command inherits. EXIT_OK, EXIT_USAGE or
 * EXIT_FAILED after a message. gpu_run_end() it either way.
 */
int
gpu_run_begin(const struct command *command, memmodel_context *context, const struct gpu_options *options,
              char **arguments, struct gpu_run *run);

/* Most bytes of a device since the last time, summed over devices. */
int64_t
gpu_run_high(const struct gpu_run *run);

/* The greatest peak of a device. */
int64_t
gpu_run_peak(const struct gpu_run *run);

/* Whether the command ended, with that exit code, because a device was full; or would have, with --overcommit. */
bool
gpu_run_exceeds(const struct gpu_run *run, int exit_code);

/* A line for each device, and what is to be known besides, on stderr. */
void
gpu_run_print(const struct gpu_run *run, int exit_code);

/* The same as members of a JSON object, with a comma before. */
void
gpu_run_print_json(const struct gpu_run *run, int exit_code);

void
gpu_run_end(struct gpu_run *run);

#endif
