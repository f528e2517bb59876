/*
 * Random networks: built with symbols and bound, or built with the numbers at once, they have the same shapes or are
 * both refused; and they survive writing and reading.
 */
#include "random_expression.h"

#include "network/formula.h"

enum { NETWORKS = 3000, MAX_LAYERS = 12 };

/* The same random choices for the network of symbols and the one of numbers. */
struct recipe {
    uint64_t seed;
    bool symbolic;
    int64_t size[3]; /* batch, height, width */
};

static memmodel_dim
size(memmodel_network *net, const struct recipe *recipe, int index)
{
    static const char *const names[] = {"batch", "height", "width"};

    return recipe->symbolic ? memmodel_network_symbol(net, names[index]) : recipe->size[index];
}

/* ---- layers: each takes one tensor of four dimensions, and gives one ---- */

static memmodel_tensor
add_conv(memmodel_network *net, memmodel_tensor x, uint64_t *random)
{
    struct memmodel_conv conv = {.size = sizeof conv, .filters = random_between(random, 1, 3) * 2};

    for (int i = 0; i < 2; i++) {
        conv.kernel[i] = random_between(random, 1, 4);
        conv.stride[i] = random_between(random, 1, 3);
        conv.dilation[i] = random_between(random, 1, 2);
        conv.padding[i] = random_between(random, 0, 2);
    }
    if (random_between(random, 0, 2) == 0) {
        conv.auto_pad = MEMMODEL_AUTO_PAD_SAME;
        conv.padding[0] = conv.padding[1] = 0;
    }
    conv.groups = random_between(random, 1, 2);
    conv.activation = random_between(random, 0, 2) ? MEMMODEL_ACTIVATION_NONE : MEMMODEL_ACTIVATION_RELU;
    return memmodel_network_conv(net, x, &conv);
}

static memmodel_tensor
add_transposed(memmodel_network *net, memmodel_tensor x, uint64_t *random)
{
    int64_t stride = random_between(random, 1, 3), kernel = random_between(random, 1, 4);

    return memmodel_network_conv_transpose(
        net, x,
        MEMMODEL_CONV(.filters = 4, .kernel = {kernel}, .stride = {stride}, .padding = {random_between(random, 0, 1)}));
}

static memmodel_tensor
add_pool(memmodel_network *net, memmodel_tensor x, uint64_t *random)
{
    struct memmodel_pool pool = {.size = sizeof pool, .kernel = {random_between(random, 1, 4)}};

    pool.stride[0] = random_between(random, 0, 3);
    pool.padding[0] = random_between(random, 0, pool.kernel[0] / 2);
    pool.ceil_mode = (int32_t)random_between(random, 0, 1);
    return memmodel_network_pool(net, x, &pool);
}

static memmodel_tensor
add_upsample(memmodel_network *net, memmodel_tensor x, uint64_t *random)
{
    return memmodel_network_upsample(net, x, MEMMODEL_UPSAMPLE(.scale = {random_between(random, 1, 3)}));
}

static memmodel_tensor
add_crop(memmodel_network *net, memmodel_tensor x, uint64_t *random)
{
    return memmodel_network_crop(net, x, MEMMODEL_PAD(.after = {0, 0, random_between(random, 0, 3)}));
}

static memmodel_tensor
add_slice(memmodel_network *net, memmodel_tensor x, uint64_t *random)
{
    return memmodel_network_slice(net, x,
                                  MEMMODEL_SLICE(.axis = (int32_t)random_between(random, 2, 3),
                                                 .start = random_between(random, 0, 2),
                                                 .step = random_between(random, 1, 3)));
}

/* Down, up, and joined with what it came from: fits only some sizes. */
static memmodel_tensor
add_skip(memmodel_network *net, memmodel_tensor x, uint64_t *random)
{
    int64_t scale = random_between(random, 1, 3);
    memmodel_tensor y = memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {scale}));

    y = memmodel_network_upsample(net, y, MEMMODEL_UPSAMPLE(.scale = {scale}));
    if (random_between(random, 0, 1))
        return memmodel_network_binary(net, y, x, NULL);
    return memmodel_network_concat(net, (memmodel_tensor[]){y, x}, 2, MEMMODEL_CONCAT(.along_channels = 1));
}

static memmodel_tensor
add_part(memmodel_network *net, memmodel_tensor x, uint64_t *random)
{
    int32_t parts = (int32_t)random_between(random, 1, 3);
    memmodel_tensor y = memmodel_network_split(net, x, MEMMODEL_SPLIT(.parts = parts, .axis = 3));

    return memmodel_network_layer_output(net, y, parts - 1);
}

static memmodel_tensor
add_turn(memmodel_network *net, memmodel_tensor x, uint64_t *random)
{
    (void)random;
    return memmodel_network_permute(net, x, 4, (int[]){0, 1, 3, 2});
}

