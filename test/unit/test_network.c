/* Building a network: shapes, names, scopes, errors, binding. Shapes of other layers by hand, as in the comments. */
#include "check.h"
#include "network/formula.h"
#include "networks.h"

/* ---- helpers ---- */

static memmodel_network *
new_network(memmodel_context *context)
{
    memmodel_network *network;

    assert_int_equal(memmodel_network_new(context, &network), 0);
    return network;
}

static memmodel_tensor
input(memmodel_network *network, const char *name, int rank, const memmodel_dim *dims)
{
    return memmodel_network_input(network, name, MEMMODEL_DTYPE_FLOAT32, rank, dims);
}

static void
assert_shape(const memmodel_network *network, memmodel_tensor tensor, int rank, const memmodel_dim *dims)
{
    struct memmodel_shape shape;

    assert_int_equal(memmodel_network_get_shape(network, tensor, &shape), 0);
    assert_int_equal(shape.rank, rank);
    assert_memory_equal(shape.dims, dims, (size_t)rank * sizeof *dims);
}

#define assert_dims(network, tensor, ...)                                                                              \
    assert_shape(network, tensor, (int)(sizeof(memmodel_dim[]){__VA_ARGS__} / sizeof(memmodel_dim)),                   \
                 (memmodel_dim[]){__VA_ARGS__})

/* Elements of all parameters where the symbols have these values. */
static int64_t
count_parameters(memmodel_context *context, const memmodel_network *network, const int64_t *symbols,
                 bool trainable_only)
{
    struct binding binding;
    int64_t sum = 0, elements;

    assert_int_equal(binding_new(context, network, symbols, &binding), 0);
    for (size_t i = 0; i < network->parameter_count; i++) {
        const struct parameter *parameter = &network->parameters[i];

        assert_true(binding_elements(&binding, parameter->dims, parameter->rank, &elements));
        sum += trainable_only && !parameter->trainable ? 0 : elements;
    }
    binding_release(context, &binding);
    return sum;
}

/* The network refuses and the context says `part` of `layer`. */
static void
assert_refused(memmodel_network *network, memmodel_tensor tensor, int status, const char *layer, const char *part)
{
    memmodel_context *context = network->context;

    assert_error(context, tensor, status, part);
    assert_string_equal(memmodel_context_error(context)->object, layer);
    assert_int_equal(memmodel_network_status(network), status);
    memmodel_network_unref(network);
}

static int
bind(memmodel_context *context, const memmodel_network *network, const int64_t *symbols)
{
    struct binding binding;
    int status = binding_new(context, network, symbols, &binding);

    if (!status)
        binding_release(context, &binding);
    return status;
}

/* ---- ready-made networks: published parameter counts ---- */

static void
ready_made_networks_have_their_published_parameters(void **state)
{
    memmodel_network *network;

    assert_int_equal(network_cnn50(*state, &(struct cnn50){0}, &network), 0);
    assert_int_equal(count_parameters(*state, network, (int64_t[]){64}, false), 4632902);
    memmodel_network_unref(network);
    assert_int_equal(network_vgg16(*state, &network), 0);
    assert_int_equal(count_parameters(*state, network, (int64_t[]){1, 224}, false), 138357544);
    memmodel_network_unref(network);
    assert_int_equal(network_resnet50(*state, &network), 0);
    assert_int_equal(count_parameters(*state, network, (int64_t[]){1, 224}, true), 25557032);
    memmodel_network_unref(network);
    assert_int_equal(network_gpt2(*state, &(struct gpt2){0}, &network), 0);
    assert_int_equal(count_parameters(*state, network, (int64_t[]){1, 1024}, false), 124439808);
    memmodel_network_unref(network);
}

