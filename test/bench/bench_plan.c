/*
 * How little memory plans take and how long they are searched for, beside what others do: tables of buffers in
 * test/data, a million buffers of lifetimes of four kinds, and the search with each of its rules left out. JSON lines;
 * plan/tables.py makes them tables.
 */
#define _POSIX_C_SOURCE 200809L
#include "memmodel.h"
#include "plan/baselines.h"
#include "plan/rules.h"
#include "timing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 1048576, PLENTY = 10000000, FEW_FOR_A_RULE = 2000000, MILLION = 1000000 };

struct table {
    const char *name, *file;
    int64_t more_nodes; /* for a second, longer search; 0: none */
};

static const struct table small[] = {
    {"A", "test/data/minimalloc/A.1048576.csv", 0}, {"B", "test/data/minimalloc/B.1048576.csv", 0},
    {"C", "test/data/minimalloc/C.1048576.csv", 0}, {"D", "test/data/minimalloc/D.1048576.csv", 80000000},
    {"E", "test/data/minimalloc/E.1048576.csv", 0}, {"F", "test/data/minimalloc/F.1048576.csv", 0},
    {"G", "test/data/minimalloc/G.1048576.csv", 0}, {"H", "test/data/minimalloc/H.1048576.csv", 0},
    {"I", "test/data/minimalloc/I.1048576.csv", 0}, {"J", "test/data/minimalloc/J.1048576.csv", 12000000},
    {"K", "test/data/minimalloc/K.1048576.csv", 0},
};

static const struct table large[] = {
    {"resnet50", "test/data/idealloc/resnet50.csv", 0}, {"G_1", "test/data/idealloc/G_1.csv", 0},
    {"Y_1", "test/data/idealloc/Y_1.csv", 0},           {"pangu_2.6B", "test/data/idealloc/pangu_2.6B.csv", 10000000},
    {"S_1", "test/data/idealloc/S_1.csv", 10000000},
};

enum { SMALL = sizeof small / sizeof small[0], LARGE = sizeof large / sizeof large[0] };

/* ---- ours ---- */

static memmodel_plan *
read_table(memmodel_context *context, const struct table *table)
{
    memmodel_plan *plan = NULL;

    if (memmodel_plan_load(context, table->file, &plan))
        fprintf(stderr, "%s\n", memmodel_context_error(context)->message);
    return plan;
}

static int
solve(memmodel_plan *plan, const char *part, const char *name, const char *without,
      const struct memmodel_plan_options *options)
{
    struct memmodel_plan_result result = {.size = sizeof result};
    double start = milliseconds();

    if (memmodel_plan_solve(plan, options) || memmodel_plan_get_result(plan, &result))
        return 1;
    printf("{\"bench\": \"plan\", \"part\": \"%s\", \"table\": \"%s\", \"without\": \"%s\", \"buffers\": %zu, "
           "\"status\": \"%s\", \"peak\": %" PRId64 ", \"lower_bound\": %" PRId64 ", \"nodes\": %" PRId64
           ", \"ms\": %.2f}\n",
           part, name, without, memmodel_plan_buffer_count(plan), memmodel_search_status_name(result.status),
           result.peak, result.lower_bound, result.node_count, milliseconds() - start);
    fflush(stdout);
    return 0;
}

static int
solve_table(memmodel_context *context, const char *part, const struct table *table, const char *without,
            const struct memmodel_plan_options *options)
{
    memmodel_plan *plan = read_table(context, table);
    int status = plan ? solve(plan, part, table->name, without, options) : 1;

    memmodel_plan_unref(plan);
    return status;
}

/* ---- others ---- */

static struct buffer *
copy_buffers(const memmodel_plan *plan, size_t *count)
{
    struct buffer *buffers;

    *count = memmodel_plan_buffer_count(plan);
    buffers = calloc(*count + 1, sizeof *buffers);
    for (size_t i = 0; buffers && i < *count; i++) {
        struct memmodel_plan_buffer place = {.size = sizeof place};

        memmodel_plan_get_buffer(plan, i, &place);
        buffers[i] = (struct buffer){.lower = place.lower, .upper = place.upper, .bytes = place.bytes, .offset = -1};
    }
    return buffers;
}

