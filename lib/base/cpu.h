/* What the processor can do that not every one of its family can. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of the vectors that a program may be compiled for; what has more can run what has less. */
enum cpu_vectors { CPU_VECTORS_128, CPU_VECTORS_256, CPU_VECTORS_512, CPU_VECTORS_COUNT };

/*
 * The widest vectors of this processor that its system keeps across threads: 256 is AVX2 with FMA, 512 is AVX-512 F and DQ.
 * Asks the processor each time, which may take microseconds; the context remembers it (context_vectors()).
 */
enum cpu_vectors
cpu_vectors(void);

/* What an x86 processor says of itself: ECX of CPUID's leaf 1, EBX of its leaf 7, and the state that the system saves. */
struct cpu_answers {
    uint32_t features, more_features, saved;
};

/* The same of such answers; only where there are any. */
enum cpu_vectors
cpu_vectors_of(const struct cpu_answers *answers);

/* Whether the processor multiplies matrices in tiles (AMX); whether the system lets a program do so is not asked. */
bool
cpu_has_tiles(void);

#endif
