/*
 * The textbook's rules against numbers from outside.
 *
 * The convolutional network of 50x50x3 inputs: activations and parameters by hand, as in the comments. The network
 * known by its counts: published with 742.34 MB, where 4.0646 had been rounded to 4.06 first; exactly it is 742.93 MiB.
 */
#include "check.h"
#include "networks.h"

static const struct memmodel_symbol_value batch_64[] = {{"batch", 64}};

static memmodel_report *
report_of(const memmodel_network *network, const char *rule, const struct memmodel_symbol_value *symbols, size_t count)
{
    struct memmodel_job job = {
        .size = sizeof job, .framework = "textbook", .textbook_rule = rule, .symbols = symbols, .symbol_count = count};
    memmodel_report *report = NULL;

    if (memmodel_estimate(network, &job, NULL, &report))
        fail_msg("no report");
    return report;
}

static struct memmodel_report_layer
layer_of(const memmodel_report *report, size_t index)
{
    struct memmodel_report_layer layer = {.size = sizeof layer};

    assert_int_equal(memmodel_report_get_layer(report, index, &layer), 0);
    return layer;
}

static struct memmodel_report_layer
total_of(const memmodel_report *report)
{
    struct memmodel_report_layer total = {.size = sizeof total};

    assert_int_equal(memmodel_report_get_total(report, &total), 0);
    return total;
}

static struct memmodel_report_result
result_of(const memmodel_report *report)
{
    struct memmodel_report_result result = {.size = sizeof result};

    assert_int_equal(memmodel_report_get_result(report, &result), 0);
    return result;
}

static int64_t
live_peak(const memmodel_report *report)
{
    return result_of(report).live;
}

static const char *
formula_of(const memmodel_report *report, const char *name)
{
    for (size_t i = 0; i < memmodel_report_formula_count(report); i++)
        if (strcmp(memmodel_report_formula_name(report, i), name) == 0)
            return memmodel_report_formula(report, i, MEMMODEL_LANGUAGE_TEXT);
    return "";
}

/* ---- the convolutional network of 50x50x3 inputs ---- */