static void
the_unet_has_its_published_parameters(void **state)
{
    /* filters, upsampling, all, of them trained */
    static const int64_t expected[][4] = {
        {8, 0, 1414713, 1413241}, {16, 0, 5650801, 5647857}, {32, 0, 22587105, 22581217},
        {8, 1, 1474433, 1472961}, {16, 1, 5889921, 5886977}, {32, 1, 23544065, 23538177},
    };

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct unet3d unet = {.filters = expected[i][0], .upsampling = expected[i][1], .channels_last = i % 2};
        memmodel_network *network;

        assert_int_equal(network_unet3d(*state, &unet, &network), 0);
        assert_int_equal(count_parameters(*state, network, (int64_t[]){1, 32}, false), expected[i][2]);
        assert_int_equal(count_parameters(*state, network, (int64_t[]){1, 32}, true), expected[i][3]);
        memmodel_network_unref(network);
    }
}

static void
a_unet_of_200_voxels_says_which_skip_is_how_far_off(void **state)
{
    memmodel_network *network;

    /* 200 / 8 = 25, halved and doubled 24 */
    assert_int_equal(network_unet3d(*state, &(struct unet3d){0}, &network), 0);
    assert_error(*state, bind(*state, network, (int64_t[]){1, 200}), MEMMODEL_ERROR_SHAPE,
                 "axis 2: \"encoder.3.relu1\" has 25, but \"up.0\" has 24 (1 too many)");
    assert_string_equal(memmodel_context_error(*state)->object, "concat.0");
    assert_int_equal(bind(*state, network, (int64_t[]){1, 208}), 0);
    memmodel_network_unref(network);
}

static void
formulas_assume_what_the_network_needs(void **state)
{
    memmodel_network *network;
    struct formula_space *space;
    int64_t multiple;

    for (int depth = 1; depth <= 5; depth++) {
        assert_int_equal(network_unet3d(*state, &(struct unet3d){.depth = depth}, &network), 0);
        assert_int_equal(formula_space_new(*state, network, &space), 0);
        assert_int_equal(formula_assumption_count(space), 1);
        assert_string_equal(formula_assumption(space, 0, &multiple), "dim");
        assert_int_equal(multiple, 1 << depth);
        formula_space_free(space);
        memmodel_network_unref(network);
    }
}

/* ---- names and scopes ---- */

static void
names_begin_with_their_scopes_and_are_unique(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_tensor x = input(network, "x", 2, (memmodel_dim[]){2, 3});

    memmodel_network_push_scope(network, "a.0");
    memmodel_network_push_scope(network, "b");
    memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 4));
    memmodel_network_linear(network, x, MEMMODEL_LINEAR(.name = "linear_2", .units = 4));
    memmodel_network_pop_scope(network);
    memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 4));
    memmodel_network_pop_scope(network);
    assert_string_equal(network->layers[1].name, "a.0.b.linear_1");
    assert_string_equal(network->layers[3].name, "a.0.linear_2");
    assert_int_equal(network->scopes[0].first, 1);
    assert_int_equal(network->scopes[0].end, 4);
    assert_int_equal(network->scopes[1].end, 3);
    assert_int_equal(network->scopes[1].parent, 0);
    assert_refused(network, input(network, "x", 0, NULL), MEMMODEL_ERROR_INVALID_ARGUMENT, "x", "already");
}

static void
names_that_no_json_can_hold_are_refused(void **state)
{
    static const char *const names[] = {"", "a\nb", "\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        memmodel_network *network = new_network(*state);

        assert_int_equal(input(network, names[i], 0, NULL), MEMMODEL_ERROR_INVALID_ARGUMENT);
        assert_int_equal(memmodel_network_push_scope(network, names[i]), MEMMODEL_ERROR_INVALID_ARGUMENT);
        memmodel_network_unref(network);
    }
}

static void
scopes_end_as_often_as_they_began(void **state)
{
    memmodel_network *network = new_network(*state);

    assert_int_equal(memmodel_network_push_scope(network, "a"), 0);
    assert_int_equal(memmodel_network_pop_scope(network), 0);
    assert_int_equal(memmodel_network_pop_scope(network), MEMMODEL_ERROR_INVALID_ARGUMENT);
    memmodel_network_unref(network);
}

/* ---- errors ---- */

