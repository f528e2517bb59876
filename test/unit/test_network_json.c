/* Networks as JSON: what was written is read as the same network, and whatever is wrong is refused with its place. */
#include "check.h"
#include "network/network.h"
#include "networks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- round trips ---- */

/* Writes, reads and writes again: the same text. Lets go of the network. */
static void
assert_round_trip(memmodel_context *context, memmodel_network *network)
{
    memmodel_network *again;
    char *first, *second;

    assert_int_equal(memmodel_network_status(network), 0);
    assert_int_equal(memmodel_network_to_json(network, NULL, &first), 0);
    if (memmodel_network_from_json(context, "text", first, strlen(first), &again))
        fail_msg("line %d: %s", memmodel_context_error(context)->line, memmodel_context_error(context)->message);
    assert_int_equal(memmodel_network_to_json(again, NULL, &second), 0);
    assert_string_equal(first, second);
    assert_int_equal(again->tensor_count, network->tensor_count);
    for (size_t i = 0; i < network->tensor_count; i++)
        assert_memory_equal(&again->tensors[i], &network->tensors[i], sizeof network->tensors[i]);
    assert_int_equal(again->parameter_count, network->parameter_count);
    assert_int_equal(again->scope_count, network->scope_count);
    for (size_t i = 0; i < network->scope_count; i++) {
        assert_string_equal(again->scopes[i].name, network->scopes[i].name);
        assert_int_equal(again->scopes[i].first, network->scopes[i].first);
        assert_int_equal(again->scopes[i].end, network->scopes[i].end);
    }
    memmodel_free(first);
    memmodel_free(second);
    memmodel_network_unref(again);
    memmodel_network_unref(network);
}

static void
ready_made_networks_survive_writing_and_reading(void **state)
{
    struct unet3d keras = {.filters = 8, .channels_last = true, .fused_mask = true, .upsampling = true, .loss = true};
    memmodel_network *network;

    assert_int_equal(network_unet3d(*state, &keras, &network), 0);
    assert_round_trip(*state, network);
    assert_int_equal(network_unet3d(*state, &(struct unet3d){0}, &network), 0);
    assert_round_trip(*state, network);
    assert_int_equal(network_cnn50(*state, &(struct cnn50){.loss = true}, &network), 0);
    assert_round_trip(*state, network);
    assert_int_equal(network_resnet50(*state, &network), 0);
    assert_round_trip(*state, network);
    assert_int_equal(network_gpt2(*state, &(struct gpt2){.layers = 2}, &network), 0);
    assert_round_trip(*state, network);
}

/* Every kind of field, optional inputs, layers with several outputs. */
static void
every_kind_of_option_survives(void **state)
{
    memmodel_network *net;
    memmodel_dim n, half;
    memmodel_tensor x, y;
    struct memmodel_shape shapes[2] = {{.rank = 1, .dtype = MEMMODEL_DTYPE_BOOL}, {.rank = 0}};

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    n = memmodel_network_symbol(net, "n");
    half = memmodel_network_expression(net, "floor(n / 2) + 3");
    shapes[0].dims[0] = half;
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT16, 4, (memmodel_dim[]){n, 2, half, 6});
    y = memmodel_network_attention(net, x, x, x, MEMMODEL_TENSOR_NONE, MEMMODEL_ATTENTION(.dropout = 0.1, .causal = 1));
    y = memmodel_network_split(net, y, MEMMODEL_SPLIT(.parts = 2, .axis = -1, .sizes = (memmodel_dim[]){2, 4}));
    y = memmodel_network_layer_output(net, y, 1);
    memmodel_network_reduce(net, y, MEMMODEL_REDUCE(.axes = {1, -1}, .axis_count = 2, .kind = MEMMODEL_REDUCE_SUM));
    memmodel_network_reshape(net, y, 2, (memmodel_dim[]){n, MEMMODEL_DIM_INFER});
    memmodel_network_permute(net, y, 4, (int[]){3, 0, 1, 2});
    memmodel_network_slice(net, y, MEMMODEL_SLICE(.axis = 2, .start = 1, .stop = half, .step = 2));
    memmodel_network_pad(net, y, MEMMODEL_PAD(.after = {0, 0, 0, 2}, .kind = MEMMODEL_PAD_REFLECT));
    memmodel_network_custom(net, (memmodel_tensor[]){x, y}, 2,
                            MEMMODEL_CUSTOM(.name = "own", .outputs = shapes, .output_count = 2, .saved_bytes = half,
                                            .parameter_count = 77, .parameter_dtype = MEMMODEL_DTYPE_BFLOAT16));
    memmodel_network_parameter(net, "token", MEMMODEL_DTYPE_FLOAT64, 2, (memmodel_dim[]){1, 8}, 1);
    assert_round_trip(*state, net);
}

