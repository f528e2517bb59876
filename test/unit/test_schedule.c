/* memmodel_schedule: what shares memory without a backward pass, and plans of whole networks. Bytes by hand. */
#include "allocations.h"
#include "check.h"
#include "networks.h"

#include "inference/order.h"

#include <inttypes.h>

/* ---- what the tests ask ---- */

/* A layer of the tests is linear or a function; [1, n] has 4 n bytes. */
static memmodel_tensor
vector(memmodel_network *net, const char *name, int64_t elements)
{
    return memmodel_network_input(net, name, MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){1, elements});
}

static memmodel_tensor
linear(memmodel_network *net, memmodel_tensor x, int64_t units)
{
    return memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = units));
}

static memmodel_tensor
function(memmodel_network *net, memmodel_tensor x)
{
    return memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_TANH));
}

static memmodel_network *
network_of(void **state)
{
    memmodel_network *net;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    return net;
}

static memmodel_schedule *
schedule_of(memmodel_network *net, uint64_t without, const struct memmodel_symbol_value *symbols, size_t count)
{
    const struct memmodel_schedule_options how = {
        .size = sizeof how, .symbols = symbols, .symbol_count = count, .disabled_passes = without};
    memmodel_schedule *schedule = NULL;

    assert_int_equal(memmodel_network_status(net), 0);
    assert_int_equal(memmodel_network_schedule(net, &how, NULL, &schedule), 0);
    return schedule;
}

static struct memmodel_schedule_result
summary_of(const memmodel_schedule *schedule)
{
    struct memmodel_schedule_result summary = {.size = sizeof summary};

    assert_int_equal(memmodel_schedule_get_result(schedule, &summary), 0);
    return summary;
}

static struct memmodel_plan_result
result_of(const memmodel_schedule *schedule)
{
    struct memmodel_plan_result result = {.size = sizeof result};
    const memmodel_plan *plan = memmodel_schedule_plan(schedule);

    assert_int_equal(memmodel_plan_get_result(plan, &result), 0);
    return result;
}

static struct memmodel_plan_buffer
place_of(const memmodel_schedule *schedule, memmodel_tensor tensor)
{
    struct memmodel_plan_buffer place = {.size = sizeof place};
    const memmodel_plan *plan = memmodel_schedule_plan(schedule);
    size_t buffer = 0;

    assert_int_equal(memmodel_schedule_find_buffer(schedule, tensor, &buffer), 0);
    assert_int_equal(memmodel_plan_get_buffer(plan, buffer, &place), 0);
    return place;
}

static int64_t
peak_without(memmodel_network *net, uint64_t without)
{
    memmodel_schedule *schedule = schedule_of(net, without, NULL, 0);
    struct memmodel_plan_result result = result_of(schedule);

    assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_OPTIMAL);
    assert_int_equal(summary_of(schedule).peak, result.peak);
    memmodel_schedule_unref(schedule);
    return result.peak;
}

/* ---- lifetimes ---- */

/* 400 + 800 while the first layer runs, 800 + 200 while the second does. */
static void
a_tensor_lives_from_its_operator_to_its_last_use(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_schedule *schedule;
    memmodel_tensor x = vector(net, "x", 100), h = linear(net, x, 200), y = linear(net, h, 50);

    assert_int_equal(peak_without(net, 0), 1200);
    schedule = schedule_of(net, 0, NULL, 0);
    assert_int_equal(summary_of(schedule).tensor_bytes, 1400);
    assert_int_equal(summary_of(schedule).parameter_bytes, 4 * (100 * 200 + 200 + 200 * 50 + 50));
    assert_int_equal(summary_of(schedule).multiply_adds, 100 * 200 + 200 * 50);
    assert_int_equal(place_of(schedule, x).lower, 0);
    assert_int_equal(place_of(schedule, x).upper, 1);
    assert_int_equal(place_of(schedule, h).lower, 0);
    assert_int_equal(place_of(schedule, h).upper, 2);
    assert_int_equal(place_of(schedule, y).upper, 2);
    memmodel_schedule_unref(schedule);
    memmodel_network_unref(net);
}