static int
ask_baseline(const struct baseline *baseline, const struct table *table, const memmodel_plan *plan)
{
    size_t count;
    struct buffer *buffers = copy_buffers(plan, &count);
    double start = milliseconds();
    int64_t peak = -1;

    if (buffers && count <= baseline->max_buffers)
        peak = baseline->place(buffers, count);
    if (peak >= 0)
        printf(
            "{\"bench\": \"plan\", \"part\": \"baseline\", \"table\": \"%s\", \"baseline\": \"%s\", \"peak\": %" PRId64
            ", \"ms\": %.2f}\n",
            table->name, baseline->name, peak, milliseconds() - start);
    fflush(stdout);
    free(buffers);
    return buffers ? 0 : 1;
}

static int
ask_baselines(memmodel_context *context, const struct table *table)
{
    memmodel_plan *plan = read_table(context, table);
    int status = !plan;

    for (size_t i = 0; i < baseline_count && !status; i++)
        status = ask_baseline(&baselines[i], table, plan);
    memmodel_plan_unref(plan);
    return status;
}

/* ---- parts ---- */

static int
bench_capacity(memmodel_context *context)
{
    const struct memmodel_plan_options within = {.size = sizeof within, .budget = CAPACITY, .max_nodes = PLENTY};
    int status = 0;

    for (size_t i = 0; i < SMALL && !status; i++)
        status = solve_table(context, "capacity", &small[i], "", &within);
    return status;
}

/* By default, or for two seconds; then with more. */
static int
min_bench(memmodel_context *context, const struct table *table, double seconds)
{
    const struct memmodel_plan_options first = {.size = sizeof first, .max_seconds = seconds},
                                       more = {.size = sizeof more, .max_nodes = table->more_nodes};
    int status = solve_table(context, "min_peak", table, "", &first);

    if (!status)
        status = ask_baselines(context, table);
    if (!status && table->more_nodes)
        status = solve_table(context, "more", table, "", &more);
    return status;
}

static int
bench_rules(memmodel_context *context)
{
    static const struct {
        const char *name;
        uint64_t rule;
    } rules[] = {
        {"preordering", PLAN_RULE_PREORDERING},
        {"canonical", PLAN_RULE_CANONICAL},
        {"dominance", PLAN_RULE_DOMINANCE},
        {"sections", PLAN_RULE_SECTIONS},
        {"floor", PLAN_RULE_FLOOR},
        {"hatless", PLAN_RULE_HATLESS},
        {"decomposition", PLAN_RULE_DECOMPOSITION},
        {"dynamic ordering", PLAN_RULE_DYNAMIC_ORDERING},
        {"restart", PLAN_RULE_RESTART},
    };
    const struct memmodel_plan_options few = {.size = sizeof few, .budget = CAPACITY, .max_nodes = FEW_FOR_A_RULE};
    int status = 0;

    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
        for (size_t i = 0; i < SMALL && !status; i++) {
            memmodel_plan *plan = read_table(context, &small[i]);

            if (plan)
                plan_leave_out(plan, rules[k].rule);
            status = plan ? solve(plan, "rule", small[i].name, rules[k].name, &few) : 1;
            memmodel_plan_unref(plan);
        }
    return status;
}

/* ---- a million buffers ---- */

struct random {
    uint64_t state;
};

static uint64_t
draw(struct random *random, uint64_t below)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (random->state >> 33) % below;
}

static int
add_buffer(memmodel_plan *plan, int64_t bytes, int64_t lower, int64_t upper)
{
    const struct memmodel_plan_buffer buffer = {.size = sizeof buffer, .bytes = bytes, .lower = lower, .upper = upper};

    return memmodel_plan_add_buffer(plan, &buffer);
}

/* Up to 1 MiB in steps of 64 bytes. */
static int64_t
draw_bytes(struct random *random)
{
    return 64 * (1 + (int64_t)draw(random, 16384));
}

