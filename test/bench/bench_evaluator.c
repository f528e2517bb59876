/*
 * What it costs to evaluate: random trees of + - x with 31 nodes over 8 columns. A node is every one, leaves included.
 */
#include "timing.h"

#include "expression/expression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TREES = 200, NODES = 31, INPUTS = 8, ROWS = 16384, REPEATS = 5, POINTS = 2000 };

static double columns[INPUTS][ROWS], results[ROWS];

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014) */
static uint64_t
random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A random binary tree of 2 leaves - 1 nodes, with a constant for every fourth leaf; returns how many nodes it wrote. */
static size_t
grow(struct tree_node *nodes, size_t leaves, uint64_t *state)
{
    size_t left = leaves < 2 ? 0 : 1 + random_next(state) % (leaves - 1), count;
    uint64_t random = random_next(state);

    if (leaves == 1) {
        if (random % 4 == 0)
            *nodes = (struct tree_node){OPCODE_NUMBER, 0, (double)(random >> 40) / 0x1p23};
        else
            *nodes = (struct tree_node){OPCODE_SYMBOL, (int32_t)(random / 4 % INPUTS), 0};
        return 1;
    }
    count = grow(nodes, left, state);
    count += grow(nodes + count, leaves - left, state);
    nodes[count] = (struct tree_node){random % 4 < 2    ? OPCODE_MULTIPLY
                                      : random % 4 == 2 ? OPCODE_ADD
                                                        : OPCODE_SUBTRACT,
                                      0, 0};
    return count + 1;
}

int
main(void)
{
    static struct expression_program *programs[TREES];
    const double *inputs[INPUTS];
    memmodel_context *context;
    uint64_t state = 1;
    double best = 1e300, best_point = 1e300, sum = 0;

    if (memmodel_context_new(NULL, &context))
        abort();
    if (getenv("BITS"))
        context_limit_vectors(context, atoi(getenv("BITS")));
    for (int i = 0; i < INPUTS; i++) {
        inputs[i] = columns[i];
        for (int r = 0; r < ROWS; r++)
            columns[i][r] = (double)(random_next(&state) >> 11) * 0x1p-52;
    }
    for (int t = 0; t < TREES; t++) {
        struct tree_node nodes[NODES];
        size_t count = grow(nodes, (NODES + 1) / 2, &state);

        if (expression_compile_tree(context, nodes, count, TREE_VALUE, &programs[t]))
            abort();
    }
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = milliseconds(), time;

        for (int t = 0; t < TREES; t++)
            expression_program_run_block(programs[t], inputs, ROWS, (double *[]){results});
        time = milliseconds() - start;
        best = time < best ? time : best;
        start = milliseconds();
        for (int t = 0; t < TREES; t++)
            for (int p = 0; p < POINTS; p++) {
                double result, point[INPUTS];
                for (int i = 0; i < INPUTS; i++)
                    point[i] = columns[i][p];
                expression_program_run(programs[t], point, &result);
                sum += result;
            }
        time = milliseconds() - start;
        best_point = time < best_point ? time : best_point;
    }
    printf("%g Gnode/s; %g ns per node scalar %g\n", (double)TREES * NODES * ROWS / best * 1e-6,
           best_point * 1e6 / TREES / NODES / POINTS, sum);
    return 0;
}