/* The first output waits for the second: 400 + 400 + 400 while the last layer runs. */
static void
outputs_stay_to_the_end(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = vector(net, "x", 100), first = linear(net, x, 100), second = linear(net, x, 100);

    memmodel_network_mark_output(net, linear(net, second, 10));
    memmodel_network_mark_output(net, first);
    assert_int_equal(peak_without(net, MEMMODEL_SCHEDULE_PASS_REORDERING), 1200);
    memmodel_network_unref(net);
}

/* Otherwise the last function would overwrite what the network returns besides. */
static void
an_output_is_not_overwritten(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = linear(net, vector(net, "x", 10), 100);

    memmodel_network_mark_output(net, x);
    memmodel_network_mark_output(net, function(net, x));
    assert_int_equal(peak_without(net, 0), 800);
    memmodel_network_unref(net);
}

static void
parameters_lie_in_the_arena_if_asked(void **state)
{
    memmodel_network *net = network_of(state);
    const struct memmodel_schedule_options how = {.size = sizeof how, .include_parameters = 1};
    memmodel_schedule *schedule;

    linear(net, vector(net, "x", 100), 50);
    assert_int_equal(memmodel_network_schedule(net, &how, NULL, &schedule), 0);
    assert_int_equal(summary_of(schedule).peak, 4 * (100 + 50 + 100 * 50 + 50));
    memmodel_schedule_unref(schedule);
    memmodel_network_unref(net);
}

/* 40 + 80 + 1000 while it runs */
static void
what_an_operator_needs_while_it_runs_is_a_buffer(void **state)
{
    memmodel_network *net = network_of(state);
    const struct memmodel_shape shape = {.dims = {1, 20}, .rank = 2, .dtype = MEMMODEL_DTYPE_FLOAT32};
    memmodel_tensor x = vector(net, "x", 10);

    memmodel_network_custom(net, &x, 1,
                            MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .forward_workspace_bytes = 1000));
    assert_int_equal(peak_without(net, 0), 1120);
    memmodel_network_unref(net);
}

/* ---- in place ---- */

static void
functions_in_a_row_need_one_buffer(void **state)
{
    memmodel_network *net = network_of(state);

    function(net, function(net, function(net, vector(net, "x", 100))));
    assert_int_equal(peak_without(net, 0), 400);
    assert_int_equal(peak_without(net, MEMMODEL_SCHEDULE_PASS_IN_PLACE), 800);
    memmodel_network_unref(net);
}

/* x + f(x): f must leave x alone, the sum need not. */
static void
what_is_read_later_is_not_overwritten(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = vector(net, "x", 100), y = function(net, x), z = memmodel_network_binary(net, x, y, NULL);
    memmodel_schedule *schedule = schedule_of(net, 0, NULL, 0);

    assert_int_not_equal(place_of(schedule, x).offset, place_of(schedule, y).offset);
    assert_int_equal(place_of(schedule, x).offset, place_of(schedule, z).offset);
    assert_int_equal(summary_of(schedule).peak, 800);
    memmodel_schedule_unref(schedule);
    memmodel_network_unref(net);
}

/* The reshaped tensor has the same bytes, and is read after the function: 400 + 400 + 200 while that is pooled. */
static void
what_is_read_later_as_a_view_is_not_overwritten(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = linear(net, vector(net, "x", 10), 100), view;
    memmodel_schedule *schedule;

    view = memmodel_network_reshape(net, x, 2, (memmodel_dim[]){10, 10});
    memmodel_network_pool(net, memmodel_network_reshape(net, function(net, x), 3, (memmodel_dim[]){1, 10, 10}),
                          MEMMODEL_POOL(.kernel = {2}));
    linear(net, view, 1);
    schedule = schedule_of(net, MEMMODEL_SCHEDULE_PASS_REORDERING, NULL, 0);
    assert_int_equal(place_of(schedule, x).offset, place_of(schedule, view).offset);
    assert_int_equal(summary_of(schedule).peak, 1000);
    memmodel_schedule_unref(schedule);
    memmodel_network_unref(net);
}

/* [10] does not hold the [10, 10] that it is added to; the other does. */
static void
a_broadcast_input_is_not_overwritten(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor small = memmodel_network_input(net, "small", MEMMODEL_DTYPE_FLOAT32, 1, (memmodel_dim[]){10}),
                    large = memmodel_network_input(net, "large", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){10, 10});

    memmodel_network_binary(net, small, large, NULL);
    assert_int_equal(peak_without(net, 0), 440);
    assert_int_equal(peak_without(net, MEMMODEL_SCHEDULE_PASS_IN_PLACE), 840);
    memmodel_network_unref(net);
}

