/*
 * What it costs to evaluate, and beside it what compiled C takes: random trees of + - x with 31 nodes over 8 columns (a
 * node is every one, leaves included), functions, and an exported model against one written by hand. JSON
 * lines. `./run bench evaluator` adds pyoperon, and the ratios.
 */
#include "timing.h"

#include "../property/tree_program.h"

#include "expression/expression.h"
#include "expression/kernels.h"
#include "memmodel.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TREES = 100,
    NODES = 31,
    INPUTS = 8,
    ROWS = 16384,
    MANY_ROWS = 100000,
    REPEATS = 9, /* at least */
    MIN_MILLISECONDS = 3000,
    POINTS = 2000,
    COMPILED = 20
};

static double columns[INPUTS][MANY_ROWS], results[1 + NODES][MANY_ROWS];
static const double *inputs[INPUTS];
static struct tree_node trees[TREES][NODES];

static _Noreturn void
stop(const char *why)
{
    fprintf(stderr, "bench_evaluator: %s\n", why);
    exit(1);
}

/* ---- trees ---- */

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014) */
static uint64_t
random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A random binary tree of 2 leaves - 1 nodes, every fourth leaf a number; returns how many nodes it wrote. */
static size_t
grow(struct tree_node *nodes, size_t leaves, uint64_t *state)
{
    static const enum opcode operations[] = {OPCODE_ADD, OPCODE_SUBTRACT, OPCODE_MULTIPLY};
    uint64_t random = random_next(state);
    size_t left, count;

    if (leaves == 1) {
        *nodes = random % 4 ? (struct tree_node){.kind = LEAF_SYMBOL, .index = (int32_t)(random / 4 % INPUTS)}
                            : (struct tree_node){.kind = LEAF_NUMBER, .number = (double)(random >> 40) * 0x1p-23};
        return 1;
    }
    left = 1 + random_next(state) % (leaves - 1);
    count = grow(nodes, left, state);
    count += grow(nodes + count, leaves - left, state);
    nodes[count] = (struct tree_node){.kind = operations[random % 3]};
    return count + 1;
}

static void
make_data(void)
{
    uint64_t state = 1;

    for (int i = 0; i < INPUTS; i++) {
        inputs[i] = columns[i];
        for (int row = 0; row < MANY_ROWS; row++)
            columns[i][row] = (double)(random_next(&state) >> 11) * 0x1p-52;
    }
    for (int t = 0; t < TREES; t++)
        grow(trees[t], (NODES + 1) / 2, &state);
}

static void
compile_trees(enum cpu_vectors width, struct expression_program *programs[TREES])
{
    memmodel_context *context;

    if (memmodel_context_new(NULL, &context))
        stop("out of memory");
    context_limit_vectors(context, width);
    for (int t = 0; t < TREES; t++)
        if (tree_compile(context, trees[t], NODES, &programs[t]))
            stop("a tree does not compile");
    memmodel_context_unref(context);
}

/* ---- times: the minimum of as many as three seconds hold, since other programs only ever make them longer ---- */

typedef void (*work)(void *on);

static double
min_milliseconds(work run, void *on)
{
    double min = HUGE_VAL, end = milliseconds() + MIN_MILLISECONDS;

    for (int repeat = 0; repeat < REPEATS || milliseconds() < end; repeat++) {
        double start = milliseconds(), time;

        run(on);
        time = milliseconds() - start;
        min = time < min ? time : min;
    }
    return min;
}

static void
print_rate(const char *name, double nodes, double time)
{
    printf("{\"benchmark\": \"%s\", \"Gnode/s\": %.3f, \"nanoseconds a node\": %.3f}\n", name, nodes / time * 1e-6,
           time * 1e6 / nodes);
    fflush(stdout);
}

struct blocks {
    struct expression_program *programs[TREES];
    size_t rows, trees;
};

static void
run_blocks(void *on)
{
    const struct blocks *blocks = on;
    double *to[1 + NODES];

    for (int i = 0; i < 1 + NODES; i++)
        to[i] = results[i];
    for (size_t t = 0; t < blocks->trees; t++)
        expression_program_run_block(blocks->programs[t], inputs, blocks->rows, to);
}

