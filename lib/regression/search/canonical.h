/*
 * One form for trees that mean the same, and one key.
 *
 * The form: sums and products are flattened, numbers in them folded into one, equal terms and factors joined, what is
 * left sorted. The key: the tree computed with whole numbers modulo a prime at random points, its numbers too being
 * random there. Two formulas of + - x / and powers have the same values only if they are the same formula, save for a
 * chance below 2^-50 (J. T. Schwartz: Fast probabilistic algorithms for verification of polynomial identities, 1980);
 * so expanded and factored forms have one key. The residue of a root is a power of its argument's, which keeps sqrt(a
 * b) = sqrt(a) sqrt(b); logarithm, exponential, sine, cosine, tanh, minimum and maximum scramble theirs.
 */
#ifndef SEARCH_CANONICAL_H
#define SEARCH_CANONICAL_H

#include "regression/search/tree.h"

enum { FINGERPRINTS = 4 };

/* A tree's values modulo the prime, at each of the points. */
struct fingerprint {
    uint32_t at[FINGERPRINTS];
};

struct fingerprint
fingerprint_of_input(size_t input);

/* first: of two operands; as in postfix order, an operation on one has it in `second` */
struct fingerprint
fingerprint_join(unsigned operation, struct fingerprint first, struct fingerprint second);

struct fingerprint
fingerprint_of(const struct tree *tree);

/*
 * The same for f and for a f + b, a != 0: where a coefficient and a constant are fitted they are no other formula. 0:
 * constant.
 */
uint64_t
fingerprint_key(struct fingerprint fingerprint);

/*
 * The canonical form, in place; sums and factors of the whole formula that its coefficients make superfluous are
 * dropped.
 */
void
tree_simplify(struct tree *tree);

/* ---- keys seen ---- */

struct keys {
    memmodel_context *context;
    uint64_t *slots;
    size_t capacity, count;
};

/* false: it was there, or is 0. Room must have been made. */
bool
keys_add(struct keys *keys, uint64_t key);

bool
keys_have(const struct keys *keys, uint64_t key);

/* Room for so many in all. 0 or MEMMODEL_ERROR_NO_MEMORY */
int
keys_reserve(struct keys *keys, size_t count);

void
keys_release(struct keys *keys);

#endif
