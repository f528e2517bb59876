/*
 * Machines that the convolution rules were measured on. Caches of one core: the sizes of blocks, and so of some scratch
 * buffers, depend on them.
 */
#include "frameworks/pytorch/step.h"

#include <string.h>

enum { KIB = 1024 };

static const struct {
    const char *name;
    struct machine_profile profile;
} machines[] = {
    {"avx2", {.isa = CPU_ISA_AVX2, .l1 = 32 * KIB, .l2 = 512 * KIB}},      /* AMD EPYC, Zen 3 */
    {"avx512", {.isa = CPU_ISA_AVX512, .l1 = 48 * KIB, .l2 = 1024 * KIB}}, /* Intel Xeon with avx512_bf16 */
};

int
machine_find(memmodel_context *context, const char *isa, int threads, struct machine_profile *machine)
{
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        if (strcmp(machines[i].name, isa) != 0)
            continue;
        *machine = machines[i].profile;
        machine->threads = threads;
        return 0;
    }
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, isa, "PyTorch is simulated for the ISA avx2 or avx512");
}
