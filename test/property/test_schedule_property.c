/*
 * Schedules of random networks: no tensor is overwritten before its last use, no rule makes the peak rise, and the
 * order that is found is the best of all that there are.
 */
#include "base/splitmix.h"
#include "../unit/check.h"
#include "inference/order.h"

#include <stdio.h>
#include <stdlib.h>

enum { NETWORKS = 250, MAX_TENSORS = 64, MAX_WORDS = 4096 };

/* ---- random networks ---- */

struct random {
    uint64_t state;
};

static uint64_t
next(struct random *random)
{
    random->state += SPLITMIX_STEP;
    return splitmix(random->state);
}

static int64_t
below(struct random *random, int64_t limit)
{
    return (int64_t)(next(random) % (uint64_t)limit);
}

/* Networks of tensors [1 or 2, channels, length]. */
struct object_pool {
    memmodel_network *net;
    memmodel_tensor tensors[MAX_TENSORS];
    struct memmodel_shape shapes[MAX_TENSORS];
    int count;
};

static void
keep(struct object_pool *pool, memmodel_tensor tensor)
{
    if (tensor < 0) {
        memmodel_network_clear_error(pool->net);
        return;
    }
    pool->tensors[pool->count] = tensor;
    assert_int_equal(memmodel_network_get_shape(pool->net, tensor, &pool->shapes[pool->count]), 0);
    pool->count++;
}

/* One of the later tensors, mostly. */
static int
some(struct object_pool *pool, struct random *random)
{
    int64_t back = below(random, 2) ? below(random, 3) : below(random, pool->count);

    return back < pool->count ? pool->count - 1 - (int)back : 0;
}

/* One of the same shape along all axes but `free`; itself if there is no other. */
static int
like(struct object_pool *pool, struct random *random, int of, int free)
{
    int64_t first = below(random, pool->count);

    for (int i = 0; i < pool->count; i++) {
        int at = (int)((first + i) % pool->count);
        bool same = pool->shapes[at].rank == pool->shapes[of].rank;

        for (int axis = 0; axis < pool->shapes[of].rank && same; axis++)
            same = axis == free || pool->shapes[at].dims[axis] == pool->shapes[of].dims[axis];
        if (same)
            return at;
    }
    return of;
}

static void
add_random_layer(struct object_pool *pool, struct random *random)
{
    memmodel_network *net = pool->net;
    int at = some(pool, random);
    memmodel_tensor x = pool->tensors[at], y;
    const struct memmodel_shape *shape = &pool->shapes[at];
    int rank = shape->rank;

    switch (below(random, 11)) {
    case 0:
        keep(pool, memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_TANH)));
        break;
    case 1:
        y = pool->tensors[like(pool, random, at, -1)];
        keep(pool, memmodel_network_binary(net, x, y, NULL));
        break;
    case 2:
    case 3:
        y = pool->tensors[like(pool, random, at, 1)];
        keep(pool, memmodel_network_concat(net, (memmodel_tensor[]){x, y}, 2, MEMMODEL_CONCAT(.axis = 1)));
        break;
    case 4:
        y = memmodel_network_split(net, x, MEMMODEL_SPLIT(.parts = 2, .axis = 1));
        keep(pool, y);
        if (y >= 0)
            keep(pool, memmodel_network_layer_output(net, y, 1));
        break;
    case 5:
        keep(pool, memmodel_network_slice(net, x, MEMMODEL_SLICE(.start = below(random, 2), .axis = rank > 1)));
        break;
    case 6:
        keep(pool, memmodel_network_flatten(net, x, 1, -1));
        break;
    case 7:
        keep(pool, memmodel_network_permute(net, x, rank, rank == 3 ? (int[]){0, 2, 1} : (int[]){1, 0}));
        break;
    case 8:
        keep(pool, memmodel_network_softmax(net, x, NULL));
        break;
    default:
        keep(pool, memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 1 + below(random, 12))));
    }
}