static void
the_first_error_passes_through_and_is_remembered(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_tensor x = input(network, "x", 4, (memmodel_dim[]){1, 3, 2, 2}), y;
    char *text;

    y = memmodel_network_conv(network, x, MEMMODEL_CONV(.name = "first", .filters = 8, .kernel = {5}));
    y = memmodel_network_batch_norm(network, y, NULL);
    y = memmodel_network_pool(network, y, MEMMODEL_POOL(.kernel = {2}));
    assert_int_equal(y, MEMMODEL_ERROR_SHAPE);
    assert_int_equal(input(network, "", 0, NULL), MEMMODEL_ERROR_INVALID_ARGUMENT);
    assert_error(*state, memmodel_network_status(network), MEMMODEL_ERROR_SHAPE,
                 "axis 2: the kernel needs at least 5 elements, the input has 2");
    assert_string_equal(memmodel_context_error(*state)->object, "first");
    assert_int_equal(memmodel_network_to_json(network, NULL, &text), MEMMODEL_ERROR_SHAPE);
    assert_int_equal(memmodel_network_layer_count(network), 1);
    memmodel_network_unref(network);
}

static void
too_small_an_input_is_named_at_binding(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim n = memmodel_network_symbol(network, "n");
    memmodel_tensor x = input(network, "x", 4, (memmodel_dim[]){1, n, n, 3});

    memmodel_network_set_layout(network, MEMMODEL_LAYOUT_CHANNELS_LAST);
    memmodel_network_conv(network, x, MEMMODEL_CONV(.name = "c", .filters = 8, .kernel = {5}, .padding = {1, 1}));
    assert_int_equal(bind(*state, network, (int64_t[]){3}), 0);
    assert_error(*state, bind(*state, network, (int64_t[]){2}), MEMMODEL_ERROR_SHAPE,
                 "axis 1: the kernel needs at least 3 elements, the input has 2");
    memmodel_network_unref(network);
}

static void
what_is_decided_is_refused_at_once(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim n = memmodel_network_symbol(network, "n"), more = memmodel_network_expression(network, "n + 2");
    memmodel_tensor a = input(network, "a", 2, (memmodel_dim[]){n, 4}),
                    b = input(network, "b", 2, (memmodel_dim[]){more, 4});

    assert_refused(network, memmodel_network_binary(network, a, b, NULL), MEMMODEL_ERROR_SHAPE, "binary_1",
                   "axis 0: \"b\" has n + 2, but \"a\" has n (2 too many)");
}

static void
tensors_with_too_many_bytes_are_refused(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim huge = INT64_C(1) << 31, n = memmodel_network_symbol(network, "n");

    assert_true(input(network, "fits", 2, (memmodel_dim[]){huge, huge / 4}) >= 0);
    assert_true(input(network, "perhaps", 2, (memmodel_dim[]){huge, n}) >= 0);
    assert_int_equal(bind(*state, network, (int64_t[]){1 << 20}), 0);
    assert_error(*state, bind(*state, network, (int64_t[]){huge}), MEMMODEL_ERROR_OVERFLOW, "perhaps");
    assert_error(*state, bind(*state, network, (int64_t[]){INT64_MAX}), MEMMODEL_ERROR_OVERFLOW, "perhaps");
    assert_refused(network, input(network, "never", 3, (memmodel_dim[]){huge, n, huge}), MEMMODEL_ERROR_OVERFLOW,
                   "never", "63 bits");
}

static void
a_dimension_must_be_whole_and_positive_when_bound(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim half;

    memmodel_network_symbol(network, "n");
    half = memmodel_network_expression(network, "n / 2 - 3");
    input(network, "x", 1, &half);
    assert_int_equal(bind(*state, network, (int64_t[]){8}), 0);
    assert_int_equal(bind(*state, network, (int64_t[]){9}), MEMMODEL_ERROR_SHAPE);
    assert_error(*state, bind(*state, network, (int64_t[]){6}), MEMMODEL_ERROR_SHAPE, "needs at least 1");
    memmodel_network_unref(network);
}

