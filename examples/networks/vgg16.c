/* The layers of VGG-16: vgg16 --batch 32 --dim 224 */
#include "example.h"

int
main(int argc, char **argv)
{
    int64_t batch = 1, dim = 224;
    const char *path = NULL;
    const struct example_option options[] = {
        {"--batch", "images, default 1", .number = &batch},
        {"--dim", "pixels along an edge, default 224", .number = &dim},
        {"-o", "save the network as JSON", .text = &path},
    };
    struct memmodel_symbol_value symbols[2] = {{.name = "batch"}, {.name = "dim"}};
    memmodel_context *context;
    memmodel_network *network = NULL;
    int status;

    if (!example_read_options(options, sizeof options / sizeof options[0], argc, argv))
        return 2;
    if (memmodel_context_new(NULL, &context))
        return 1;
    symbols[0].value = batch;
    symbols[1].value = dim;
    status = network_vgg16(context, &network);
    return example_show(context, status, network, path, symbols, 2);
}