static void
the_cnn_has_the_activations_of_its_table(void **state)
{
    memmodel_network *network;
    memmodel_report *report;
    static const int64_t per_image[] = {80000, 20000, 40000,
                                        9216,  500,   10}; /* 50*50*32, 25*25*32, 25*25*64, 12*12*64 */
    size_t found = 0;

    assert_int_equal(network_cnn50(*state, &(struct cnn50){0}, &network), 0);
    report = report_of(network, "cs231n", batch_64, 1);
    for (size_t i = 0; i < memmodel_report_layer_count(report); i++) {
        struct memmodel_report_layer layer = layer_of(report, i);

        if (layer.activation_count)
            assert_int_equal(layer.activation_count, 64 * per_image[found++]);
    }
    assert_int_equal(found, 6);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
the_cnn_has_the_parameters_of_its_table(void **state)
{
    memmodel_network *network;
    memmodel_report *report;

    assert_int_equal(network_cnn50(*state, &(struct cnn50){0}, &network), 0);
    report = report_of(network, "cs231n", batch_64, 1);
    /* 27*32+32 = 896, 288*64+64 = 18,496, 9216*500+500 = 4,608,500, 500*10+10 = 5,010 */
    assert_int_equal(total_of(report).parameter_count, 4632902);
    /* (2 * 149,726 * 64 + 3 * 4,632,902 + 7,500 * 64) * 4 */
    assert_int_equal(live_peak(report), (2 * INT64_C(149726) * 64 + 3 * INT64_C(4632902) + 7500 * 64) * 4);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
the_cnn_multiplies_as_often_as_by_hand(void **state)
{
    memmodel_network *network;
    memmodel_report *report;

    assert_int_equal(network_cnn50(*state, &(struct cnn50){0}, &network), 0);
    report = report_of(network, "forward", batch_64, 1);
    /* 2500*32*27 + 625*64*288 + 9216*500 + 500*10 = 18,293,000 per image */
    assert_int_equal(total_of(report).multiply_adds, 64 * INT64_C(18293000));
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

/* Each of 3 x 7 elements sums 5 products. */
static void
a_matrix_product_multiplies_along_the_axis_it_sums(void **state)
{
    memmodel_network *network;
    memmodel_report *report;
    memmodel_tensor a, b;

    assert_int_equal(memmodel_network_new(*state, &network), 0);
    a = memmodel_network_input(network, "a", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){3, 5});
    b = memmodel_network_input(network, "b", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){5, 7});
    assert_true(memmodel_network_matmul(network, a, b, NULL) >= 0);
    report = report_of(network, "forward", NULL, 0);
    assert_int_equal(total_of(report).multiply_adds, 3 * 7 * 5);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

/* ---- a network known by its counts ---- */

static memmodel_network *
network_of_counts(memmodel_context *context)
{
    memmodel_network *network;
    memmodel_dim batch;
    memmodel_tensor x, y;
    struct memmodel_shape outputs[1] = {{.rank = 2, .dtype = MEMMODEL_DTYPE_FLOAT32}};

    assert_int_equal(memmodel_network_new(context, &network), 0);
    batch = memmodel_network_symbol(network, "batch");
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){batch, 9000});
    outputs[0].dims[0] = batch;
    outputs[0].dims[1] = 532752;
    y = memmodel_network_custom(network, &x, 1,
                                MEMMODEL_CUSTOM(.name = "all", .outputs = outputs, .output_count = 1,
                                                .parameter_count = 19072984,
                                                .parameter_dtype = MEMMODEL_DTYPE_FLOAT32));
    assert_true(y >= 0);
    return network;
}

