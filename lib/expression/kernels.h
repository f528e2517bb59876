/*
 * One operation on a block of rows. kernels.c is compiled once for each width of vectors that the processor may have; all
 * of them, and the operation on one row, compute the same bits.
 */
#ifndef EXPRESSION_KERNELS_H
#define EXPRESSION_KERNELS_H

#include "base/cpu.h"
#include "expression/expression.h"

/* A column of as many numbers as there are lanes, or one number for all of them. Any alignment of a double will do. */
struct kernel_operand {
    const double *at;
    bool one;
};

/* target[i] = left[i] operation right[i]; the target may be an operand's column. */
struct kernel_work {
    enum opcode opcode;
    struct kernel_operand left, right; /* the same twice if the operation has one operand */
    double *target;
    size_t lanes;
};

typedef void (*kernel)(const struct kernel_work *work);

/* The kernel for those vectors, or the next narrower one that this library was built with. */
kernel
kernel_for(enum cpu_vectors vectors);

/* Every operation on one row. */
double
kernel_point(enum opcode opcode, double left, double right);

/* kernels.c, by the width of its vectors */
void
kernel_128(const struct kernel_work *work);

void
kernel_256(const struct kernel_work *work);

void
kernel_512(const struct kernel_work *work);

#endif
