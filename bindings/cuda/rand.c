/*
 * cuRAND: generators for the device, whose numbers nobody computes, and for the host, whose numbers are zeros.
 *
 * The states that a real generator keeps on the device are not counted.
 */
#include "device.h"

#include <string.h>

/* curandStatus_t */
enum { SUCCESS = 0, NOT_INITIALIZED = 101, ALLOCATION_FAILED = 102, TYPE_ERROR = 103, OUT_OF_RANGE = 104 };

enum { GENERATOR = 0x72616e64, HOST_GENERATOR, DISTRIBUTION };

struct generator {
    int sort;
};

static bool
is(const void *object, int sort)
{
    const struct generator *found = handle_get(object, HANDLE_OTHER);

    return found && found->sort == sort;
}

static int
create(void **object, int sort)
{
    struct generator *made;

    if (!object)
        return OUT_OF_RANGE;
    made = handle_new(HANDLE_OTHER);
    if (!made)
        return ALLOCATION_FAILED;
    made->sort = sort;
    *object = made;
    return SUCCESS;
}

static int
destroy(void *object, int sort)
{
    return is(object, sort) && handle_delete(object, HANDLE_OTHER) ? SUCCESS : NOT_INITIALIZED;
}

static bool
is_generator(const void *object)
{
    return is(object, GENERATOR) || is(object, HOST_GENERATOR);
}

/* Pseudo random generators have numbers from 100 to 161, quasi random ones from 200 to 204. */
static bool
is_type(int type)
{
    return (type >= 100 && type <= 161) || (type >= 200 && type <= 204);
}

ANSWER(int, curandCreateGenerator, void **generator, int type)
{
    if (!is_type(type))
        return TYPE_ERROR;
    note_profile("cuRAND: the states of a generator are not counted");
    return create(generator, GENERATOR);
}

ANSWER(int, curandCreateGeneratorHost, void **generator, int type)
{
    return is_type(type) ? create(generator, HOST_GENERATOR) : TYPE_ERROR;
}

ANSWER(int, curandDestroyGenerator, void *generator)
{
    return destroy(generator, is(generator, HOST_GENERATOR) ? HOST_GENERATOR : GENERATOR);
}

ANSWER(int, curandCreatePoissonDistribution, double lambda, void **distribution)
{
    return lambda > 0 ? create(distribution, DISTRIBUTION) : OUT_OF_RANGE;
}

ANSWER(int, curandDestroyDistribution, void *distribution)
{
    return destroy(distribution, DISTRIBUTION);
}

/* cuRAND 10 comes with CUDA 11 to 13. */
ANSWER(int, curandGetVersion, int *version)
{
    if (!version)
        return OUT_OF_RANGE;
    *version = 10 * 1000;
    return SUCCESS;
}

ANSWER(int, curandGetProperty, int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return OUT_OF_RANGE;
    *value = property == 0 ? 10 : 0;
    return SUCCESS;
}

#define SETTING(name, type)                                                                                            \
    ANSWER(int, curandSet##name, void *generator, type value)                                                          \
    {                                                                                                                  \
        return is_generator(generator) ? SUCCESS : NOT_INITIALIZED;                                                    \
    }

SETTING(Stream, void *)
SETTING(PseudoRandomGeneratorSeed, unsigned long long)
SETTING(GeneratorOffset, unsigned long long)
SETTING(GeneratorOrdering, int)
SETTING(QuasiRandomGeneratorDimensions, unsigned)

/* ---- numbers ---- */

static int
generate(const void *generator, void *numbers, size_t count, size_t bytes, const void *caller)
{
    if (!is_generator(generator))
        return NOT_INITIALIZED;
    if (!numbers || count > SIZE_MAX / bytes)
        return OUT_OF_RANGE;
    if (is(generator, HOST_GENERATOR)) {
        memset(numbers, 0, count * bytes);
        note_made_up(count * bytes, caller);
    }
    return SUCCESS;
}

#define NUMBERS(name, type, ...)                                                                                       \
    ANSWER(int, curandGenerate##name, void *generator, type *numbers, size_t count __VA_OPT__(, ) __VA_ARGS__)         \
    {                                                                                                                  \
        return generate(generator, numbers, count, sizeof *numbers, CALLER);                                           \
    }

NUMBERS(, unsigned)
NUMBERS(LongLong, unsigned long long)
NUMBERS(Uniform, float)
NUMBERS(UniformDouble, double)
NUMBERS(Normal, float, float mean, float deviation)
NUMBERS(NormalDouble, double, double mean, double deviation)
NUMBERS(LogNormal, float, float mean, float deviation)
NUMBERS(LogNormalDouble, double, double mean, double deviation)
NUMBERS(Poisson, unsigned, double lambda)
NUMBERS(PoissonMethod, unsigned, double lambda, int method)
NUMBERS(Binomial, unsigned, unsigned n, double p)
NUMBERS(BinomialMethod, unsigned, unsigned n, double p, int method)

ANSWER(int, curandGenerateSeeds, void *generator)
{
    return is_generator(generator) ? SUCCESS : NOT_INITIALIZED;
}