/* Lifetimes of up to a twentieth of a percent of all time. */
static int
add_uniform(memmodel_plan *plan)
{
    struct random random = {1};
    int status = 0;

    for (int i = 0; i < MILLION && !status; i++) {
        int64_t bytes = 64 * (1 + (int64_t)(draw(&random, UINT64_MAX) >> 17)),
                lower = (int64_t)((random.state >> 16) % MILLION);

        status = add_buffer(plan, bytes, lower, lower + 1 + (int64_t)draw(&random, MILLION / 2000));
    }
    return status;
}

/* Lifetimes that go on with the same chance at every time, in the mean as long as the longest of the uniform ones. */
static int
add_exponential(memmodel_plan *plan)
{
    struct random random = {1};
    int status = 0;

    for (int i = 0; i < MILLION && !status; i++) {
        int64_t lower = (int64_t)draw(&random, MILLION), life = 1;

        while (draw(&random, MILLION / 2000))
            life++;
        status = add_buffer(plan, draw_bytes(&random), lower, lower + life);
    }
    return status;
}

/* A stack on which something is pushed, or from which the last is taken, as the coin falls. */
static int
add_nested(memmodel_plan *plan)
{
    struct random random = {1};
    int64_t *stack = malloc(MILLION * sizeof *stack), time = 0;
    int height = 0, pushed = 0, status = stack ? 0 : 1;

    while ((pushed < MILLION || height) && !status) {
        if (pushed < MILLION && (!height || draw(&random, 2))) {
            stack[height++] = time++;
            pushed++;
        } else {
            status = add_buffer(plan, draw_bytes(&random), stack[--height], time++);
        }
    }
    free(stack);
    return status;
}

/*
 * 200 training steps of 1000 layers: of each an activation, its gradient, two workspaces, and a gradient that the step
 * keeps.
 */
static int
add_steps(memmodel_plan *plan)
{
    enum { LAYERS = 1000, STEPS = MILLION / 5 / LAYERS, TIMES = 4 * LAYERS + 2 };
    struct random random = {1};
    int status = 0;

    for (int64_t i = 0; i < STEPS * LAYERS && !status; i++) {
        int64_t start = i / LAYERS * TIMES, forward = start + i % LAYERS * 2;
        int64_t backward = start + 4 * LAYERS - i % LAYERS * 2;

        random.state = i % LAYERS ? random.state : 1; /* every step is the same */
        status = add_buffer(plan, draw_bytes(&random), forward, backward) ||
                 add_buffer(plan, draw_bytes(&random), backward - 3, backward) ||
                 add_buffer(plan, draw_bytes(&random), forward, forward + 1) ||
                 add_buffer(plan, draw_bytes(&random), backward - 2, backward - 1) ||
                 add_buffer(plan, draw_bytes(&random), backward - 1, start + TIMES - 1);
    }
    return status;
}

static int
bench_million(memmodel_context *context)
{
    static const struct {
        const char *name;
        int (*add)(memmodel_plan *plan);
    } tables[] = {
        {"uniform", add_uniform}, {"exponential", add_exponential}, {"nested", add_nested}, {"steps", add_steps}};
    const struct memmodel_plan_options options = {.size = sizeof options, .max_seconds = 1};
    int status = 0;

    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && !status; i++) {
        memmodel_plan *plan = NULL;

        status = memmodel_plan_new(context, &plan) || tables[i].add(plan) ||
                 solve(plan, "min_peak", tables[i].name, "", &options);
        memmodel_plan_unref(plan);
    }
    return status;
}

int
main(void)
{
    memmodel_context *context;
    int status = memmodel_context_new(NULL, &context) != 0;

    if (!status)
        status = bench_capacity(context);
    for (size_t i = 0; i < SMALL && !status; i++)
        status = min_bench(context, &small[i], 0);
    for (size_t i = 0; i < LARGE && !status; i++)
        status = min_bench(context, &large[i], 2);
    if (!status)
        status = bench_million(context);
    if (!status)
        status = bench_rules(context);
    memmodel_context_unref(context);
    return status;
}
