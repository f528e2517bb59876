/* memmodel_tiling: how far outputs look, by hand, and tiles within a budget. */
#include "allocations.h"
#include "check.h"
#include "near.h"
#include "networks.h"

#include <inttypes.h>

static memmodel_network *
network_of(void **state)
{
    memmodel_network *net;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    return net;
}

/* [1, 2, extent] */
static memmodel_tensor
signal(memmodel_network *net, int64_t extent)
{
    return memmodel_network_input(net, "signal", MEMMODEL_DTYPE_FLOAT32, 3, (memmodel_dim[]){1, 2, extent});
}

static memmodel_tensor
conv(memmodel_network *net, memmodel_tensor x, int64_t kernel, int64_t stride, int64_t pad)
{
    return memmodel_network_conv(net, x,
                                 MEMMODEL_CONV(.filters = 2, .kernel = {kernel}, .stride = {stride}, .padding = {pad}));
}

static memmodel_tiling *
tiling_of(memmodel_network *net, int64_t budget)
{
    memmodel_tiling *tiling = NULL;

    assert_int_equal(memmodel_network_status(net), 0);
    assert_int_equal(memmodel_network_tile(net, NULL, budget, NULL, &tiling), 0);
    return tiling;
}

static struct memmodel_tiling_axis
axis_of(const memmodel_tiling *tiling, size_t index)
{
    struct memmodel_tiling_axis axis = {.size = sizeof axis};

    assert_int_equal(memmodel_tiling_get_axis(tiling, index, &axis), 0);
    return axis;
}

static struct memmodel_tiling_range
range_of(const memmodel_tiling *tiling, int64_t index)
{
    struct memmodel_tiling_range range = {.size = sizeof range};

    assert_int_equal(memmodel_tiling_get_range(tiling, 0, index, &range), 0);
    return range;
}

static struct memmodel_tiling_result
result_of(const memmodel_tiling *tiling)
{
    struct memmodel_tiling_result result = {.size = sizeof result};

    assert_int_equal(memmodel_tiling_get_result(tiling, &result), 0);
    return result;
}

static void
assert_reach(memmodel_network *net, int64_t alignment, int64_t before, int64_t after)
{
    memmodel_tiling *tiling = tiling_of(net, 0);
    struct memmodel_tiling_axis axis = axis_of(tiling, 0);

    assert_int_equal(axis.alignment, alignment);
    assert_int_equal(axis.halo_before, before);
    assert_int_equal(axis.halo_after, after);
    assert_int_equal(axis.tile_count, 1);
    memmodel_tiling_unref(tiling);
    memmodel_network_unref(net);
}

/* ---- how far ---- */

static void
convolutions_in_a_row_add_up(void **state)
{
    memmodel_network *net = network_of(state);

    conv(net, conv(net, signal(net, 64), 3, 1, 1), 5, 1, 2);
    assert_reach(net, 1, 3, 3);
}

/* Output o is made of the inputs o, o + 1, o + 2. */
static void
without_padding_all_of_it_is_behind(void **state)
{
    memmodel_network *net = network_of(state);

    conv(net, signal(net, 64), 3, 1, 0);
    assert_reach(net, 1, 0, 2);
}

/* Output o of the second is made of 2 o - 1 .. 2 o + 1 of the first, that of 4 o - 3 .. 4 o + 3 of the input; 4 lie below. */
static void
strides_multiply(void **state)
{
    memmodel_network *net = network_of(state);

    conv(net, conv(net, signal(net, 64), 3, 2, 1), 3, 2, 1);
    assert_reach(net, 4, 3, 0);
}

/*
 * Of elements 0 and 1 of the output: linear interpolation reads -1 .. 1 of the pooled, and these -2 .. 3 of the input.
 */
static void
interpolation_reads_neighbours(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = memmodel_network_pool(net, signal(net, 64), MEMMODEL_POOL(.kernel = {2}));

    memmodel_network_upsample(net, x, MEMMODEL_UPSAMPLE(.scale = {2}, .kind = MEMMODEL_INTERPOLATION_LINEAR));
    assert_reach(net, 2, 2, 2);
}

/*
 * Of elements 0 and 1 of the output: two convolutions, -2 .. 3. Below: -1 .. 1, two convolutions -3 .. 3, pooled of -6 .. 7, two
 * convolutions -8 .. 9.
 */