static void
scopes_releases_outputs_and_layouts_survive(void **state)
{
    memmodel_network *net;
    memmodel_tensor x, y;

    assert_int_equal(memmodel_network_new(*state, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4, (memmodel_dim[]){2, 8, 8, 8});
    memmodel_network_push_scope(net, "empty");
    memmodel_network_pop_scope(net);
    memmodel_network_push_scope(net, "a");
    memmodel_network_push_scope(net, "inside.0");
    y = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 8, .kernel = {3}));
    memmodel_network_pop_scope(net);
    memmodel_network_set_layout(net, MEMMODEL_LAYOUT_CHANNELS_LAST);
    memmodel_network_push_scope(net, "inside.0");
    memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 4, .kernel = {3}));
    memmodel_network_end_lifetime(net, y);
    memmodel_network_end_lifetime(net, x);
    memmodel_network_pop_scope(net);
    memmodel_network_push_scope(net, "also empty");
    memmodel_network_mark_output(net, y);
    memmodel_network_mark_output(net, x);
    memmodel_network_linear(net, y, MEMMODEL_LINEAR(.units = 3));
    memmodel_network_push_scope(net, "open");
    assert_round_trip(*state, net);
}

static void
a_file_is_saved_and_loaded(void **state)
{
    char path[] = "/tmp/memmodel-network-XXXXXX";
    memmodel_network *network, *again;
    int file = mkstemp(path);

    assert_true(file >= 0);
    close(file);
    assert_int_equal(network_cnn50(*state, &(struct cnn50){0}, &network), 0);
    assert_int_equal(memmodel_network_save(network, path, NULL), 0);
    assert_int_equal(memmodel_network_load(*state, path, &again), 0);
    assert_int_equal(memmodel_network_layer_count(again), memmodel_network_layer_count(network));
    memmodel_network_unref(network);
    memmodel_network_unref(again);
    unlink(path);
    assert_error(*state, memmodel_network_load(*state, path, &again), MEMMODEL_ERROR_IO, "memmodel-network-");
}

/* ---- what is wrong ---- */

#define HEAD "{\"format\": \"memmodel-network\", \"version\": 1, \"symbols\": [\"n\"],\n"
#define INPUT "{\"op\": \"input\", \"name\": \"x\", \"dims\": [\"n\", 4, 8, 8]},\n"