/* ---- fusion and residuals ---- */

/* x -> linear, function -> linear -> + x: 400 each; the sum is added where x is, as x is read for nothing else. */
static void
a_residual_is_added_to_where_it_is(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = vector(net, "x", 100), h = function(net, linear(net, x, 100));

    memmodel_network_binary(net, linear(net, h, 100), x, NULL);
    assert_int_equal(peak_without(net, 0), 800);
    assert_int_equal(peak_without(net, MEMMODEL_SCHEDULE_PASS_RESIDUAL_FUSION), 1200);
    assert_int_equal(peak_without(net, MEMMODEL_SCHEDULE_PASS_FUSION | MEMMODEL_SCHEDULE_PASS_IN_PLACE), 1200);
    memmodel_network_unref(net);
}

/* The product reads all of x for each of its elements: x cannot be where the sum is put. */
static void
what_the_same_operator_multiplies_is_not_overwritten(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = vector(net, "x", 100);

    memmodel_network_binary(net, linear(net, x, 100), x, NULL);
    assert_int_equal(peak_without(net, 0), 800);
    memmodel_network_unref(net);
}

static void
steps_of_an_operator_are_named_by_their_last(void **state)
{
    memmodel_network *net = network_of(state);
    struct memmodel_schedule_operator about = {.size = sizeof about};
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){2, 3, 8, 8}), y;
    memmodel_schedule *schedule;
    size_t buffer;

    y = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
    memmodel_network_activation(net, memmodel_network_batch_norm(net, y, NULL),
                                MEMMODEL_ACTIVATION(.name = "last", .kind = MEMMODEL_ACTIVATION_RELU));
    schedule = schedule_of(net, 0, NULL, 0);
    assert_int_equal(memmodel_schedule_operator_count(schedule), 1);
    assert_int_equal(memmodel_schedule_get_operator(schedule, 0, &about), 0);
    assert_string_equal(about.name, "last");
    assert_int_equal(about.first_layer, 1);
    assert_int_equal(about.last_layer, 3);
    assert_int_equal(about.live, 4 * 2 * 64 * (3 + 4));
    assert_error(*state, memmodel_schedule_find_buffer(schedule, y, &buffer), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "no buffer");
    memmodel_schedule_unref(schedule);
    memmodel_network_unref(net);
}

/* ---- views ---- */

/* 1200 and its parts; the first sum is new, as the parts' memory is that of all three. */
static void
parts_of_a_split_lie_in_the_whole(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = linear(net, vector(net, "x", 10), 300), parts, sum;
    memmodel_schedule *schedule;

    parts = memmodel_network_split(net, x, MEMMODEL_SPLIT(.parts = 3, .axis = 1));
    sum = memmodel_network_binary(net, parts, memmodel_network_layer_output(net, parts, 1), NULL);
    memmodel_network_binary(net, sum, memmodel_network_layer_output(net, parts, 2), NULL);
    assert_int_equal(peak_without(net, 0), 1600);
    assert_int_equal(peak_without(net, MEMMODEL_SCHEDULE_PASS_VIEW_ALIASING), 2400);
    schedule = schedule_of(net, 0, NULL, 0);
    assert_int_equal(place_of(schedule, memmodel_network_layer_output(net, parts, 2)).offset,
                     place_of(schedule, x).offset + 800);
    memmodel_schedule_unref(schedule);
    memmodel_network_unref(net);
}

/* Rows of [2, 300] are cut in three: nobody has these elements side by side. */
static void
parts_that_are_no_run_of_bytes_are_copied(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){2, 300});

    memmodel_network_split(net, x, MEMMODEL_SPLIT(.parts = 3, .axis = 1));
    assert_int_equal(peak_without(net, 0), 2 * 2400);
    memmodel_network_unref(net);
}