static void
a_network_known_by_its_counts_takes_742_93_mib(void **state)
{
    static const struct memmodel_symbol_value symbols[] = {{"batch", 128}};
    memmodel_network *network = network_of_counts(*state);
    memmodel_report *report = report_of(network, "cs231n", symbols, 1);

    /* (2 * 532,752 * 128 + 3 * 19,072,984 + 9,000 * 128) * 4 = 779,021,856 bytes */
    assert_int_equal(live_peak(report), 779021856);
    assert_int_equal(live_peak(report) * 100 / (1 << 20), 74293);
    assert_int_equal(memmodel_report_step_peak(report, 0), 779021856); /* its one step */
    assert_string_equal(formula_of(report, "total"), "4298016*batch + 228875808");
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

/* ---- the 3D U-Net ---- */

static const struct memmodel_symbol_value voxels_32[] = {{"batch", 2}, {"dim", 32}};

static void
the_unet_counts_1291_125_bytes_per_voxel(void **state)
{
    memmodel_network *network;
    memmodel_report *report;

    assert_int_equal(network_unet3d(*state, &(struct unet3d){.fused_mask = true}, &network), 0);
    report = report_of(network, "outputs", voxels_32, 2);
    assert_string_equal(formula_of(report, "layer outputs"), "1291.125*batch*dim^3");
    assert_string_equal(formula_of(report, "total"), "1291.125*batch*dim^3 + 22603204");
    assert_string_equal(result_of(report).assumptions, "dim is a multiple of 16");
    assert_int_equal(total_of(report).output_bytes * 1000, INT64_C(1291125) * 2 * 32 * 32 * 32);
    assert_int_equal(live_peak(report), total_of(report).output_bytes + 4 * INT64_C(5650801));
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
the_unet_has_the_parameters_of_its_filters(void **state)
{
    static const int64_t expected[][2] = {{8, 1414713}, {16, 5650801}, {32, 22587105}};

    for (size_t i = 0; i < 3; i++) {
        memmodel_network *network;
        memmodel_report *report;

        assert_int_equal(network_unet3d(*state, &(struct unet3d){.filters = expected[i][0]}, &network), 0);
        report = report_of(network, "slots", voxels_32, 2);
        assert_int_equal(total_of(report).parameter_count, expected[i][1]);
        if (expected[i][0] == 16)
            assert_int_equal(total_of(report).trainable_count, 5650801 - 2944);
        memmodel_report_unref(report);
        memmodel_network_unref(network);
    }
}

static void
slots_follow_the_optimizer(void **state)
{
    static const struct {
        const char *optimizer;
        int64_t slots;
    } cases[] = {{"sgd", 0},
                 {"momentum", 1},
                 {"sgd(momentum=0.9)", 1},
                 {"adam", 2},
                 {"adamw", 2},
                 {"adam(amsgrad)", 3},
                 {"rmsprop(momentum=0.9, centered=True)", 3},
                 {"adagrad", 1}};
    memmodel_network *network;

    assert_int_equal(network_unet3d(*state, &(struct unet3d){0}, &network), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct memmodel_job job = {.size = sizeof job,
                                   .framework = "textbook",
                                   .optimizer = cases[i].optimizer,
                                   .symbols = voxels_32,
                                   .symbol_count = 2};
        memmodel_report *report;

        assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
        assert_int_equal(memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_OPTIMIZER_STATE),
                         cases[i].slots * 4 * 5647857);
        memmodel_report_unref(report);
    }
    memmodel_network_unref(network);
}

static void
inference_counts_no_gradients(void **state)
{
    memmodel_network *network;
    memmodel_report *report;
    struct memmodel_job job = {.size = sizeof job,
                               .framework = "textbook",
                               .textbook_rule = "cs231n",
                               .mode = 1,
                               .symbols = voxels_32,
                               .symbol_count = 2};

    assert_int_equal(network_unet3d(*state, &(struct unet3d){0}, &network), 0);
    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    assert_int_equal(memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_GRADIENTS), 0);
    assert_int_equal(memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS), 0);
    assert_int_equal(memmodel_report_category_bytes(report, MEMMODEL_CATEGORY_PARAMETERS), 4 * 5650801);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
}

static void
dim_200_cannot_be_concatenated_and_the_error_says_where(void **state)
{
    static const struct memmodel_symbol_value voxels_200[] = {{"batch", 1}, {"dim", 200}};
    struct memmodel_job job = {.size = sizeof job, .framework = "textbook", .symbols = voxels_200, .symbol_count = 2};
    memmodel_network *network;
    memmodel_report *report = NULL;

    assert_int_equal(network_unet3d(*state, &(struct unet3d){0}, &network), 0);
    /* 200, 100, 50, 25, 12: the upsampled 24 meets the skip of 25 */
    assert_error(*state, memmodel_estimate(network, &job, NULL, &report), MEMMODEL_ERROR_SHAPE, "25");
    assert_non_null(strstr(memmodel_context_error(*state)->message, "24"));
    assert_null(report);
    memmodel_network_unref(network);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_cnn_has_the_activations_of_its_table),
        WITH_CONTEXT(the_cnn_has_the_parameters_of_its_table),
        WITH_CONTEXT(the_cnn_multiplies_as_often_as_by_hand),
        WITH_CONTEXT(a_matrix_product_multiplies_along_the_axis_it_sums),
        WITH_CONTEXT(a_network_known_by_its_counts_takes_742_93_mib),
        WITH_CONTEXT(the_unet_counts_1291_125_bytes_per_voxel),
        WITH_CONTEXT(the_unet_has_the_parameters_of_its_filters),
        WITH_CONTEXT(slots_follow_the_optimizer),
        WITH_CONTEXT(inference_counts_no_gradients),
        WITH_CONTEXT(dim_200_cannot_be_concatenated_and_the_error_says_where),
    };

    return cmocka_run_group_tests_name("textbook", tests, NULL, NULL);
}