static memmodel_tensor
add_layer(memmodel_network *net, memmodel_tensor x, uint64_t *random)
{
    static memmodel_tensor (*const layers[])(memmodel_network *, memmodel_tensor, uint64_t *) = {
        add_conv, add_transposed, add_pool, add_upsample, add_crop, add_slice, add_skip, add_part, add_turn,
    };

    return layers[random_between(random, 0, (int64_t)(sizeof layers / sizeof layers[0]) - 1)](net, x, random);
}

/* ---- networks ---- */

static memmodel_network *
build(memmodel_context *context, const struct recipe *recipe, memmodel_tensor *y)
{
    uint64_t random = recipe->seed;
    memmodel_network *net;
    int64_t layers = random_between(&random, 1, MAX_LAYERS);

    assert_int_equal(memmodel_network_new(context, &net), 0);
    *y = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4,
                                (memmodel_dim[]){size(net, recipe, 0), 4, size(net, recipe, 1), size(net, recipe, 2)});
    for (int64_t i = 0; i < layers; i++)
        *y = add_layer(net, *y, &random);
    return net;
}

static struct recipe
random_recipe(uint64_t seed)
{
    struct recipe recipe = {.seed = seed};
    uint64_t random = ~seed;

    for (int i = 0; i < 3; i++)
        recipe.size[i] = random_between(&random, 1, i == 0 ? 3 : 64);
    return recipe;
}

/* Every tensor of the bound network has the size of its twin, which was built with numbers. */
static void
assert_same_shapes(const struct binding *binding, const memmodel_network *symbolic, const memmodel_network *constant)
{
    assert_int_equal(symbolic->tensor_count, constant->tensor_count);
    for (size_t i = 0; i < symbolic->tensor_count; i++) {
        const struct tensor *a = &symbolic->tensors[i], *b = &constant->tensors[i];

        assert_int_equal(a->rank, b->rank);
        for (int axis = 0; axis < a->rank; axis++)
            assert_int_equal(binding_dim(binding, a->dims[axis]), b->dims[axis]);
    }
}

/* The closed formula of each tensor's elements, where its assumptions hold, is the product of its dimensions. */
static void
assert_formulas_hold(memmodel_context *context, const struct binding *binding, const int64_t *symbols)
{
    const memmodel_network *network = binding->network;
    struct formula_space *space;
    int64_t elements;
    double value;

    assert_int_equal(formula_space_new(context, network, &space), 0);
    for (size_t i = 0; i < network->tensor_count; i++) {
        expression formula = formula_tensor_elements(space, (memmodel_tensor)i);

        assert_true(binding_elements(binding, network->tensors[i].dims, network->tensors[i].rank, &elements));
        assert_int_equal(formula_evaluate(space, formula, symbols, &value), 0);
        assert_true(fabs(value - (double)elements) <= 1e-12 * (double)elements);
    }
    formula_space_free(space);
}

/* Whether the network can be built; `refused` counts those that cannot. */
static bool
symbols_and_numbers_agree(memmodel_context *context, uint64_t seed)
{
    struct recipe recipe = random_recipe(seed);
    memmodel_network *constant, *symbolic;
    memmodel_tensor y;
    struct binding binding;
    int status;

    constant = build(context, &recipe, &y);
    recipe.symbolic = true;
    symbolic = build(context, &recipe, &y);
    status = memmodel_network_status(symbolic);
    if (!status)
        status = binding_new(context, symbolic, recipe.size, &binding);
    if ((status != 0) != (memmodel_network_status(constant) != 0))
        fail_msg("seed %llu: symbols %d, numbers %d: %s", (unsigned long long)seed, status,
                 memmodel_network_status(constant), memmodel_context_error(context)->message);
    if (!status) {
        assert_same_shapes(&binding, symbolic, constant);
        assert_formulas_hold(context, &binding, recipe.size);
        binding_release(context, &binding);
    }
    memmodel_network_unref(constant);
    memmodel_network_unref(symbolic);
    return status == 0;
}

static void
a_bound_network_is_the_one_built_with_its_numbers(void **state)
{
    int built = 0;

    for (uint64_t seed = 1; seed <= NETWORKS; seed++)
        built += symbols_and_numbers_agree(*state, seed);
    assert_in_range(built, NETWORKS / 10, NETWORKS * 9 / 10); /* both kinds were met */
}

static void
written_networks_are_read_as_they_were(void **state)
{
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        struct recipe recipe = random_recipe(seed);
        memmodel_network *network, *again;
        memmodel_tensor y;
        char *first, *second;

        recipe.symbolic = true;
        network = build(*state, &recipe, &y);
        if (memmodel_network_to_json(network, NULL, &first) == 0) {
            assert_int_equal(memmodel_network_from_json(*state, "text", first, strlen(first), &again), 0);
            assert_int_equal(memmodel_network_to_json(again, NULL, &second), 0);
            assert_string_equal(first, second);
            memmodel_free(first);
            memmodel_free(second);
            memmodel_network_unref(again);
        }
        memmodel_network_unref(network);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_bound_network_is_the_one_built_with_its_numbers, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(written_networks_are_read_as_they_were, context_setup, context_teardown),
    };

    return cmocka_run_group_tests_name("network properties", tests, NULL, NULL);
}