static void
run_points(void *on)
{
    const struct blocks *blocks = on;

    for (int t = 0; t < TREES; t++)
        for (int i = 0; i < POINTS; i++)
            expression_program_run(blocks->programs[t], &columns[0][i], &results[0][i]);
}

static void
free_trees(struct blocks *blocks)
{
    for (int t = 0; t < TREES; t++)
        expression_program_free(blocks->programs[t]);
}

static void
time_trees(enum cpu_vectors width)
{
    struct blocks blocks = {.rows = ROWS, .trees = TREES};
    char name[64];

    compile_trees(width, blocks.programs);
    snprintf(name, sizeof name, "trees, vectors of %d bits", 128 << width);
    print_rate(name, (double)TREES * NODES * ROWS, min_milliseconds(run_blocks, &blocks));
    if (width == cpu_vectors()) {
        print_rate("trees, a row at a time", (double)TREES * NODES * POINTS, min_milliseconds(run_points, &blocks));
        blocks.rows = MANY_ROWS;
        print_rate("100,000 rows", (double)TREES * NODES * MANY_ROWS, min_milliseconds(run_blocks, &blocks));
    }
    free_trees(&blocks);
}

/* ---- functions ---- */

struct function {
    const char *name;
    enum opcode opcode;
    double (*of_libm)(double x);
    kernel kernel;
};

static double
power_of_libm(double x)
{
    return pow(x, 0.7);
}

static void
run_kernel(void *on)
{
    static const double exponent = 0.7;
    const struct function *function = on;

    for (size_t row = 0; row < ROWS; row += 128)
        function->kernel(&(struct kernel_work){.opcode = function->opcode,
                                               .left = {columns[0] + row, false},
                                               .right = {&exponent, true},
                                               .target = results[0] + row,
                                               .lanes = 128});
}

static void
run_libm(void *on)
{
    const struct function *function = on;

    for (size_t row = 0; row < ROWS; row++)
        results[0][row] = function->of_libm(columns[0][row]);
}

static void
run_one_by_one(void *on)
{
    const struct function *function = on;

    for (size_t row = 0; row < ROWS; row++)
        results[0][row] = kernel_point(function->opcode, columns[0][row], 0.7);
}

static void
time_functions(void)
{
    struct function functions[] = {{"exp", OPCODE_EXP, exp, NULL},
                                   {"log", OPCODE_LOG, log, NULL},
                                   {"cube root", OPCODE_CUBE_ROOT, cbrt, NULL},
                                   {"power", OPCODE_POWER, power_of_libm, NULL}};

    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        struct function *function = &functions[i];

        function->kernel = kernel_for(cpu_vectors());
        printf("{\"benchmark\": \"%s\", \"nanoseconds in a block\": %.2f, \"nanoseconds alone\": %.2f, "
               "\"nanoseconds of libm\": %.2f}\n",
               function->name, min_milliseconds(run_kernel, function) * 1e6 / ROWS,
               min_milliseconds(run_one_by_one, function) * 1e6 / ROWS,
               min_milliseconds(run_libm, function) * 1e6 / ROWS);
    }
}

/* ---- compiled C ---- */

static void
write_tree(FILE *file, const struct tree_node *nodes, size_t *at)
{
    static const char *const signs[] = {[OPCODE_ADD] = "+", [OPCODE_SUBTRACT] = "-", [OPCODE_MULTIPLY] = "*"};
    const struct tree_node *node = &nodes[(*at)--];

    if (node->kind == LEAF_SYMBOL) {
        fprintf(file, "x[%d][i]", node->index);
    } else if (node->kind == LEAF_NUMBER) {
        fprintf(file, "%a", node->number);
    } else { /* backwards, the right operand comes first; all three operations cost the same */
        fprintf(file, "(");
        write_tree(file, nodes, at);
        fprintf(file, " %s ", signs[node->kind]);
        write_tree(file, nodes, at);
        fprintf(file, ")");
    }
}

