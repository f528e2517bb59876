/* What the heuristics of oneDNN and PyTorch ask about the processor they run on. */
#ifndef ONEDNN_MACHINE_H
#define ONEDNN_MACHINE_H

#include <stdint.h>

/* Widest vector instructions that oneDNN may use. CPU_ISA_NONE: oneDNN is switched off. */
enum cpu_isa { CPU_ISA_NONE, CPU_ISA_AVX2, CPU_ISA_AVX512 };

struct machine_profile {
    enum cpu_isa isa;
    int64_t threads; /* of an operator, torch.set_num_threads */
    int64_t l1;      /* data cache of one core. @unit bytes */
    int64_t l2;      /* of one core. @unit bytes */
};

#endif
