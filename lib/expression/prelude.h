/* Functions that exported files carry along, so that they compute the library's bits wherever they are run. */
#ifndef EXPRESSION_PRELUDE_H
#define EXPRESSION_PRELUDE_H

#include "base/text.h"
#include "expression/expression.h"

/* In the order in which they are written: a helper before those that call it. */
enum prelude {
    PRELUDE_DIVIDE,
    PRELUDE_MAXIMUM,
    PRELUDE_MINIMUM,
    PRELUDE_AT_LEAST,
    PRELUDE_AT_MOST,
    PRELUDE_FLOOR,
    PRELUDE_ROOT,
    PRELUDE_TERMS, /* polynomials */
    PRELUDE_SPLIT, /* fraction and exponent */
    PRELUDE_PRODUCT,
    PRELUDE_EXP,
    PRELUDE_LOG,
    PRELUDE_POWER,
    PRELUDE_CUBE_ROOT,
    PRELUDE_SINE, /* and cosine */
    PRELUDE_TANH,
    PRELUDE_COUNT,
};

/*
 * Each function's text, NULL where the language has it; @NAME@ stands for numbers of function_terms.h. In C each has a guard
 * of its own, so that several exported files can be included together.
 */
extern const char *const prelude_c[PRELUDE_COUNT];
extern const char *const prelude_python[PRELUDE_COUNT];

/* Bit of the function, and of all that it calls, by which an operation is done; 0 if none is needed. */
unsigned
prelude_for(enum opcode opcode);

/* The functions whose bits are set. */
void
prelude_print(const char *const functions[PRELUDE_COUNT], unsigned used, struct text *out);

#endif
