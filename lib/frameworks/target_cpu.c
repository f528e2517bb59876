/*
 * Caches of one core: the sizes of blocks, and so of some scratch buffers, depend on them. Processors with AMX run
 * convolutions in float32 by the kernels of AVX-512; their second cache is twice as large.
 */
#include "frameworks/target_cpu.h"

#include "base/cpu.h"

#include <string.h>

enum { KIB = 1024 };

static const struct machine {
    const char *name;
    struct target_cpu profile;
} machines[] = {
    {"avx2", {.isa = CPU_ISA_AVX2, .l1 = 32 * KIB, .l2 = 512 * KIB}},      /* AMD EPYC, Zen 3 */
    {"avx512", {.isa = CPU_ISA_AVX512, .l1 = 48 * KIB, .l2 = 1024 * KIB}}, /* Intel Xeon with avx512_bf16 */
    {"amx",
     {.isa = CPU_ISA_AVX512, .l1 = 48 * KIB, .l2 = 2048 * KIB, .tiles = true}}, /* Intel Xeon with AMX, from 2023 on */
};

static const struct machine *
machine_of_name(const char *name)
{
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        if (strcmp(machines[i].name, name) == 0)
            return &machines[i];
    }
    return NULL;
}

int
target_cpu_find(memmodel_context *context, const char *isa, int threads, struct target_cpu *machine)
{
    const struct machine *found = machine_of_name(isa);

    if (!found)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, isa,
                             "unknown instruction set; known are avx2, avx512, amx and native");
    *machine = found->profile;
    machine->threads = threads;
    return 0;
}

enum cpu_isa
target_cpu_isa(const char *isa)
{
    const struct machine *found = machine_of_name(isa);

    return found ? found->profile.isa : CPU_ISA_NONE;
}

const char *
target_cpu_native(void)
{
    if (cpu_vectors() != CPU_VECTORS_512)
        return "avx2";
    return cpu_has_tiles() ? "amx" : "avx512";
}