static const char by_hand[] =
    "static double by_hand(double dim, double batch)\n"
    "{ return 897254043.6320517 + 30457.475870038903*dim*dim + 1291.890944672428*dim*dim*dim*batch; }\n"
    "#define LOOP(name, function) void name(const double *const *x, double *restrict y, long rows) \\\n"
    "{ for (long i = 0; i < rows; i++) y[i] = function(x[0][i], x[1][i]); }\n"
    "LOOP(exported_loop, predict_peak_bytes)\nLOOP(by_hand_loop, by_hand)\n";

typedef void (*loop)(const double *const *x, double *y, long rows);

struct loops {
    loop functions[COMPILED];
    int count;
};

static void
run_loops(void *on)
{
    const struct loops *loops = on;

    for (int i = 0; i < loops->count; i++)
        loops->functions[i](inputs, results[0], ROWS);
}

static void
write_c(const char *path, const char *exported)
{
    FILE *file = fopen(path, "w");

    if (!file)
        stop("cannot write C");
    fprintf(file, "%s%s", exported, by_hand);
    for (int t = 0; t < COMPILED; t++) {
        size_t last = NODES - 1;

        fprintf(file,
                "void tree_%d(const double *const *x, double *restrict y, long rows)\n"
                "{ for (long i = 0; i < rows; i++) y[i] = ",
                t);
        write_tree(file, trees[t], &last);
        fprintf(file, "; }\n");
    }
    fclose(file);
}

static loop
find_loop(void *library, const char *name)
{
    void *address = dlsym(library, name);
    loop found;

    if (!address)
        stop("a compiled loop is missing");
    memcpy(&found, &address, sizeof found);
    return found;
}

static char *
exported_model(const char *path)
{
    memmodel_context *context;
    memmodel_model *model;
    char *text;

    if (memmodel_context_new(NULL, &context) || memmodel_model_load(context, path, &model) ||
        memmodel_model_to_code(model, MEMMODEL_LANGUAGE_C, context, &text))
        stop("cannot export the model");
    memmodel_model_unref(model);
    return text;
}

/* Compiled with all that this machine has; folder: for what is compiled. */
static void
time_compiled(const char *model, const char *folder)
{
    char source[512], library[512], command[1200], name[16];
    struct loops compiled = {.count = COMPILED}, exported = {.count = 1}, hand = {.count = 1};
    void *handle;

    snprintf(source, sizeof source, "%s/evaluator.c", folder);
    snprintf(library, sizeof library, "%s/evaluator.so", folder);
    snprintf(command, sizeof command, "cc -O3 -march=native -ffp-contract=off -fPIC -shared -o %s %s", library, source);
    write_c(source, exported_model(model));
    if (system(command) != 0 || !(handle = dlopen(library, RTLD_NOW)))
        stop("cannot compile C");
    for (int t = 0; t < COMPILED; t++) {
        snprintf(name, sizeof name, "tree_%d", t);
        compiled.functions[t] = find_loop(handle, name);
    }
    exported.functions[0] = find_loop(handle, "exported_loop");
    hand.functions[0] = find_loop(handle, "by_hand_loop");
    print_rate("trees in compiled C", (double)COMPILED * NODES * ROWS, min_milliseconds(run_loops, &compiled));
    printf("{\"benchmark\": \"exported C, a row\", \"nanoseconds\": %.4f, \"nanoseconds by hand\": %.4f}\n",
           min_milliseconds(run_loops, &exported) * 1e6 / ROWS, min_milliseconds(run_loops, &hand) * 1e6 / ROWS);
}

/* ---- the machine ---- */

static void
print_machine(void)
{
    char line[512], name[512] = "unknown";
    FILE *file = fopen("/proc/cpuinfo", "r");

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %511[^\n]", name) == 1)
            break;
    if (file)
        fclose(file);
    printf("{\"benchmark\": \"machine\", \"processor\": \"%s\", \"vectors\": %d, \"compiler\": \"%s\"}\n", name,
           128 << cpu_vectors(), __VERSION__);
}

int
main(int argc, char **argv)
{
    if (argc != 3)
        stop("usage: bench_evaluator MODEL.json FOLDER");
    make_data();
    print_machine();
    for (enum cpu_vectors width = CPU_VECTORS_128; width <= cpu_vectors(); width++)
        time_trees(width);
    time_functions();
    time_compiled(argv[1], argv[2]);
    return 0;
}