/* A hundredth of the large tensor would keep all of it beside the other large one; a copy does not: 4000 + 40, 8040. */
static void
a_view_that_would_keep_too_much_is_a_copy(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor large = linear(net, vector(net, "x", 10), 1000), small, other;

    small = memmodel_network_slice(net, large, MEMMODEL_SLICE(.start = 10, .stop = 20, .axis = 1));
    other = linear(net, linear(net, small, 1000), 1000);
    memmodel_network_mark_output(net, memmodel_network_concat(net, (memmodel_tensor[]){linear(net, other, 10), small},
                                                              2, MEMMODEL_CONCAT(.axis = 1)));
    assert_int_equal(peak_without(net, MEMMODEL_SCHEDULE_PASS_CONCAT_ELIMINATION), 8040);
    memmodel_network_unref(net);
}

/* ---- concatenation ---- */

static void
parts_are_made_where_the_result_has_them(void **state)
{
    memmodel_network *net = network_of(state);
    struct memmodel_schedule_operator about = {.size = sizeof about};
    memmodel_tensor x = vector(net, "x", 10), a = linear(net, x, 100), b = linear(net, x, 100), c;
    memmodel_schedule *schedule;

    c = memmodel_network_concat(net, (memmodel_tensor[]){a, b}, 2, MEMMODEL_CONCAT(.axis = 1));
    linear(net, c, 10);
    assert_int_equal(peak_without(net, 0), 840);
    assert_int_equal(peak_without(net, MEMMODEL_SCHEDULE_PASS_CONCAT_ELIMINATION), 1600);
    schedule = schedule_of(net, 0, NULL, 0);
    assert_int_equal(place_of(schedule, b).offset, place_of(schedule, c).offset + 400);
    assert_int_equal(memmodel_schedule_get_operator(schedule, 2, &about), 0);
    assert_true(about.is_noop);
    memmodel_schedule_unref(schedule);
    memmodel_network_unref(net);
}

/* With two images their channels are not side by side: 800 + 800 + 1600. */
static void
parts_of_several_images_are_copied(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){2, 10});
    memmodel_tensor parts[] = {linear(net, x, 100), linear(net, x, 100)};

    linear(net, memmodel_network_concat(net, parts, 2, MEMMODEL_CONCAT(.axis = 1)), 10);
    assert_int_equal(peak_without(net, 0), 3200);
    memmodel_network_unref(net);
}

/*
 * The result's place for the second part would be idle while the two large tensors are there: 400 + 8000 with the first
 * part alone.
 */
static void
a_place_that_would_be_idle_too_long_is_not_kept(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor a = linear(net, vector(net, "x", 10), 100), b;

    b = linear(net, linear(net, linear(net, a, 1000), 1000), 300);
    memmodel_network_concat(net, (memmodel_tensor[]){a, b}, 2, MEMMODEL_CONCAT(.axis = 1));
    assert_int_equal(peak_without(net, 0), 8400);
    assert_int_equal(peak_without(net, MEMMODEL_SCHEDULE_PASS_CONCAT_ELIMINATION), 8400);
    memmodel_network_unref(net);
}

/*
 * x, then [x a], then [x a b], as in a DenseNet: the shorter one lies in the longer one, 560 bytes, beside the last 20.
 */
static void
a_concatenation_within_a_longer_one_is_a_view(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = linear(net, vector(net, "x", 1), 100), a, b, two, three;
    memmodel_schedule *schedule;

    a = linear(net, x, 20);
    two = memmodel_network_concat(net, (memmodel_tensor[]){x, a}, 2, MEMMODEL_CONCAT(.axis = 1));
    b = linear(net, two, 20);
    three = memmodel_network_concat(net, (memmodel_tensor[]){x, a, b}, 3, MEMMODEL_CONCAT(.axis = 1));
    linear(net, three, 5);
    schedule = schedule_of(net, 0, NULL, 0);
    assert_int_equal(place_of(schedule, two).offset, place_of(schedule, three).offset);
    assert_int_equal(summary_of(schedule).peak, 560 + 20);
    memmodel_schedule_unref(schedule);
    memmodel_network_unref(net);
}

/* It can be at one of its two places only. */
static void
a_part_that_stands_twice_is_copied_once(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = linear(net, vector(net, "x", 10), 100);

    linear(net, memmodel_network_concat(net, (memmodel_tensor[]){x, x}, 2, MEMMODEL_CONCAT(.axis = 1)), 10);
    assert_int_equal(peak_without(net, 0), 840);
    memmodel_network_unref(net);
}

