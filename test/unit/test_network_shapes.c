/*
 * Shapes and parameter counts against PyTorch's own: test/data/network_shapes/layers.csv, random convolutions and
 * poolings, recorded by test/frameworks/record_shapes.py. Each is built with numbers and with symbols in their place.
 */
#include "check.h"
#include "network/network.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 12, LINE_BYTES = 512 };
enum { OP, INPUT, FILTERS, KERNEL, STRIDE, DILATION, PAD, OUTPUT_PADDING, GROUPS, CEIL_MODE, OUTPUT, PARAMETERS };

struct row {
    char line[LINE_BYTES];
    const char *cells[COLUMNS];
};

/* "2x4x7" as numbers; returns how many. */
static int
read_numbers(const char *text, int64_t *numbers)
{
    int count = 0;

    while (*text) {
        char *end;

        numbers[count++] = strtoll(text, &end, 10);
        text = *end == 'x' ? end + 1 : end;
    }
    return count;
}

static bool
read_row(FILE *file, struct row *row)
{
    char *at = row->line;

    if (!fgets(row->line, sizeof row->line, file))
        return false;
    row->line[strcspn(row->line, "\n")] = '\0';
    for (int i = 0; i < COLUMNS; i++) {
        row->cells[i] = at;
        at += strcspn(at, ",");
        if (*at)
            *at++ = '\0';
    }
    return true;
}

static struct memmodel_conv
conv_of(const struct row *row)
{
    struct memmodel_conv conv = {.size = sizeof conv,
                                 .name = "layer",
                                 .filters = atoll(row->cells[FILTERS]),
                                 .groups = atoll(row->cells[GROUPS])};

    read_numbers(row->cells[KERNEL], conv.kernel);
    read_numbers(row->cells[STRIDE], conv.stride);
    read_numbers(row->cells[DILATION], conv.dilation);
    read_numbers(row->cells[PAD], conv.padding);
    read_numbers(row->cells[OUTPUT_PADDING], conv.output_padding);
    return conv;
}

static struct memmodel_pool
pool_of(const struct row *row)
{
    struct memmodel_pool pool = {.size = sizeof pool, .name = "layer", .ceil_mode = atoi(row->cells[CEIL_MODE])};

    pool.kind = strcmp(row->cells[OP], "max_pool") == 0 ? MEMMODEL_POOL_MAX : MEMMODEL_POOL_AVERAGE;
    read_numbers(row->cells[KERNEL], pool.kernel);
    read_numbers(row->cells[STRIDE], pool.stride);
    read_numbers(row->cells[DILATION], pool.dilation);
    read_numbers(row->cells[PAD], pool.padding);
    return pool;
}

static memmodel_tensor
add_layer(memmodel_network *network, memmodel_tensor x, const struct row *row)
{
    struct memmodel_conv conv = conv_of(row);
    struct memmodel_pool pool = pool_of(row);

    if (strcmp(row->cells[OP], "conv") == 0)
        return memmodel_network_conv(network, x, &conv);
    if (strcmp(row->cells[OP], "conv_transpose") == 0)
        return memmodel_network_conv_transpose(network, x, &conv);
    return memmodel_network_pool(network, x, &pool);
}

/* The spatial dimensions become symbols "d2", "d3", ... whose values are put into `symbols`. */
static memmodel_network *
build(memmodel_context *context, const struct row *row, bool symbolic, int64_t *symbols, memmodel_tensor *y)
{
    memmodel_network *network;
    memmodel_dim dims[MEMMODEL_MAX_RANK];
    int rank = read_numbers(row->cells[INPUT], dims);

    assert_int_equal(memmodel_network_new(context, &network), 0);
    for (int i = 2; symbolic && i < rank; i++) {
        char name[3] = {'d', (char)('0' + i), '\0'};

        symbols[i - 2] = dims[i];
        dims[i] = memmodel_network_symbol(network, name);
    }
    *y = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, rank, dims);
    *y = add_layer(network, *y, row);
    return network;
}

static void
assert_output(const struct row *row, const memmodel_network *network, const struct binding *binding, memmodel_tensor y)
{
    const struct tensor *tensor = &network->tensors[y];
    int64_t expected[MEMMODEL_MAX_RANK], parameters = 0, elements;

    assert_int_equal(tensor->rank, read_numbers(row->cells[OUTPUT], expected));
    for (int i = 0; i < tensor->rank; i++)
        if (binding_dim(binding, tensor->dims[i]) != expected[i])
            fail_msg("%s of %s: axis %d has %lld, PyTorch has %s", row->cells[OP], row->cells[INPUT], i,
                     (long long)binding_dim(binding, tensor->dims[i]), row->cells[OUTPUT]);
    for (size_t i = 0; i < network->parameter_count; i++) {
        assert_true(binding_elements(binding, network->parameters[i].dims, network->parameters[i].rank, &elements));
        parameters += elements;
    }
    assert_int_equal(parameters, atoll(row->cells[PARAMETERS]));
}

static void
check_row(memmodel_context *context, const struct row *row, bool symbolic)
{
    int64_t symbols[MEMMODEL_MAX_RANK] = {0};
    struct binding binding;
    memmodel_tensor y;
    memmodel_network *network = build(context, row, symbolic, symbols, &y);
    int status = memmodel_network_status(network);

    if (!status)
        status = binding_new(context, network, symbols, &binding);
    if ((status == 0) != (row->cells[OUTPUT][0] != '\0'))
        fail_msg("%s of %s, kernel %s, stride %s, pad %s: PyTorch has \"%s\", here %s", row->cells[OP],
                 row->cells[INPUT], row->cells[KERNEL], row->cells[STRIDE], row->cells[PAD], row->cells[OUTPUT],
                 status ? memmodel_context_error(context)->message : "no error");
    if (!status) {
        assert_output(row, network, &binding, y);
        binding_release(context, &binding);
    }
    memmodel_network_unref(network);
}

static void
check_all(memmodel_context *context, bool symbolic)
{
    FILE *file = fopen(TEST_DATA "/network_shapes/layers.csv", "r");
    struct row row;
    int rows = 0;

    assert_non_null(file);
    assert_true(read_row(file, &row)); /* provenance */
    assert_true(read_row(file, &row)); /* columns */
    for (; read_row(file, &row); rows++)
        check_row(context, &row, symbolic);
    fclose(file);
    assert_int_equal(rows, 600);
}

static void
layers_of_numbers_have_pytorchs_shapes(void **state)
{
    check_all(*state, false);
}

static void
layers_of_symbols_have_pytorchs_shapes(void **state)
{
    check_all(*state, true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(layers_of_numbers_have_pytorchs_shapes),
        WITH_CONTEXT(layers_of_symbols_have_pytorchs_shapes),
    };

    return cmocka_run_group_tests_name("network shapes", tests, NULL, NULL);
}