static void
a_dimension_is_written_as_a_text_that_reads_back(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim half = memmodel_network_expression(network, "floor(n / 2)");
    char *text = NULL;

    assert_int_equal(memmodel_network_dim_to_text(network, half, &text), 0);
    assert_int_equal(memmodel_network_expression(network, text), half);
    memmodel_free(text);
    assert_int_equal(memmodel_network_dim_to_text(network, 12, &text), 0);
    assert_string_equal(text, "12");
    memmodel_free(text);
    assert_error(*state, memmodel_network_dim_to_text(network, -1000, &text), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "no dimension");
    assert_error(*state, memmodel_network_dim_to_text(network, MEMMODEL_DIM_INFER, &text),
                 MEMMODEL_ERROR_INVALID_ARGUMENT, "no dimension");
    memmodel_network_unref(network);
}

static void
a_network_recovers_from_a_call_that_failed(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_tensor x = input(network, "x", 2, (memmodel_dim[]){2, 3});
    char *before = NULL, *after = NULL;

    assert_int_equal(memmodel_network_to_json(network, NULL, &before), 0);
    assert_true(memmodel_network_matmul(network, x, x, NULL) < 0);
    assert_int_equal(memmodel_network_status(network), MEMMODEL_ERROR_SHAPE);
    memmodel_network_clear_error(network);
    assert_int_equal(memmodel_network_to_json(network, NULL, &after), 0);
    assert_string_equal(after, before);
    memmodel_free(before);
    memmodel_free(after);
    memmodel_network_unref(network);
}

static void
wrong_options_are_refused(void **state)
{
    static const struct memmodel_conv wrong[] = {
        {.size = sizeof wrong[0], .kernel = {3}},                                    /* no filters */
        {.size = sizeof wrong[0], .filters = 4},                                     /* no kernel */
        {.size = sizeof wrong[0], .filters = 4, .kernel = {-1}},                     /* negative */
        {.size = sizeof wrong[0], .filters = 4, .kernel = {1}, .auto_pad = 3},       /* no such padding */
        {.size = sizeof wrong[0], .filters = 4, .kernel = {1}, .activation = 99},    /* no such activation */
        {.size = sizeof wrong[0], .filters = 4, .kernel = {1}, .layout = -1},        /* no such layout */
        {.size = sizeof wrong[0], .filters = 4, .kernel = {1}, .no_bias = 2},        /* no flag */
        {.size = sizeof wrong[0], .filters = 4, .kernel = {1}, .tied_to = "nobody"}, /* no such layer */
        {.size = sizeof wrong[0], .filters = 4, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME, .padding = {1}},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memmodel_network *network = new_network(*state);
        memmodel_tensor x = input(network, "x", 4, (memmodel_dim[]){1, 4, 8, 8});

        assert_int_equal(memmodel_network_conv(network, x, &wrong[i]), MEMMODEL_ERROR_INVALID_ARGUMENT);
        assert_int_equal(network->layer_count, 1);
        assert_int_equal(network->parameter_count, 0);
        memmodel_network_unref(network);
    }
}

static void
handles_of_nothing_are_refused(void **state)
{
    static const memmodel_tensor wrong[] = {-5, 7, INT32_MAX, INT32_MIN, MEMMODEL_TENSOR_NONE};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memmodel_network *network = new_network(*state);

        input(network, "x", 0, NULL);
        assert_int_equal(memmodel_network_mark_output(network, wrong[i]), MEMMODEL_ERROR_INVALID_ARGUMENT);
        memmodel_network_unref(network);
        network = new_network(*state);
        assert_true(memmodel_network_batch_norm(network, wrong[i], NULL) < 0);
        assert_int_equal(memmodel_network_status(network), MEMMODEL_ERROR_INVALID_ARGUMENT);
        memmodel_network_unref(network);
    }
}

/* ---- layers ---- */

static void
a_fused_activation_is_a_layer_counted_with_its_own(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_tensor x = input(network, "x", 2, (memmodel_dim[]){2, 3}), y;

    y = memmodel_network_linear(network, x,
                                MEMMODEL_LINEAR(.name = "dense", .units = 4, .activation = MEMMODEL_ACTIVATION_RELU));
    assert_int_equal(network->layer_count, 3);
    assert_true(network->layers[2].fused);
    assert_string_equal(network->layers[2].name, "dense.relu");
    assert_int_equal(y, network->layers[2].first_output);
    /* the tensor in between is nobody else's */
    assert_true(memmodel_network_batch_norm(network, y - 1, NULL) < 0);
    memmodel_network_unref(network);
}

