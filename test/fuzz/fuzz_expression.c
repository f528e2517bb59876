/*
 * Any text given as the expression of a dimension is refused with a reason, or is a dimension that a network can have.
 */
#include "fuzz.h"

static void
check_dimension(memmodel_context *context, memmodel_network *network, memmodel_dim dim)
{
    char *text;

    memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 1, &dim);
    if (!memmodel_network_to_json(network, NULL, &text))
        memmodel_free(text);
    else
        expect_explained(context, memmodel_network_status(network));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memmodel_context *context;
    memmodel_network *network;
    memmodel_dim dim;
    char text[4096];

    if (size >= sizeof text || memmodel_context_new(NULL, &context))
        return 0;
    if (memmodel_network_new(context, &network))
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    dim = memmodel_network_expression(network, text);
    if (dim == 0)
        expect_explained(context, memmodel_context_error(context)->status);
    check_dimension(context, network, dim);
    memmodel_network_unref(network);
    memmodel_context_unref(context);
    return 0;
}