static memmodel_network *
random_network(memmodel_context *context, struct random *random, int layers)
{
    struct object_pool pool = {.count = 0};
    int64_t batch = 1 + (below(random, 4) == 0);

    assert_int_equal(memmodel_network_new(context, &pool.net), 0);
    for (int i = 0; i < 2; i++)
        keep(&pool, memmodel_network_input(pool.net, i ? "b" : "a", MEMMODEL_DTYPE_FLOAT32, 3,
                                           (memmodel_dim[]){batch, 1 + below(random, 6), 4}));
    for (int i = 0; i < layers; i++)
        add_random_layer(&pool, random);
    for (int i = 0; i < 2 && below(random, 2); i++)
        memmodel_network_mark_output(pool.net, pool.tensors[below(random, pool.count)]);
    assert_int_equal(memmodel_network_status(pool.net), 0);
    return pool.net;
}

static memmodel_schedule *
schedule_of(const memmodel_network *net, uint64_t without)
{
    const struct memmodel_schedule_options how = {.size = sizeof how, .disabled_passes = without};
    memmodel_schedule *schedule = NULL;

    assert_int_equal(memmodel_network_schedule(net, &how, NULL, &schedule), 0);
    return schedule;
}

/* ---- what would be in memory ---- */

/* What the words of each tensor are: equal numbers are equal words. Views and copies have those of what they show. */
struct contents {
    const memmodel_network *net;
    int32_t *words[4 * MAX_TENSORS];
};

static int64_t
dim_of(const struct tensor *tensor, int axis)
{
    return tensor->dims[axis];
}

static int64_t
words_of(const struct tensor *tensor)
{
    int64_t words = 1;

    for (int i = 0; i < tensor->rank; i++)
        words *= tensor->dims[i];
    return words;
}

/* The word of x that is at `index` of axis `axis`, of a tensor with `y`'s shape otherwise. */
static int64_t
word_at(const struct tensor *x, int axis, int64_t outer, int64_t index, int64_t inner)
{
    int64_t after = 1;

    for (int i = axis + 1; i < x->rank; i++)
        after *= dim_of(x, i);
    return (outer * dim_of(x, axis) + index) * after + inner;
}

static void
copy_axis(struct contents *contents, int32_t to, int32_t from, int axis, int64_t to_first, int64_t from_first,
          int64_t count)
{
    const struct tensor *x = &contents->net->tensors[from], *y = &contents->net->tensors[to];
    int64_t outer = 1, inner = 1;

    for (int i = 0; i < axis; i++)
        outer *= dim_of(y, i);
    for (int i = axis + 1; i < y->rank; i++)
        inner *= dim_of(y, i);
    for (int64_t a = 0; a < outer; a++)
        for (int64_t i = 0; i < count; i++)
            for (int64_t b = 0; b < inner; b++)
                contents->words[to][word_at(y, axis, a, to_first + i, b)] =
                    contents->words[from][word_at(x, axis, a, from_first + i, b)];
}

static void
fill_moved(struct contents *contents, const struct layer *layer)
{
    const struct tensor *tensors = contents->net->tensors;
    int64_t at = 0;

    if (layer->op == OP_CONCAT)
        for (int i = 0; i < layer->input_count; i++) {
            copy_axis(contents, layer->first_output, layer->inputs[i], 1, at, 0, dim_of(&tensors[layer->inputs[i]], 1));
            at += dim_of(&tensors[layer->inputs[i]], 1);
        }
    for (int i = 0; layer->op == OP_SPLIT && i < layer->output_count; i++) {
        copy_axis(contents, layer->first_output + i, layer->inputs[0], 1, 0, at,
                  dim_of(&tensors[layer->first_output + i], 1));
        at += dim_of(&tensors[layer->first_output + i], 1);
    }
    if (layer->op == OP_SLICE) {
        const struct memmodel_slice *slice = layer->options;

        copy_axis(contents, layer->first_output, layer->inputs[0], slice->axis, 0, slice->start,
                  dim_of(&tensors[layer->first_output], slice->axis));
    }
}

/* The last two axes are exchanged. */
static void
fill_permuted(struct contents *contents, const struct layer *layer)
{
    const struct tensor *x = &contents->net->tensors[layer->inputs[0]];
    int64_t rows = dim_of(x, x->rank - 2), columns = dim_of(x, x->rank - 1), outer = words_of(x) / rows / columns;

    for (int64_t a = 0; a < outer; a++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = 0; k < columns; k++)
                contents->words[layer->first_output][(a * columns + k) * rows + i] =
                    contents->words[layer->inputs[0]][(a * rows + i) * columns + k];
}