/*
 * Beside the large tensor two of 4 floats are there when it is made and later, whether it is made before the three that
 * follow one another or behind them: the peak is the same, and it is made behind them. Before, one order needs less: of
 * two that are larger still each is reduced before the other is made. So 4 layers, the last with the sum, and 3 come
 * first.
 */
static void
of_two_orders_with_the_same_peak_large_tensors_live_shorter(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = vector(net, "x", 4), a = linear(net, x, 5000), b = linear(net, x, 5000), first, large, small;
    memmodel_schedule *schedule;

    a = linear(net, a, 4);
    b = linear(net, b, 4);
    first = small = memmodel_network_binary(net, a, b, MEMMODEL_BINARY(.kind = MEMMODEL_BINARY_ADD));
    large = linear(net, first, 400);
    for (int i = 0; i < 3; i++)
        small = linear(net, small, 4);
    memmodel_network_matmul(net, small, large, MEMMODEL_MATMUL(.transpose_a = 1));
    schedule = schedule_of(net, 0, NULL, 0);
    assert_int_equal(place_of(schedule, large).lower, 4 + 3);
    memmodel_schedule_unref(schedule);
    memmodel_network_unref(net);
}

/* ---- windows ---- */

/*
 * Operator i has a workspace of i bytes, and one byte goes with it. As the i-th it needs the count - i that are there
 * and its own i; earlier it needs more: only one order stays below count + 1.
 */
static bool
finds_forced_order(memmodel_context *context, int32_t count)
{
    struct window_memory memories[WINDOW_MAX + 1];
    struct window_operator operators[WINDOW_MAX + 1];
    int32_t numbers[WINDOW_MAX + 1], order[WINDOW_MAX + 1] = {0};
    const struct window window = {.arena = ARENA_INIT(context),
                                  .memories = memories,
                                  .operators = operators,
                                  .count = count,
                                  .memory_count = count,
                                  .used = count};
    bool found;

    for (int32_t i = 0; i < count; i++) {
        numbers[i] = i;
        memories[i] = (struct window_memory){.bytes = 1, .touches = 1, .before = true};
        operators[i] =
            (struct window_operator){.memories = &numbers[i], .memory_count = 1, .result = -1, .workspace = i};
    }
    assert_int_equal(order_by_down_sets(&window, count + 1, order, &found), 0);
    for (int32_t i = 0; found && i < count; i++)
        assert_int_equal(order[i], i);
    return found;
}

static void
windows_of_60_operators_are_put_in_the_best_order(void **state)
{
    assert_true(finds_forced_order(*state, WINDOW_MAX));
    assert_false(finds_forced_order(*state, WINDOW_MAX + 1));
}

enum { CHAINS = 5, PAIRS = 5, ALL_PAIRS = CHAINS * PAIRS };

/* Pairs of operators: 100 bytes, and one made of them that stays. Those of a chain run one after the other. */
static void
make_chains(struct window_memory *memories, struct window_operator *operators, int32_t *numbers)
{
    for (int32_t i = 0; i < ALL_PAIRS; i++) {
        int32_t large = 2 * i, small = 2 * i + 1;

        numbers[large] = large;
        numbers[small] = small;
        memories[large] = (struct window_memory){.bytes = 100, .touches = 2};
        memories[small] = (struct window_memory){.bytes = 1, .touches = 1, .after = true};
        operators[large] = (struct window_operator){.memories = &numbers[large], .memory_count = 1, .result = -1};
        operators[small] = (struct window_operator){
            .memories = &numbers[large], .memory_count = 2, .result = -1, .inputs = &numbers[large], .input_count = 1};
        if (i % PAIRS > 0) {
            operators[large].inputs = &numbers[large - 1];
            operators[large].input_count = 1;
        }
    }
}

/*
 * Below 600 bytes there are 11^5 sets of operators, more than 2^17; with two pairs begun at most, 94,176. Pair by pair,
 * the last needs 24 bytes of the others, its 100 and its one.
 */
static void
a_limit_that_leaves_too_many_sets_is_lowered(void **state)
{
    struct window_memory memories[2 * ALL_PAIRS];
    struct window_operator operators[2 * ALL_PAIRS];
    int32_t numbers[2 * ALL_PAIRS], order[2 * ALL_PAIRS];
    const struct window window = {.arena = ARENA_INIT(*state),
                                  .memories = memories,
                                  .operators = operators,
                                  .count = 2 * ALL_PAIRS,
                                  .memory_count = 2 * ALL_PAIRS};
    int64_t peak;
    bool found;

    make_chains(memories, operators, numbers);
    assert_int_equal(order_by_down_sets(&window, 600, order, &found), 0);
    assert_true(found);
    assert_int_equal(window_peak(&window, order, &peak), 0);
    assert_int_equal(peak, 24 + 100 + 1);
}