static void
a_unet_looks_as_far_as_its_lowest_level(void **state)
{
    const struct memmodel_symbol_value symbols[] = {{"batch", 1}, {"dim", 64}};
    const struct memmodel_schedule_options how = {.size = sizeof how, .symbols = symbols, .symbol_count = 2};
    memmodel_network *net;
    memmodel_tiling *tiling;

    assert_int_equal(network_unet3d(*state, &(struct unet3d){.depth = 1, .filters = 2}, &net), 0);
    assert_int_equal(memmodel_network_tile(net, &how, 0, NULL, &tiling), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(axis_of(tiling, i).halo_before, 8);
        assert_int_equal(axis_of(tiling, i).halo_after, 8);
        assert_int_equal(axis_of(tiling, i).alignment, 2);
    }
    assert_int_equal(result_of(tiling).peak, result_of(tiling).peak_untiled);
    assert_true(result_of(tiling).overhead == 0);
    memmodel_tiling_unref(tiling);
    memmodel_network_unref(net);
}

/* ---- tiles ---- */

/*
 * 64 elements of two channels, 8 bytes each, in and out: 1024 bytes. Of tiles of 16 the inner ones read 18: 2 * 18 * 8 = 288; of
 * tiles of 22 the middle one reads 24, 384 bytes. Work: 22 + 1, 24, 20 + 1 elements for 64.
 */
static void
tiles_are_as_large_as_the_budget_allows(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tiling *tiling;
    const int64_t expected[3][5] = {{0, 23, 0, 22, 0}, {21, 45, 22, 44, 1}, {43, 64, 44, 64, 1}};

    conv(net, signal(net, 64), 3, 1, 1);
    tiling = tiling_of(net, 384);
    assert_int_equal(result_of(tiling).peak, 384);
    assert_int_equal(result_of(tiling).peak_untiled, 1024);
    assert_int_equal(result_of(tiling).tile_count, 3);
    assert_true(result_of(tiling).overhead > 68.0 / 64 - 1 - 1e-12 &&
                result_of(tiling).overhead < 68.0 / 64 - 1 + 1e-12);
    for (int64_t i = 0; i < 3; i++) {
        struct memmodel_tiling_range range = range_of(tiling, i);

        assert_int_equal(range.input_start, expected[i][0]);
        assert_int_equal(range.input_stop, expected[i][1]);
        assert_int_equal(range.output_start, expected[i][2]);
        assert_int_equal(range.output_stop, expected[i][3]);
        assert_int_equal(range.crop, expected[i][4]);
    }
    memmodel_tiling_unref(tiling);
    tiling = tiling_of(net, 383);
    assert_int_equal(result_of(tiling).tile_count, 4);
    assert_int_equal(result_of(tiling).peak, 288);
    memmodel_tiling_unref(tiling);
    memmodel_network_unref(net);
}

/* A kernel of 3 by 1 looks beyond a tile along the first axis alone: cut along the second one, nothing is done twice. */
static void
axes_are_cut_apart(void **state)
{
    memmodel_network *net = network_of(state);
    memmodel_tensor x = memmodel_network_input(net, "image", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){1, 2, 64, 64});
    memmodel_tiling *whole, *cut;

    x = memmodel_network_conv(net, x,
                              MEMMODEL_CONV(.filters = 2, .kernel = {3, 1}, .stride = {1, 1}, .padding = {1, 0}));
    memmodel_network_mark_output(net, x);
    whole = tiling_of(net, 0);
    cut = tiling_of(net, result_of(whole).peak / 3);
    assert_int_equal(axis_of(cut, 0).tile_count, 1);
    assert_true(axis_of(cut, 1).tile_count > 1);
    assert_near(result_of(cut).overhead, 0, 1e-12);
    memmodel_tiling_unref(whole);
    memmodel_tiling_unref(cut);
    memmodel_network_unref(net);
}

/* A sixteenth of all tensors: what reuse brings, nearly sevenfold, and tiles the rest. */
static void
a_volume_of_24_terabytes_needs_a_sixteenth(void **state)
{
    const struct memmodel_symbol_value symbols[] = {{"batch", 1}, {"dim", 2640}};
    const struct memmodel_schedule_options how = {.size = sizeof how, .symbols = symbols, .symbol_count = 2};
    const int64_t budget = INT64_C(1500) * 1000 * 1000 * 1000;
    memmodel_network *net;
    memmodel_tiling *tiling;
    struct memmodel_tiling_result result;

    assert_int_equal(network_unet3d(*state, &(struct unet3d){.depth = 4}, &net), 0);
    assert_int_equal(memmodel_network_tile(net, &how, budget, NULL, &tiling), 0);
    result = result_of(tiling);
    assert_true(result.tensor_bytes > 16 * result.peak);
    assert_true(result.peak <= budget);
    assert_true(result.tensor_bytes / result.peak_untiled == 6);
    assert_true(result.overhead < 0.25);
    memmodel_tiling_unref(tiling);
    memmodel_network_unref(net);
}

/* ---- mistakes ---- */

static void
assert_refused(void **state, memmodel_network *net, int64_t budget, int status, const char *part)
{
    memmodel_tiling *tiling = NULL;

    assert_int_equal(memmodel_network_status(net), 0);
    assert_error(*state, memmodel_network_tile(net, NULL, budget, NULL, &tiling), status, part);
    assert_null(tiling);
    memmodel_network_unref(net);
}