static void
fill_contents(struct contents *contents)
{
    int32_t word = 1;

    for (size_t i = 0; i < contents->net->layer_count; i++) {
        const struct layer *layer = &contents->net->layers[i];

        for (int32_t k = layer->first_output; k < layer->first_output + layer->output_count; k++) {
            int64_t words = words_of(&contents->net->tensors[k]);

            contents->words[k] = malloc((size_t)words * sizeof **contents->words);
            for (int64_t w = 0; w < words; w++)
                contents->words[k][w] = layer->op == OP_FLATTEN ? contents->words[layer->inputs[0]][w] : word++;
        }
        fill_moved(contents, layer);
        if (layer->op == OP_PERMUTE)
            fill_permuted(contents, layer);
    }
}

/* ---- running it ---- */

struct machine {
    struct contents contents;
    const memmodel_schedule *schedule;
    const memmodel_plan *plan;
    int32_t memory[1 << 18];
};

/* Where the tensor is, in words; NULL: nowhere. */
static int32_t *
place_of(struct machine *machine, int32_t tensor)
{
    struct memmodel_plan_buffer place = {.size = sizeof place};
    size_t buffer;

    if (memmodel_schedule_find_buffer(machine->schedule, tensor, &buffer))
        return NULL;
    assert_int_equal(memmodel_plan_get_buffer(machine->plan, buffer, &place), 0);
    assert_true(place.offset % 4 == 0 && place.offset + place.bytes <= (int64_t)sizeof machine->memory);
    return machine->memory + place.offset / 4;
}

static void
assert_there(struct machine *machine, int32_t tensor)
{
    const int32_t *at = place_of(machine, tensor);
    int64_t words = words_of(&machine->contents.net->tensors[tensor]);

    assert_non_null(at);
    for (int64_t i = 0; i < words; i++)
        if (at[i] != machine->contents.words[tensor][i])
            fail_msg("word %d of %s is gone", (int)i,
                     machine->contents.net->layers[machine->contents.net->tensors[tensor].layer].name);
}

static void
write_tensor(struct machine *machine, int32_t tensor)
{
    int32_t *at = place_of(machine, tensor);

    assert_non_null(at);
    memcpy(at, machine->contents.words[tensor], (size_t)words_of(&machine->contents.net->tensors[tensor]) * sizeof *at);
}

/* Steps read what others made; what is between them is nowhere. */
static void
run_operator(struct machine *machine, size_t index)
{
    const memmodel_network *net = machine->contents.net;
    struct memmodel_schedule_operator about = {.size = sizeof about};

    assert_int_equal(memmodel_schedule_get_operator(machine->schedule, index, &about), 0);
    for (int64_t i = about.first_layer; i <= about.last_layer; i++)
        for (int32_t k = 0; k < net->layers[i].input_count; k++)
            if (i == about.first_layer || (i == about.last_layer && place_of(machine, net->layers[i].inputs[k])))
                assert_there(machine, net->layers[i].inputs[k]);
    for (int32_t k = 0; k < net->layers[about.last_layer].output_count; k++) {
        int32_t tensor = net->layers[about.last_layer].first_output + k;

        if (about.is_noop)
            assert_there(machine, tensor);
        else
            write_tensor(machine, tensor);
    }
}

static void
assert_runs(const memmodel_network *net, uint64_t without)
{
    struct machine *machine = calloc(1, sizeof *machine);
    memmodel_schedule *schedule = schedule_of(net, without);

    machine->contents.net = net;
    machine->schedule = schedule;
    machine->plan = memmodel_schedule_plan(schedule);
    fill_contents(&machine->contents);
    for (size_t i = 0; i < net->layer_count; i++)
        if (net->layers[i].op == OP_INPUT)
            write_tensor(machine, net->layers[i].first_output);
    for (size_t i = 0; i < memmodel_schedule_operator_count(schedule); i++)
        run_operator(machine, i);
    for (size_t i = 0; i < net->output_count; i++)
        assert_there(machine, net->outputs[i]);
    for (size_t i = 0; i < net->tensor_count; i++)
        free(machine->contents.words[i]);
    memmodel_schedule_unref(schedule);
    free(machine);
}

static const uint64_t ALL = 2 * MEMMODEL_SCHEDULE_PASS_REORDERING - 1;