/* Each text is wrong in its third line, or where the row says. */
static const struct {
    const char *text;
    int status, line, column;
    const char *part;
} wrong[] = {
    {"", MEMMODEL_ERROR_PARSE, 1, 0, ""},
    {"[1, 2]", MEMMODEL_ERROR_PARSE, 1, 1, "format"},
    {"{\"format\": \"other\", \"version\": 1}", MEMMODEL_ERROR_PARSE, 1, 12, "other"},
    {"{\"format\": \"memmodel-network\", \"version\": 2}", MEMMODEL_ERROR_VERSION, 1, 43, "version 2"},
    {HEAD "\"layers\": [], \"more\": 1}", MEMMODEL_ERROR_PARSE, 2, 23, "more"},
    {HEAD "\"layers\": {}}", MEMMODEL_ERROR_PARSE, 2, 11, "array"},
    {HEAD "\"layers\": [7]}", MEMMODEL_ERROR_PARSE, 2, 12, "object"},
    {HEAD "\"layers\": [\n{\"op\": \"convolve\", \"name\": \"c\"}]}", MEMMODEL_ERROR_PARSE, 3, 8, "operator"},
    {HEAD "\"layers\": [\n{\"op\": \"input\"}]}", MEMMODEL_ERROR_PARSE, 3, 1, "name"},
    {HEAD "\"layers\": [\n{\"op\": \"input\", \"name\": \"x\", \"dims\": [\"m\"]}]}", MEMMODEL_ERROR_PARSE, 3, 39,
     "symbols"},
    {HEAD "\"layers\": [\n{\"op\": \"input\", \"name\": \"x\", \"dims\": [\"n +\"]}]}", MEMMODEL_ERROR_PARSE, 3, 39,
     ""},
    {HEAD "\"layers\": [\n{\"op\": \"input\", \"name\": \"x\", \"dims\": [-3]}]}", MEMMODEL_ERROR_PARSE, 3, 38,
     "from 0"},
    {HEAD "\"layers\": [\n{\"op\": \"input\", \"name\": \"x\", \"dims\": [1.5]}]}", MEMMODEL_ERROR_PARSE, 3, 38,
     "integers"},
    {HEAD "\"layers\": [\n{\"op\": \"input\", \"name\": \"x\", \"dims\": [null]}]}", MEMMODEL_ERROR_INVALID_ARGUMENT, 3,
     1, "given"},
    {HEAD "\"layers\": [\n{\"op\": \"input\", \"name\": \"x\", \"dims\": [1,1,1,1,1,1,1,1,1]}]}", MEMMODEL_ERROR_PARSE,
     3, 38, "up to 8"},
    {HEAD "\"layers\": [\n{\"op\": \"input\", \"name\": \"x\", \"dtype\": \"float\"}]}", MEMMODEL_ERROR_PARSE, 3, 39,
     "bfloat16"},
    {HEAD "\"layers\": [\n{\"op\": \"input\", \"name\": \"x\", \"dims\": [4294967296, 4294967296]}]}",
     MEMMODEL_ERROR_OVERFLOW, 3, 1, "63 bits"},
    {HEAD "\"layers\": [\n{\"op\": \"input\", \"name\": \"x\", \"dims\": [99999999999999999999]}]}",
     MEMMODEL_ERROR_PARSE, 3, 0, ""},
    {HEAD "\"layers\": [" INPUT "{\"op\": \"input\", \"name\": \"x\"}]}", MEMMODEL_ERROR_INVALID_ARGUMENT, 3, 1,
     "already"},
    {HEAD "\"layers\": [" INPUT
          "{\"op\": \"conv\", \"name\": \"c\", \"inputs\": [\"c\"], \"filters\": 1, \"kernel\": [1]}]}",
     MEMMODEL_ERROR_PARSE, 3, 40, "no earlier layer \"c\""},
    {HEAD "\"layers\": [" INPUT "{\"op\": \"conv\", \"name\": \"c\", \"inputs\": [[\"x\", 1]], \"filters\": 1}]}",
     MEMMODEL_ERROR_PARSE, 3, 40, "1 outputs"},
    {HEAD "\"layers\": [" INPUT
          "{\"op\": \"conv\", \"name\": \"c\", \"inputs\": [null], \"filters\": 1, \"kernel\": [1]}]}",
     MEMMODEL_ERROR_INVALID_ARGUMENT, 3, 1, "no tensor"},
    {HEAD "\"layers\": [" INPUT "{\"op\": \"conv\", \"name\": \"c\", \"inputs\": [\"x\"], \"filter\": 1}]}",
     MEMMODEL_ERROR_PARSE, 3, 56, "filter"},
    {HEAD "\"layers\": [" INPUT "{\"op\": \"conv\", \"name\": \"c\", \"inputs\": [\"x\"], \"filters\": true}]}",
     MEMMODEL_ERROR_PARSE, 3, 57, "integers"},
    {HEAD "\"layers\": [" INPUT
          "{\"op\": \"conv\", \"name\": \"c\", \"inputs\": [\"x\"], \"filters\": 1, \"kernel\": [9]}]}",
     MEMMODEL_ERROR_SHAPE, 3, 1, "at least 9"},
    {HEAD "\"layers\": [" INPUT "{\"op\": \"activation\", \"name\": \"a\", \"inputs\": [\"x\", \"x\"]}]}",
     MEMMODEL_ERROR_INVALID_ARGUMENT, 3, 1, "2 inputs, needs 1"},
    {HEAD "\"layers\": [" INPUT
          "{\"op\": \"split\", \"name\": \"s\", \"inputs\": [\"x\"], \"parts\": 2, \"sizes\": [4]}]}",
     MEMMODEL_ERROR_PARSE, 3, 68, "as many"},
    {HEAD "\"layers\": [\n{\"scope\": \"a\", \"layers\": [], \"op\": \"conv\"}]}", MEMMODEL_ERROR_PARSE, 3, 36, "op"},
    {HEAD "\"layers\": [" INPUT "{\"end_lifetime\": \"y\"}]}", MEMMODEL_ERROR_PARSE, 3, 18, "no earlier layer"},
    {HEAD "\"layers\": [],\n\"outputs\": [\"y\"]}", MEMMODEL_ERROR_PARSE, 3, 13, "no earlier layer"},
    {"{\"format\": \"memmodel-network\", \"version\": 1,\n\"layers\": [], \"symbols\": [\"a\", \"a\"]}",
     MEMMODEL_ERROR_PARSE, 2, 32, "twice"},
    {"{\"format\": \"memmodel-network\", \"version\": 1,\n\"layers\": [], \"symbols\": [\"a b\"]}",
     MEMMODEL_ERROR_INVALID_ARGUMENT, 2, 27, ""},
};