static void
layers_that_look_at_everything_are_named(void **state)
{
    memmodel_network *net = network_of(state);

    memmodel_network_global_pool(net, signal(net, 8), MEMMODEL_GLOBAL_POOL(.name = "everything", .keep_dims = 1));
    assert_refused(state, net, 0, MEMMODEL_ERROR_UNSUPPORTED, "everything");
    net = network_of(state);
    memmodel_network_instance_norm(net, signal(net, 8), MEMMODEL_INSTANCE_NORM(.name = "statistics"));
    assert_refused(state, net, 0, MEMMODEL_ERROR_UNSUPPORTED, "statistics");
    net = network_of(state);
    memmodel_network_linear(net, signal(net, 8), MEMMODEL_LINEAR(.name = "mixed", .units = 3));
    assert_refused(state, net, 0, MEMMODEL_ERROR_UNSUPPORTED, "mixed");
    net = network_of(state);
    memmodel_network_softmax(net, signal(net, 8), MEMMODEL_SOFTMAX(.name = "shares"));
    assert_refused(state, net, 0, MEMMODEL_ERROR_UNSUPPORTED, "shares");
    net = network_of(state);
    memmodel_network_flatten(net, signal(net, 8), 1, -1);
    assert_refused(state, net, 0, MEMMODEL_ERROR_UNSUPPORTED, "flatten");
    net = network_of(state);
    memmodel_network_binary(net, signal(net, 8), memmodel_network_input(net, "second", 0, 3, (memmodel_dim[]){1, 2, 8}),
                            NULL);
    assert_refused(state, net, 0, MEMMODEL_ERROR_UNSUPPORTED, "second");
}

static void
padding_at_either_end_is_named(void **state)
{
    for (int end = 0; end < 2; end++) {
        memmodel_network *net = network_of(state);
        struct memmodel_pad pad = {.size = sizeof pad, .name = "margin"};

        (end ? pad.after : pad.before)[2] = 1;
        memmodel_network_pad(net, signal(net, 8), &pad);
        assert_refused(state, net, 0, MEMMODEL_ERROR_UNSUPPORTED, "margin");
    }
}

/* The smallest tile is one element, and one on each side: 2 * 3 * 8 bytes. */
static void
budgets_below_the_smallest_tile_say_what_it_needs(void **state)
{
    memmodel_network *net = network_of(state);

    struct memmodel_tiling_result result = {.size = sizeof result};
    memmodel_tiling *tiling;

    conv(net, signal(net, 64), 3, 1, 1);
    assert_int_equal(memmodel_network_tile(net, NULL, 47, NULL, &tiling), 0);
    assert_int_equal(memmodel_tiling_get_result(tiling, &result), 0);
    assert_int_equal(result.verdict, MEMMODEL_VERDICT_EXCEEDS);
    assert_int_equal(result.peak, 48);
    memmodel_tiling_unref(tiling);
    memmodel_network_unref(net);
    net = network_of(state);
    conv(net, signal(net, 64), 3, 1, 1);
    assert_refused(state, net, -1, MEMMODEL_ERROR_INVALID_ARGUMENT, "less than none");
}

/* ---- memory that runs out ---- */

static int
tile_signal(memmodel_context *context)
{
    memmodel_network *net;
    memmodel_tiling *tiling;
    int status = memmodel_network_new(context, &net);

    if (status)
        return status;
    conv(net, conv(net, signal(net, 12), 3, 1, 1), 3, 1, 1);
    status = memmodel_network_status(net);
    if (!status)
        status = memmodel_network_tile(net, NULL, 140, NULL, &tiling);
    if (!status)
        memmodel_tiling_unref(tiling);
    memmodel_network_unref(net);
    return status;
}

static void
tilings_survive_failing_allocations(void **state)
{
    (void)state;
    assert_survives_failing_allocations(tile_signal);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_in_a_row_add_up),
        cmocka_unit_test(without_padding_all_of_it_is_behind),
        cmocka_unit_test(strides_multiply),
        cmocka_unit_test(interpolation_reads_neighbours),
        cmocka_unit_test(a_unet_looks_as_far_as_its_lowest_level),
        cmocka_unit_test(tiles_are_as_large_as_the_budget_allows),
        cmocka_unit_test(axes_are_cut_apart),
        cmocka_unit_test(a_volume_of_24_terabytes_needs_a_sixteenth),
        cmocka_unit_test(layers_that_look_at_everything_are_named),
        WITH_CONTEXT(padding_at_either_end_is_named),
        cmocka_unit_test(budgets_below_the_smallest_tile_say_what_it_needs),
        cmocka_unit_test(tilings_survive_failing_allocations),
    };

    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
