/*
 * The operations of programs on blocks of rows, in vectors of VECTOR_BITS. Compiled for each width with the instructions
 * for it, see meson.build; the narrowest also has the operations on one row, which thereby are the same.
 */
#include "expression/kernels.h"
#include "expression/vector_math.h"

typedef vector (*operation)(vector left, vector right);

/* ---- one operation ---- */

#define OPERATION(name, value)                                                                                         \
    VECTOR_INLINE vector name(vector left, vector right)                                                               \
    {                                                                                                                  \
        (void)right;                                                                                                   \
        return value;                                                                                                  \
    }

OPERATION(add, left + right)
OPERATION(subtract, left - right)
OPERATION(multiply, left *right)
OPERATION(divide, left / right)
OPERATION(maximum, vector_maximum(left, right))
OPERATION(minimum, vector_minimum(left, right))
OPERATION(not_less, vector_select(left >= right, vector_all(1), vector_all(0)))
OPERATION(equal, vector_select(left == right, vector_all(1), vector_all(0)))
OPERATION(at_least, vector_select(left < right, right, left))
OPERATION(at_most, vector_select(left > right, right, left))
OPERATION(power, vector_power(left, right))
OPERATION(copy, left)
OPERATION(whole, vector_floor(left))
OPERATION(root, vector_root(left))
OPERATION(cube_root, vector_cube_root(left))
OPERATION(exponential, vector_exp(left))
OPERATION(logarithm, vector_log(left))
OPERATION(sine, vector_sine(left))
OPERATION(cosine, vector_cosine(left))
OPERATION(hyperbolic_tangent, vector_tanh(left))

/* ---- all rows of a block ---- */

/* The lanes from `first` on, fewer than a vector has. */
VECTOR_INLINE vector
load_rest(const struct kernel_operand *operand, size_t first, size_t lanes)
{
    vector value = vector_all(1);

    if (operand->one)
        return vector_all(*operand->at);
    memcpy(&value, operand->at + first, (lanes - first) * sizeof(double));
    return value;
}

/* `left_one` and `right_one` are known to the compiler, so that nothing is asked in the loop. */
VECTOR_INLINE void
each_vector(const struct kernel_work *work, operation apply, bool left_one, bool right_one)
{
    vector left = vector_all(*work->left.at), right = vector_all(*work->right.at);
    size_t i = 0, lanes = work->lanes;

    for (; i + LANES <= lanes; i += LANES) {
        left = left_one ? left : vector_load(work->left.at + i);
        right = right_one ? right : vector_load(work->right.at + i);
        vector_store(work->target + i, apply(left, right));
    }
    if (i < lanes) {
        vector value = apply(load_rest(&work->left, i, lanes), load_rest(&work->right, i, lanes));

        memcpy(work->target + i, &value, (lanes - i) * sizeof(double));
    }
}

/* Operands of which none is a column are those of a constant's copy. */
VECTOR_INLINE void
each(const struct kernel_work *work, operation apply)
{
    if (work->left.one && work->right.one)
        each_vector(work, apply, true, true);
    else if (work->right.one)
        each_vector(work, apply, false, true);
    else if (work->left.one)
        each_vector(work, apply, true, false);
    else
        each_vector(work, apply, false, false);
}

#define KERNEL_NAME(bits) KERNEL_OF(bits)
#define KERNEL_OF(bits) kernel_##bits

#define OPERATIONS(CASE)                                                                                               \
    CASE(OPCODE_ADD, add)                                                                                              \
    CASE(OPCODE_SUBTRACT, subtract)                                                                                    \
    CASE(OPCODE_MULTIPLY, multiply)                                                                                    \
    CASE(OPCODE_DIVIDE, divide)                                                                                        \
    CASE(OPCODE_MAX, maximum)                                                                                          \
    CASE(OPCODE_MIN, minimum)                                                                                          \
    CASE(OPCODE_NOT_LESS, not_less)                                                                                    \
    CASE(OPCODE_EQUAL, equal)                                                                                          \
    CASE(OPCODE_AT_LEAST, at_least)                                                                                    \
    CASE(OPCODE_AT_MOST, at_most)                                                                                      \
    CASE(OPCODE_POWER, power)                                                                                          \
    CASE(OPCODE_COPY, copy)                                                                                            \
    CASE(OPCODE_FLOOR, whole)                                                                                          \
    CASE(OPCODE_ROOT, root)                                                                                            \
    CASE(OPCODE_CUBE_ROOT, cube_root)                                                                                  \
    CASE(OPCODE_EXP, exponential)                                                                                      \
    CASE(OPCODE_LOG, logarithm)                                                                                        \
    CASE(OPCODE_SIN, sine)                                                                                             \
    CASE(OPCODE_COS, cosine)                                                                                           \
    CASE(OPCODE_TANH, hyperbolic_tangent)

#define CASE_OF_BLOCK(opcode, apply)                                                                                   \
    case opcode:                                                                                                       \
        each(work, apply);                                                                                             \
        break;

void
KERNEL_NAME(VECTOR_BITS)(const struct kernel_work *work)
{
    switch (work->opcode) {
        OPERATIONS(CASE_OF_BLOCK)
    default:
        break;
    }
}

#if VECTOR_BITS == 128

#define CASE_OF_POINT(opcode, apply)                                                                                   \
    case opcode:                                                                                                       \
        return apply(vector_all(left), vector_all(right))[0];

double
kernel_point(enum opcode opcode, double left, double right)
{
    switch (opcode) {
        OPERATIONS(CASE_OF_POINT)
    default:
        return (double)NAN;
    }
}

#endif