static void
nothing_is_overwritten_before_its_last_use(void **state)
{
    struct random random = {1};

    for (int i = 0; i < NETWORKS; i++) {
        memmodel_network *net = random_network(*state, &random, 4 + (int)below(&random, 24));

        assert_runs(net, 0);
        assert_runs(net, next(&random) & ALL);
        memmodel_network_unref(net);
    }
}

static int64_t
peak_of(const memmodel_network *net, uint64_t without)
{
    struct memmodel_schedule_result summary = {.size = sizeof summary};
    memmodel_schedule *schedule = schedule_of(net, without);

    assert_int_equal(memmodel_schedule_get_result(schedule, &summary), 0);
    assert_true(summary.peak <= summary.peak_program_order);
    memmodel_schedule_unref(schedule);
    return summary.peak;
}

static void
no_rule_alone_makes_the_peak_rise(void **state)
{
    struct random random = {2};

    for (int i = 0; i < NETWORKS; i++) {
        memmodel_network *net = random_network(*state, &random, 4 + (int)below(&random, 20));
        int64_t without = peak_of(net, ALL);

        for (uint64_t rule = 1; rule <= ALL; rule *= 2)
            assert_true(peak_of(net, ALL & ~rule) <= without);
        assert_true(peak_of(net, 0) <= without);
        memmodel_network_unref(net);
    }
}

/* ---- all orders ---- */

struct orders {
    struct aliasing *sharing;
    const struct graph *graph;
    int32_t *order;
    bool *chosen, *runs;
    int64_t best;
    int64_t count;
};

static bool
is_ready(const struct orders *orders, int32_t operator)
{
    for (int32_t i = 0; i < orders->graph->operators[operator].input_count; i++) {
        int32_t maker = orders->graph->tensors[orders->graph->operators[operator].inputs[i].tensor].maker;

        if (maker >= 0 && !orders->runs[maker])
            return false;
    }
    return true;
}

static void
try_all_orders(struct orders *orders, int32_t at)
{
    if (at == orders->graph->operator_count) {
        aliasing_evaluate(orders->sharing, orders->order, orders->chosen);
        orders->best = orders->sharing->peak < orders->best ? orders->sharing->peak : orders->best;
        orders->count++;
        return;
    }
    for (int32_t i = 0; i < orders->graph->operator_count && orders->count < 20000; i++) {
        if (orders->runs[i] || !is_ready(orders, i))
            continue;
        orders->runs[i] = true;
        orders->order[at] = i;
        try_all_orders(orders, at + 1);
        orders->runs[i] = false;
    }
}

/* The least load of all orders, with views and concatenations as they are chosen. */
static int64_t
least_of_all_orders(struct aliasing *sharing, bool *chosen, int64_t *count)
{
    size_t operators = (size_t)sharing->graph->operator_count;
    struct orders orders = {
        .sharing = sharing, .graph = sharing->graph, .chosen = chosen, .best = INT64_MAX, .count = 0};

    orders.order = calloc(operators + 1, sizeof *orders.order);
    orders.runs = calloc(operators + 1, sizeof *orders.runs);
    try_all_orders(&orders, 0);
    free(orders.order);
    free(orders.runs);
    *count = orders.count;
    return orders.best;
}

static void
compare_orders(memmodel_context *context, const memmodel_network *net, uint64_t without)
{
    struct binding binding;
    struct graph graph;
    struct aliasing sharing;
    int32_t order[MAX_TENSORS];
    bool chosen[MAX_TENSORS] = {false};
    int64_t best, count, built;

    assert_int_equal(binding_new(context, net, NULL, &binding), 0);
    assert_int_equal(operator_graph_new(context, &binding, without, &graph), 0);
    assert_int_equal(aliasing_new(&graph, without, &sharing), 0);
    for (int32_t i = 0; i < graph.operator_count; i++)
        order[i] = i;
    aliasing_evaluate(&sharing, order, chosen);
    built = sharing.peak;
    best = least_of_all_orders(&sharing, chosen, &count);
    if (count < 20000) {
        assert_int_equal(order_improve(&sharing, order, chosen), 0);
        assert_true(sharing.peak <= built);
        assert_int_equal(sharing.peak, best);
    }
    aliasing_release(&sharing);
    operator_graph_release(&graph);
    binding_release(context, &binding);
}

