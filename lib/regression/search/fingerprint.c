/* Formulas modulo a prime, and sets of their keys. */
#include "regression/search/canonical.h"
#include "regression/search/random.h"

#include <string.h>

static const uint32_t prime = 0x7fffffff; /* 3 modulo 4: a ^ ((prime + 1) / 4) is a root of a, where it has one */

static uint32_t
times(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b % prime);
}

static uint32_t
plus(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a + b) % prime);
}

static uint32_t
minus(uint32_t a, uint32_t b)
{
    return plus(a, prime - b);
}

static uint32_t
power(uint32_t a, uint32_t exponent)
{
    uint32_t result = 1;

    for (; exponent > 0; exponent >>= 1, a = times(a, a))
        if (exponent & 1)
            result = times(result, a);
    return result;
}

static uint32_t
scrambled(uint64_t a, uint64_t b, uint64_t salt)
{
    return (uint32_t)(splitmix(splitmix(a + salt) + b) % prime);
}

/* Fourth powers have roots of roots. */
static struct fingerprint
random_residues(uint64_t salt, uint64_t index)
{
    struct fingerprint fingerprint;

    for (size_t i = 0; i < FINGERPRINTS; i++)
        fingerprint.at[i] = power(scrambled(index + 1, i + 1, salt), 4);
    return fingerprint;
}

struct fingerprint
fingerprint_of_input(size_t input)
{
    return random_residues(0x1234567, input);
}

static uint32_t
apply(unsigned operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case TREE_ADD:
        return plus(a, b);
    case TREE_SUBTRACT:
        return minus(a, b);
    case TREE_MULTIPLY:
        return times(a, b);
    case TREE_DIVIDE:
        return times(a, power(b, prime - 2));
    case TREE_SQUARE:
        return times(b, b);
    case TREE_ROOT:
        return power(b, (prime + 1) / 4);
    case TREE_INVERSE:
        return power(b, prime - 2);
    case TREE_LOG:
    case TREE_EXP:
    case TREE_SIN:
    case TREE_COS:
    case TREE_TANH:
        return scrambled(b, 1, 17 + operation - TREE_LOG);
    default:
        return scrambled(a < b ? a : b, a < b ? b : a, operation);
    }
}

struct fingerprint
fingerprint_join(unsigned operation, struct fingerprint first, struct fingerprint second)
{
    for (size_t i = 0; i < FINGERPRINTS; i++)
        first.at[i] = apply(operation, first.at[i], second.at[i]);
    return first;
}

struct fingerprint
fingerprint_of(const struct tree *tree)
{
    struct fingerprint stack[TREE_MAX_NODES];
    size_t height = 0, numbers = 0;

    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_gene *gene = &tree->genes[i];
        size_t operands = tree_operands(gene->operation);

        if (operands == 0) {
            stack[height++] = gene->operation == TREE_INPUT ? fingerprint_of_input(gene->input)
                                                            : random_residues(0x89abcdef, numbers++);
            continue;
        }
        height -= operands - 1;
        stack[height - 1] = fingerprint_join(gene->operation, stack[height - 1], stack[height + operands - 2]);
    }
    return stack[0];
}

uint64_t
fingerprint_key(struct fingerprint fingerprint)
{
    const uint32_t *f = fingerprint.at;
    uint32_t base = minus(f[1], f[0]), scale;

    if (base == 0)
        return 0;
    scale = power(base, prime - 2);
    return 1 + ((uint64_t)times(minus(f[2], f[0]), scale) << 32 | times(minus(f[3], f[0]), scale));
}

/* ---- keys seen ---- */

static size_t
find_slot(const struct keys *keys, uint64_t key)
{
    size_t slot = (size_t)splitmix(key) & (keys->capacity - 1);

    while (keys->slots[slot] != 0 && keys->slots[slot] != key)
        slot = (slot + 1) & (keys->capacity - 1);
    return slot;
}

bool
keys_have(const struct keys *keys, uint64_t key)
{
    return key == 0 || (keys->capacity > 0 && keys->slots[find_slot(keys, key)] == key);
}

bool
keys_add(struct keys *keys, uint64_t key)
{
    size_t slot;

    if (key == 0)
        return false;
    slot = find_slot(keys, key);
    if (keys->slots[slot] == key)
        return false;
    keys->slots[slot] = key;
    keys->count++;
    return true;
}

int
keys_reserve(struct keys *keys, size_t count)
{
    struct keys wider = {.context = keys->context, .capacity = keys->capacity ? keys->capacity : 64};

    if (keys->capacity > 0 && count <= keys->capacity / 2)
        return 0;
    while (count > wider.capacity / 2)
        wider.capacity *= 2;
    wider.slots = memory_allocate_zeroed(keys->context, wider.capacity, sizeof *wider.slots);
    if (!wider.slots)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < keys->capacity; i++)
        keys_add(&wider, keys->slots[i]);
    memory_release(keys->context, keys->slots);
    *keys = wider;
    return 0;
}

void
keys_release(struct keys *keys)
{
    memory_release(keys->context, keys->slots);
    keys->slots = NULL;
    keys->capacity = keys->count = 0;
}