static void
shared_parameters_stand_once(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_tensor words = memmodel_network_input(network, "words", MEMMODEL_DTYPE_INT64, 1, (memmodel_dim[]){9}), x;

    x = memmodel_network_embedding(network, words,
                                   MEMMODEL_EMBEDDING(.name = "table", .num_embeddings = 50, .embedding_dim = 8));
    memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 50, .no_bias = 1, .tied_to = "table"));
    assert_int_equal(network->parameter_count, 1);
    assert_int_equal(network->layers[2].parameters[0], network->layers[1].parameters[0]);
    assert_refused(network, memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 51, .tied_to = "table")),
                   MEMMODEL_ERROR_SHAPE, "linear_2", "another shape");
}

static void
movements_have_the_shapes_of_their_definition(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim n = memmodel_network_symbol(network, "n");
    memmodel_tensor x = input(network, "x", 3, (memmodel_dim[]){n, 6, 4}), y;
    memmodel_tensor image = input(network, "image", 4, (memmodel_dim[]){n, 6, 4, 5});

    assert_dims(network, memmodel_network_flatten(network, x, 1, -1), n, 24);
    assert_dims(network, memmodel_network_flatten(network, image, 1, 2), n, 24, 5);
    assert_dims(network, memmodel_network_permute(network, x, 3, (int[]){2, 0, -2}), 4, n, 6);
    assert_dims(network, memmodel_network_reshape(network, x, 3, (memmodel_dim[]){n, MEMMODEL_DIM_INFER, 3}), n, 8, 3);
    assert_dims(network, memmodel_network_reshape(network, x, 2, (memmodel_dim[]){MEMMODEL_DIM_INFER, 24}), n, 24);
    assert_dims(network, memmodel_network_slice(network, x, MEMMODEL_SLICE(.axis = 1, .start = 1, .step = 2)), n, 3, 4);
    assert_dims(network, memmodel_network_slice(network, x, MEMMODEL_SLICE(.axis = -1, .start = 3, .squeeze = 1)), n,
                6);
    assert_dims(network, memmodel_network_pad(network, x, MEMMODEL_PAD(.before = {0, 1}, .after = {0, 2})), n, 9, 4);
    assert_dims(network, memmodel_network_crop(network, x, MEMMODEL_PAD(.before = {0, 1}, .after = {0, 2})), n, 3, 4);
    assert_dims(network, memmodel_network_concat(network, (memmodel_tensor[]){x, x}, 2, MEMMODEL_CONCAT(.axis = 1)), n,
                12, 4);
    y = memmodel_network_split(network, x, MEMMODEL_SPLIT(.parts = 3, .axis = 1));
    assert_dims(network, memmodel_network_layer_output(network, y, 2), n, 2, 4);
    y = memmodel_network_split(network, x, MEMMODEL_SPLIT(.parts = 2, .axis = 1, .sizes = (memmodel_dim[]){1, 5}));
    assert_dims(network, memmodel_network_layer_output(network, y, 1), n, 5, 4);
    y = input(network, "row", 2, (memmodel_dim[]){1, 4});
    assert_dims(network, memmodel_network_expand(network, y, 3, (memmodel_dim[]){n, 6, MEMMODEL_DIM_INFER}), n, 6, 4);
    assert_int_equal(memmodel_network_status(network), 0);
    memmodel_network_unref(network);
}

static void
arithmetic_broadcasts_as_numpy(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim n = memmodel_network_symbol(network, "n");
    memmodel_tensor a = input(network, "a", 3, (memmodel_dim[]){n, 1, 4}),
                    b = input(network, "b", 2, (memmodel_dim[]){6, 4}),
                    c = input(network, "c", 3, (memmodel_dim[]){1, 5, 6});
    struct memmodel_reduce reduce = {.size = sizeof reduce, .axes = {-1}, .axis_count = 1, .kind = MEMMODEL_REDUCE_SUM};

    assert_dims(network, memmodel_network_binary(network, a, b, NULL), n, 6, 4);
    assert_dims(network, memmodel_network_matmul(network, c, b, NULL), 1, 5, 4);
    assert_dims(network, memmodel_network_matmul(network, b, a, MEMMODEL_MATMUL(.transpose_b = 1)), n, 6, 1);
    assert_dims(network, memmodel_network_reduce(network, a, &reduce), n, 1);
    reduce.keep_dims = 1;
    assert_dims(network, memmodel_network_reduce(network, a, &reduce), n, 1, 1);
    assert_refused(network, memmodel_network_matmul(network, b, c, NULL), MEMMODEL_ERROR_SHAPE, "matmul_3", "axis 1");
}