/* ---- whole networks ---- */

static void
assert_planned(memmodel_network *net, const struct memmodel_symbol_value *symbols, size_t count, int64_t peak)
{
    memmodel_schedule *schedule = schedule_of(net, 0, symbols, count);
    struct memmodel_plan_result result = result_of(schedule);

    assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_OPTIMAL);
    assert_int_equal(result.peak, result.lower_bound);
    assert_int_equal(result.peak, peak);
    memmodel_schedule_unref(schedule);
    memmodel_network_unref(net);
}

/*
 * In the last level of the decoder: what is concatenated, twice 16 channels, and what is made of it, of the size of the
 * image each.
 */
static void
a_3d_unet_is_planned(void **state)
{
    const struct memmodel_symbol_value symbols[] = {{"batch", 1}, {"height", 240}, {"width", 240}, {"depth", 144}};
    memmodel_network *net;

    assert_int_equal(network_unet3d(*state, &(struct unet3d){.box = true}, &net), 0);
    assert_planned(net, symbols, 4, INT64_C(3) * 16 * 4 * 240 * 240 * 144);
}

/* In layer2.0: what comes in, 256 x 56 x 56, beside 128 x 56 x 56 and the 128 x 28 x 28 that is made of it. */
static void
resnet50_is_planned(void **state)
{
    const struct memmodel_symbol_value symbols[] = {{"batch", 1}, {"dim", 224}};
    memmodel_network *net;

    assert_int_equal(network_resnet50(*state, &net), 0);
    assert_planned(net, symbols, 2, 4 * (256 * 56 * 56 + 128 * 56 * 56 + 128 * 28 * 28));
}

/* In features.2: 96 x 112 x 112 that becomes 96 x 56 x 56. */
static void
mobilenet_is_planned(void **state)
{
    const struct memmodel_symbol_value symbols[] = {{"batch", 1}, {"dim", 224}};
    memmodel_network *net;

    assert_int_equal(network_mobilenet(*state, &net), 0);
    assert_planned(net, symbols, 2, 4 * (96 * 112 * 112 + 96 * 56 * 56));
}

/* The scores of all words at all places, and what they are made of. */
static void
gpt2_is_planned(void **state)
{
    const struct memmodel_symbol_value symbols[] = {{"batch", 1}, {"length", 1024}};
    memmodel_network *net;

    assert_int_equal(network_gpt2(*state, &(struct gpt2){0}, &net), 0);
    assert_planned(net, symbols, 2, 4 * (1024 * 50257 + 1024 * 768));
}

/* ---- mistakes ---- */

static void
assert_refused(void **state, const memmodel_network *net, const struct memmodel_schedule_options *how, int status,
               const char *part)
{
    memmodel_schedule *schedule = NULL;

    assert_error(*state, memmodel_network_schedule(net, how, NULL, &schedule), status, part);
    assert_null(schedule);
}

static void
mistakes_are_named(void **state)
{
    const struct memmodel_symbol_value batch = {"batch", 2}, bath = {"bath", 2};
    struct memmodel_schedule_options how = {.size = sizeof how, .symbols = &batch, .symbol_count = 1};
    memmodel_network *net = network_of(state), *empty = network_of(state);

    memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 1,
                           (memmodel_dim[]){memmodel_network_symbol(net, "batch")});
    assert_refused(state, net, NULL, MEMMODEL_ERROR_UNBOUND, "batch");
    assert_refused(state, empty, NULL, MEMMODEL_ERROR_INVALID_ARGUMENT, "no tensors");
    how.symbols = &bath;
    assert_refused(state, net, &how, MEMMODEL_ERROR_NOT_FOUND, "bath");
    how.symbols = NULL;
    assert_refused(state, net, &how, MEMMODEL_ERROR_INVALID_ARGUMENT, "symbols");
    how = (struct memmodel_schedule_options){.size = sizeof how, .symbols = &batch, .symbol_count = 1, .alignment = 48};
    assert_refused(state, net, &how, MEMMODEL_ERROR_INVALID_ARGUMENT, "48");
    how = (struct memmodel_schedule_options){.size = sizeof how, .disabled_passes = 1 << 20};
    assert_refused(state, net, &how, MEMMODEL_ERROR_INVALID_ARGUMENT, "pass");
    how = (struct memmodel_schedule_options){.size = sizeof how, .include_parameters = 2};
    assert_refused(state, net, &how, MEMMODEL_ERROR_INVALID_ARGUMENT, "0 (no) or 1 (yes)");
    memmodel_network_unref(net);
    memmodel_network_unref(empty);
}

