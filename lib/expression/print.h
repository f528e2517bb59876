/* What the printers share. */
#ifndef EXPRESSION_PRINT_H
#define EXPRESSION_PRINT_H

#include "expression/pool.h"

/* What is shared in a pool is written out again wherever it is used; beyond this many characters nobody reads it. */
enum { PRINT_LIMIT = 1 << 20 };

/* false, with the error set and the text failed, once the text is longer than PRINT_LIMIT */
bool
print_fits(struct text *out);

/* The number without its sign as an integer or in decimals; false, with nothing written, if it has to be a fraction. */
bool
print_decimal_number(struct text *out, struct rational value);

/* Of a sum, one term after the other, each after its sign; print() writes it without that. */
typedef void (*print_one)(const void *printer, const struct term *term);

void
print_each(const struct expression_pool *pool, expression a, print_one print, const void *printer, struct text *out);

static inline bool
factor_is(const struct factor *factor, struct expression_factor other)
{
    return factors_are_same((struct expression_factor){factor->atom, factor->numerator, factor->denominator}, other);
}

void
print_latex(const struct expression_pool *pool, expression a, struct expression_factor left_out, struct text *out);

void
print_latex_factor(const struct expression_pool *pool, struct expression_factor factor, struct text *out);

#endif