static void
a_permutation_names_every_axis_once(void **state)
{
    static const struct {
        int rank, axes[MEMMODEL_MAX_RANK + 1];
        int status;
        const char *part;
    } wrong[] = {
        {2, {1, 0}, MEMMODEL_ERROR_SHAPE, "2 axes for a tensor with 3 dimensions"},
        {4, {0, 1, 2, 3}, MEMMODEL_ERROR_SHAPE, "4 axes for a tensor with 3 dimensions"},
        {3, {0, 2, -1}, MEMMODEL_ERROR_SHAPE, "axis 2 stands twice"},
        {-1, {0}, MEMMODEL_ERROR_INVALID_ARGUMENT, "axes has too many or a negative number of elements"},
        {MEMMODEL_MAX_RANK + 1, {0}, MEMMODEL_ERROR_INVALID_ARGUMENT, "axes has too many"},
    };
    memmodel_tensor x;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memmodel_network *network = new_network(*state);

        x = input(network, "x", 3, (memmodel_dim[]){2, 6, 4});
        assert_refused(network, memmodel_network_permute(network, x, wrong[i].rank, wrong[i].axes), wrong[i].status,
                       wrong[i].status == MEMMODEL_ERROR_SHAPE ? "permute_1" : "permute", wrong[i].part);
    }
}

static void
an_equal_split_of_a_symbol_needs_a_multiple(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim n = memmodel_network_symbol(network, "n");
    memmodel_tensor x = input(network, "x", 1, &n);

    memmodel_network_split(network, x, MEMMODEL_SPLIT(.name = "s", .parts = 3));
    assert_int_equal(bind(*state, network, (int64_t[]){9}), 0);
    assert_error(*state, bind(*state, network, (int64_t[]){10}), MEMMODEL_ERROR_SHAPE,
                 "axis 0: 10 is not a multiple of 3 (1 too many)");
    memmodel_network_unref(network);
}

static void
a_slice_ends_inside(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim n = memmodel_network_symbol(network, "n");
    memmodel_tensor x = input(network, "x", 1, (memmodel_dim[]){1024});

    assert_dims(network, memmodel_network_slice(network, x, MEMMODEL_SLICE(.stop = n)), n);
    assert_int_equal(bind(*state, network, (int64_t[]){1024}), 0);
    assert_error(*state, bind(*state, network, (int64_t[]){1025}), MEMMODEL_ERROR_SHAPE, "1 too many");
    memmodel_network_unref(network);
}

static void
an_lstm_has_the_parameters_and_outputs_of_torch(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim n = memmodel_network_symbol(network, "n");
    memmodel_tensor x = input(network, "x", 3, (memmodel_dim[]){7, n, 10}), y;

    y = memmodel_network_recurrent(
        network, x, MEMMODEL_RECURRENT(.hidden_size = 20, .layer_count = 2, .projection_size = 5, .bidirectional = 1));
    assert_dims(network, y, 7, n, 10);
    assert_dims(network, memmodel_network_layer_output(network, y, 1), 4, n, 5);
    assert_dims(network, memmodel_network_layer_output(network, y, 2), 4, n, 20);
    /* each of 2 layers and 2 directions: 80*10 + 80*5 + 80 + 80 + 5*20 = 1460 */
    assert_int_equal(count_parameters(*state, network, (int64_t[]){1}, false), 4 * 1460);
    assert_string_equal(network->parameters[network->parameter_count - 1].role, "weight_hr_l1_reverse");
    memmodel_network_unref(network);
}