static void
too_many_bytes_are_an_overflow(void **state)
{
    memmodel_network *net = network_of(state);

    function(net, memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 1, (memmodel_dim[]){INT64_C(1) << 57}));
    assert_refused(state, net, NULL, MEMMODEL_ERROR_OVERFLOW, "exceed");
    memmodel_network_unref(net);
}

/* ---- memory that runs out ---- */

static int
schedule_parts(memmodel_context *context)
{
    const struct memmodel_schedule_options how = {.size = sizeof how, .include_parameters = 1};
    memmodel_network *net;
    memmodel_schedule *schedule;
    memmodel_tensor x, parts;
    int status = memmodel_network_new(context, &net);

    if (status)
        return status;
    x = linear(net, vector(net, "x", 10), 30);
    parts = memmodel_network_split(net, function(net, x), MEMMODEL_SPLIT(.parts = 2, .axis = 1));
    memmodel_network_concat(net, (memmodel_tensor[]){linear(net, parts, 5), linear(net, x, 7)}, 2,
                            MEMMODEL_CONCAT(.axis = 1));
    status = memmodel_network_status(net);
    if (!status)
        status = memmodel_network_schedule(net, &how, NULL, &schedule);
    if (!status)
        memmodel_schedule_unref(schedule);
    memmodel_network_unref(net);
    return status;
}

static void
schedules_survive_failing_allocations(void **state)
{
    (void)state;
    assert_survives_failing_allocations(schedule_parts);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tensor_lives_from_its_operator_to_its_last_use),
        cmocka_unit_test(outputs_stay_to_the_end),
        cmocka_unit_test(an_output_is_not_overwritten),
        cmocka_unit_test(parameters_lie_in_the_arena_if_asked),
        cmocka_unit_test(what_an_operator_needs_while_it_runs_is_a_buffer),
        cmocka_unit_test(functions_in_a_row_need_one_buffer),
        cmocka_unit_test(what_is_read_later_is_not_overwritten),
        cmocka_unit_test(what_is_read_later_as_a_view_is_not_overwritten),
        cmocka_unit_test(a_broadcast_input_is_not_overwritten),
        cmocka_unit_test(a_residual_is_added_to_where_it_is),
        cmocka_unit_test(what_the_same_operator_multiplies_is_not_overwritten),
        cmocka_unit_test(steps_of_an_operator_are_named_by_their_last),
        cmocka_unit_test(parts_of_a_split_lie_in_the_whole),
        cmocka_unit_test(parts_that_are_no_run_of_bytes_are_copied),
        cmocka_unit_test(a_view_that_would_keep_too_much_is_a_copy),
        cmocka_unit_test(parts_are_made_where_the_result_has_them),
        cmocka_unit_test(parts_of_several_images_are_copied),
        cmocka_unit_test(a_place_that_would_be_idle_too_long_is_not_kept),
        cmocka_unit_test(a_concatenation_within_a_longer_one_is_a_view),
        cmocka_unit_test(a_part_that_stands_twice_is_copied_once),
        cmocka_unit_test(a_3d_unet_is_planned),
        cmocka_unit_test(resnet50_is_planned),
        cmocka_unit_test(mobilenet_is_planned),
        cmocka_unit_test(gpt2_is_planned),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(too_many_bytes_are_an_overflow),
        cmocka_unit_test(schedules_survive_failing_allocations),
        WITH_CONTEXT(of_two_orders_with_the_same_peak_large_tensors_live_shorter),
        WITH_CONTEXT(windows_of_60_operators_are_put_in_the_best_order),
        WITH_CONTEXT(a_limit_that_leaves_too_many_sets_is_lowered),
    };

    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
