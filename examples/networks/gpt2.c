/* The layers of a GPT-2 style decoder: gpt2 --layers 24 --width 1024 --heads 16 */
#include "example.h"

int
main(int argc, char **argv)
{
    struct gpt2 gpt = {0};
    int64_t batch = 1, length = 1024, layers = 12;
    const char *path = NULL;
    const struct example_option options[] = {
        {"--vocabulary", "tokens, default 50257", .number = &gpt.vocabulary},
        {"--positions", "longest sequence, default 1024", .number = &gpt.positions},
        {"--width", "of the hidden states, default 768", .number = &gpt.width},
        {"--heads", "of the attention, default 12", .number = &gpt.heads},
        {"--layers", "blocks, default 12", .number = &layers},
        {"--batch", "sequences, default 1", .number = &batch},
        {"--length", "tokens of a sequence, default 1024", .number = &length},
        {"-o", "save the network as JSON", .text = &path},
    };
    struct memmodel_symbol_value symbols[2] = {{.name = "batch"}, {.name = "length"}};
    memmodel_context *context;
    memmodel_network *network = NULL;
    int status;

    if (!example_read_options(options, sizeof options / sizeof options[0], argc, argv))
        return 2;
    if (memmodel_context_new(NULL, &context))
        return 1;
    gpt.layers = (int)layers;
    symbols[0].value = batch;
    symbols[1].value = length;
    status = network_gpt2(context, &gpt, &network);
    return example_show(context, status, network, path, symbols, 2);
}
