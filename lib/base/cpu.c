/*
 * CPUID and XGETBV: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 14.3 and 15.2. Not the
 * compiler's __builtin_cpu_supports(), which brings a constructor along.
 */
#include "base/cpu.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>
#include <stdint.h>

/* Registers that the system saves: of 128 and 256 bits; also the masks and the two parts of those of 512 bits. */
enum { STATE_256 = 0x6, STATE_512 = 0xe6 };

static uint32_t
saved_state(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static bool
has_all(uint32_t bits, uint32_t wanted)
{
    return (bits & wanted) == wanted;
}

bool
cpu_has_tiles(void)
{
    const uint32_t amx = UINT32_C(1) << 24; /* AMX-TILE in EDX */
    uint32_t a, b, c, d;

    return cpu_vectors() == CPU_VECTORS_512 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && has_all(d, amx);
}

enum cpu_vectors
cpu_vectors(void)
{
    const uint32_t avx512 = bit_AVX512F | bit_AVX512DQ;
    uint32_t a, b, c, d, state;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !has_all(c, bit_OSXSAVE | bit_AVX | bit_FMA))
        return CPU_VECTORS_128;
    state = saved_state();
    if (!has_all(state, STATE_256) || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has_all(b, bit_AVX2))
        return CPU_VECTORS_128;
    return has_all(state, STATE_512) && has_all(b, avx512) ? CPU_VECTORS_512 : CPU_VECTORS_256;
}

#else

enum cpu_vectors
cpu_vectors(void)
{
    return CPU_VECTORS_128;
}

bool
cpu_has_tiles(void)
{
    return false;
}

#endif