static void
what_is_wrong_is_refused_with_its_place(void **state)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const struct memmodel_error *error = memmodel_context_error(*state);
        memmodel_network *network = NULL;
        int status = memmodel_network_from_json(*state, "f.json", wrong[i].text, strlen(wrong[i].text), &network);

        if (status != wrong[i].status || error->line != wrong[i].line ||
            (wrong[i].column && error->column != wrong[i].column) || !strstr(error->message, wrong[i].part))
            fail_msg("row %zu: status %d, line %d, column %d: %s", i, status, error->line, error->column,
                     error->message);
        assert_string_equal(error->object, "f.json");
        assert_null(network);
    }
}

/* ---- hostile texts ---- */

/* `count` times `open`, then `close` as often. */
static char *
nested(const char *head, const char *open, const char *close, size_t count)
{
    size_t open_length = strlen(open), close_length = strlen(close), head_length = strlen(head);
    char *text = malloc(head_length + count * (open_length + close_length) + 1), *at = text;

    assert_non_null(text);
    memcpy(at, head, head_length);
    at += head_length;
    for (size_t i = 0; i < count; i++, at += open_length)
        memcpy(at, open, open_length);
    for (size_t i = 0; i < count; i++, at += close_length)
        memcpy(at, close, close_length);
    *at = '\0';
    return text;
}

static void
deep_nesting_is_refused(void **state)
{
    static const size_t depths[] = {201, 900, 100000};

    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        char *text = nested(HEAD "\"layers\": [", "{\"scope\": \"a\", \"layers\": [", "]}", depths[i]);
        size_t length = strlen(text);
        memmodel_network *network = NULL;
        int status;

        text = realloc(text, length + 3);
        assert_non_null(text);
        memcpy(text + length, "]}", 3);
        status = memmodel_network_from_json(*state, "deep", text, strlen(text), &network);
        assert_true(status == MEMMODEL_ERROR_INVALID_ARGUMENT || status == MEMMODEL_ERROR_PARSE);
        free(text);
    }
}

static void
enormous_counts_take_no_memory(void **state)
{
    static const char *const texts[] = {
        HEAD "\"layers\": [" INPUT "{\"op\": \"split\", \"name\": \"s\", \"inputs\": [\"x\"], \"parts\": 2147483647}]}",
        HEAD "\"layers\": [" INPUT
             "{\"op\": \"flatten\", \"name\": \"f\", \"inputs\": [\"x\"], \"first\": 2, \"last\": -1},\n"
             "{\"op\": \"recurrent\", \"name\": \"r\", \"inputs\": [\"f\"], \"hidden_size\": 1, \"layer_count\": "
             "9223372036854775807}]}",
        HEAD "\"layers\": [" INPUT "{\"op\": \"reduce\", \"name\": \"r\", \"inputs\": [\"x\"], "
             "\"axes\": [0, 1, 2, 3, 0, 1, 2, 3, 0]}]}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        memmodel_network *network = NULL;

        assert_true(memmodel_network_from_json(*state, "huge", texts[i], strlen(texts[i]), &network) < 0);
        assert_null(network);
    }
}

/* A text cut anywhere is refused, never half read. */
static void
a_cut_file_is_refused(void **state)
{
    memmodel_network *network;
    char *text;

    assert_int_equal(network_cnn50(*state, &(struct cnn50){0}, &network), 0);
    assert_int_equal(memmodel_network_to_json(network, NULL, &text), 0);
    memmodel_network_unref(network);
    for (size_t length = 0; length + 2 < strlen(text); length += 7)
        assert_int_equal(memmodel_network_from_json(*state, "cut", text, length, &network), MEMMODEL_ERROR_PARSE);
    memmodel_free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(ready_made_networks_survive_writing_and_reading),
        WITH_CONTEXT(every_kind_of_option_survives),
        WITH_CONTEXT(scopes_releases_outputs_and_layouts_survive),
        WITH_CONTEXT(a_file_is_saved_and_loaded),
        WITH_CONTEXT(what_is_wrong_is_refused_with_its_place),
        WITH_CONTEXT(deep_nesting_is_refused),
        WITH_CONTEXT(enormous_counts_take_no_memory),
        WITH_CONTEXT(a_cut_file_is_refused),
    };

    return cmocka_run_group_tests_name("network JSON", tests, NULL, NULL);
}
