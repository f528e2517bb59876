/*
 * CPUID and XGETBV: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 14.3 and 15.2. Not the
 * compiler's __builtin_cpu_supports(), which brings a constructor along.
 */
#include "base/cpu.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

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
cpu_vectors_of(const struct cpu_answers *answers)
{
    if (!has_all(answers->features, bit_OSXSAVE | bit_AVX | bit_FMA) || !has_all(answers->more_features, bit_AVX2) ||
        !has_all(answers->saved, STATE_256))
        return CPU_VECTORS_128;
    if (!has_all(answers->more_features, bit_AVX512F | bit_AVX512DQ) || !has_all(answers->saved, STATE_512))
        return CPU_VECTORS_256;
    return CPU_VECTORS_512;
}

enum cpu_vectors
cpu_vectors(void)
{
    struct cpu_answers answers = {.features = 0};
    uint32_t a, b, c, d;

    if (__get_cpuid(1, &a, &b, &c, &d))
        answers.features = c;
    if (has_all(answers.features, bit_OSXSAVE))
        answers.saved = saved_state();
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        answers.more_features = b;
    return cpu_vectors_of(&answers);
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