/* With nothing shared but views, which are the same in every order. */
static void
the_order_is_the_best_of_all(void **state)
{
    struct random random = {3};

    for (int i = 0; i < NETWORKS; i++) {
        memmodel_network *net = random_network(*state, &random, 3 + (int)below(&random, 6));

        compare_orders(*state, net, ALL & ~(uint64_t)MEMMODEL_SCHEDULE_PASS_REORDERING);
        memmodel_network_unref(net);
    }
}

/* ---- networks with many branches ---- */

/*
 * A stage of a randomly wired network (Xie et al., ICCV 2019): a ring of nodes, each joined to its next `near` ones,
 * each of these with a probability of 3/4 to another node instead (Watts and Strogatz); edges go from lower to higher
 * numbers.
 */
static memmodel_network *
randomly_wired(memmodel_context *context, struct random *random, int nodes, int near)
{
    memmodel_network *net;
    memmodel_tensor made[MAX_TENSORS], x, sum;
    bool edges[MAX_TENSORS][MAX_TENSORS] = {{false}};

    for (int i = 0; i < nodes; i++)
        for (int k = 1; k <= near / 2; k++) {
            int to = below(random, 4) ? (int)below(random, nodes) : (i + k) % nodes;

            if (to != i)
                edges[i < to ? i : to][i < to ? to : i] = true;
        }
    assert_int_equal(memmodel_network_new(context, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){1, 16, 32, 32});
    for (int i = 0; i < nodes; i++) {
        sum = -1;
        for (int k = 0; k < i; k++)
            if (edges[k][i])
                sum = sum < 0 ? made[k] : memmodel_network_binary(net, sum, made[k], NULL);
        made[i] = memmodel_network_conv(
            net, sum < 0 ? x : sum, MEMMODEL_CONV(.filters = 16, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
    }
    sum = -1;
    for (int i = 0; i < nodes; i++) {
        bool used = false;

        for (int k = i + 1; k < nodes; k++)
            used = used || edges[i][k];
        if (!used)
            sum = sum < 0 ? made[i] : memmodel_network_binary(net, sum, made[i], NULL);
    }
    memmodel_network_mark_output(net, sum);
    return net;
}

static void
randomly_wired_networks_gain_by_their_order(void **state)
{
    struct random random = {4};
    double built = 0, found = 0;

    for (int i = 0; i < 20; i++) {
        memmodel_network *net = randomly_wired(*state, &random, 32, 4);

        built += (double)peak_of(net, MEMMODEL_SCHEDULE_PASS_REORDERING);
        found += (double)peak_of(net, 0);
        memmodel_network_unref(net);
    }
    print_message("randomly wired: %.4f of the peak as built\n", found / built);
    assert_true(found < built);
}

/*
 * Four branches, each widened tenfold and narrowed again, all widened first: as built four wide tensors are there at
 * once, one after the other it is one. 4 x 10 units beside x, against x, 10, and the 3 narrow ones that wait: 1 + 3 +
 * 10 + 1.
 */
static void
branches_are_run_one_after_the_other(void **state)
{
    memmodel_network *net;
    memmodel_tensor wide[4], x;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){1, 100});
    for (int i = 0; i < 4; i++)
        wide[i] = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 1000));
    for (int i = 0; i < 4; i++)
        wide[i] = memmodel_network_linear(net, wide[i], MEMMODEL_LINEAR(.units = 100));
    memmodel_network_mark_output(net, memmodel_network_concat(net, wide, 4, MEMMODEL_CONCAT(.axis = 1)));
    assert_int_equal(peak_of(net, MEMMODEL_SCHEDULE_PASS_REORDERING), 400 * (4 * 10 + 1));
    /* the last narrow one takes the place of nothing: x is dead by then, so 10 + 3 + 1 against 1 + 3 + 10 before */
    assert_int_equal(peak_of(net, 0), 400 * 14);
    memmodel_network_unref(net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_overwritten_before_its_last_use),
        cmocka_unit_test(no_rule_alone_makes_the_peak_rise),
        cmocka_unit_test(the_order_is_the_best_of_all),
        cmocka_unit_test(randomly_wired_networks_gain_by_their_order),
        cmocka_unit_test(branches_are_run_one_after_the_other),
    };

    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
