/* Machines that networks were recorded on, by the name that a job gives: what the heuristics of kernels ask about them. */
#ifndef FRAMEWORKS_TARGET_CPU_H
#define FRAMEWORKS_TARGET_CPU_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

/* Widest vector instructions that oneDNN may use. CPU_ISA_NONE: oneDNN is switched off. */
enum cpu_isa { CPU_ISA_NONE, CPU_ISA_AVX2, CPU_ISA_AVX512 };

struct target_cpu {
    enum cpu_isa isa;
    int64_t threads; /* of an operator, torch.set_num_threads */
    int64_t l1;      /* data cache of one core. @unit bytes */
    int64_t l2;      /* of one core. @unit bytes */
    bool tiles;      /* AMX */
};

/* MEMMODEL_ERROR_UNSUPPORTED, about `isa`, if no machine has that name. */
int
target_cpu_find(memmodel_context *context, const char *isa, int threads, struct target_cpu *machine);

/* The widest vectors of the machine of that name; CPU_ISA_NONE if there is none. */
enum cpu_isa
target_cpu_isa(const char *isa);

/* Name of the one that is most like this machine. */
const char *
target_cpu_native(void);

#endif