static void
attention_checks_all_its_inputs(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim n = memmodel_network_symbol(network, "n");
    memmodel_tensor q = input(network, "q", 4, (memmodel_dim[]){n, 8, 7, 16}),
                    k = input(network, "k", 4, (memmodel_dim[]){n, 2, 9, 16}),
                    v = input(network, "v", 4, (memmodel_dim[]){n, 2, 9, 32}),
                    mask = input(network, "mask", 2, (memmodel_dim[]){7, 9}), y;

    y = memmodel_network_attention(network, q, k, v, mask, MEMMODEL_ATTENTION(.grouped_query = 1));
    assert_dims(network, y, n, 8, 7, 32);
    y = memmodel_network_attention(network, q, k, v, MEMMODEL_TENSOR_NONE, MEMMODEL_ATTENTION(.causal = 1));
    assert_refused(network, y, MEMMODEL_ERROR_SHAPE, "attention_2", "axis 1: \"k\" has 2, but \"q\" has 8 (6 too few)");
}

static void
losses_compare_with_their_target(void **state)
{
    memmodel_network *network = new_network(*state);
    memmodel_dim n = memmodel_network_symbol(network, "n");
    memmodel_tensor x = input(network, "x", 4, (memmodel_dim[]){n, 10, 5, 5}),
                    classes =
                        memmodel_network_input(network, "classes", MEMMODEL_DTYPE_INT64, 3, (memmodel_dim[]){n, 5, 5});
    struct memmodel_shape shape;

    assert_int_equal(memmodel_network_get_shape(network, memmodel_network_loss(network, x, classes, NULL), &shape), 0);
    assert_int_equal(shape.rank, 0);
    assert_int_equal(shape.dtype, MEMMODEL_DTYPE_FLOAT32);
    assert_dims(network,
                memmodel_network_loss(network, x, classes, MEMMODEL_LOSS(.reduction = MEMMODEL_LOSS_REDUCTION_NONE)), n,
                5, 5);
    assert_refused(network, memmodel_network_loss(network, x, classes, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_DICE)),
                   MEMMODEL_ERROR_SHAPE, "loss_3", "3 dimensions");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(ready_made_networks_have_their_published_parameters),
        WITH_CONTEXT(the_unet_has_its_published_parameters),
        WITH_CONTEXT(a_unet_of_200_voxels_says_which_skip_is_how_far_off),
        WITH_CONTEXT(formulas_assume_what_the_network_needs),
        WITH_CONTEXT(names_begin_with_their_scopes_and_are_unique),
        WITH_CONTEXT(names_that_no_json_can_hold_are_refused),
        WITH_CONTEXT(scopes_end_as_often_as_they_began),
        WITH_CONTEXT(the_first_error_passes_through_and_is_remembered),
        WITH_CONTEXT(too_small_an_input_is_named_at_binding),
        WITH_CONTEXT(what_is_decided_is_refused_at_once),
        WITH_CONTEXT(tensors_with_too_many_bytes_are_refused),
        WITH_CONTEXT(a_dimension_must_be_whole_and_positive_when_bound),
        WITH_CONTEXT(a_dimension_is_written_as_a_text_that_reads_back),
        WITH_CONTEXT(a_network_recovers_from_a_call_that_failed),
        WITH_CONTEXT(wrong_options_are_refused),
        WITH_CONTEXT(handles_of_nothing_are_refused),
        WITH_CONTEXT(a_fused_activation_is_a_layer_counted_with_its_own),
        WITH_CONTEXT(shared_parameters_stand_once),
        WITH_CONTEXT(movements_have_the_shapes_of_their_definition),
        WITH_CONTEXT(arithmetic_broadcasts_as_numpy),
        WITH_CONTEXT(a_permutation_names_every_axis_once),
        WITH_CONTEXT(an_equal_split_of_a_symbol_needs_a_multiple),
        WITH_CONTEXT(a_slice_ends_inside),
        WITH_CONTEXT(an_lstm_has_the_parameters_and_outputs_of_torch),
        WITH_CONTEXT(attention_checks_all_its_inputs),
        WITH_CONTEXT(losses_compare_with_their_target),
    };

    return cmocka_run_group_tests_name("network", tests, NULL, NULL);
}
