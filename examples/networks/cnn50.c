/* The layers of a small image classifier: cnn50 --batch 64 */
#include "example.h"

int
main(int argc, char **argv)
{
    struct cnn50 cnn = {0};
    int64_t batch = 64;
    const char *path = NULL;
    const struct example_option options[] = {
        {"--batch", "images, default 64", .number = &batch},
        {"--separate", "activations as layers of their own", .flag = &cnn.separate_activations},
        {"--loss", "with cross entropy", .flag = &cnn.loss},
        {"-o", "save the network as JSON", .text = &path},
    };
    struct memmodel_symbol_value symbols[1] = {{.name = "batch"}};
    memmodel_context *context;
    memmodel_network *network = NULL;
    int status;

    if (!example_read_options(options, sizeof options / sizeof options[0], argc, argv))
        return 2;
    if (memmodel_context_new(NULL, &context))
        return 1;
    symbols[0].value = batch;
    status = network_cnn50(context, &cnn, &network);
    return example_show(context, status, network, path, symbols, 1);
}
