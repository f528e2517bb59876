/* The layers of a 3D U-Net: unet3d --filters 16 --dim 144 --batch 8 -o unet3d.json */
#include "example.h"

int
main(int argc, char **argv)
{
    struct unet3d unet = {0};
    int64_t depth = 4, batch = 1, dim = 144;
    const char *path = NULL;
    const struct example_option options[] = {
        {"--filters", "of the first level, default 16", .number = &unet.filters},
        {"--depth", "number of poolings, default 4", .number = &depth},
        {"--channels", "of the input, default 1", .number = &unet.channels},
        {"--classes", "of the mask, default 1", .number = &unet.classes},
        {"--batch", "images, default 1", .number = &batch},
        {"--dim", "voxels along an edge, default 144", .number = &dim},
        {"--no-batch-norm", "leave out the normalisations", .flag = &unet.no_batch_norm},
        {"--upsampling", "decoder by upsampling instead of transposed convolution", .flag = &unet.upsampling},
        {"--channels-last", "as Keras", .flag = &unet.channels_last},
        {"--fused-mask", "count the sigmoid with its convolution", .flag = &unet.fused_mask},
        {"--loss", "with binary cross entropy", .flag = &unet.loss},
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
    unet.depth = (int)depth;
    symbols[0].value = batch;
    symbols[1].value = dim;
    status = network_unet3d(context, &unet, &network);
    return example_show(context, status, network, path, symbols, 2);
}
