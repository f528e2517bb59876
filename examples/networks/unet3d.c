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
        {"--box", "symbols height, width and depth in place of dim", .flag = &unet.box},
        {"--no-batch-norm", "leave out the normalisations", .flag = &unet.no_batch_norm},
        {"--upsampling", "decoder by upsampling instead of transposed convolution", .flag = &unet.upsampling},
        {"--channels-last", "as Keras", .flag = &unet.channels_last},
        {"--fused-mask", "count the sigmoid with its convolution", .flag = &unet.fused_mask},
        {"--loss", "with binary cross entropy", .flag = &unet.loss},
        {"-o", "save the network as JSON", .text = &path},
    };
    struct memmodel_symbol_value symbols[4] = {{.name = "batch"}, {.name = "dim"}};
    static const char *const edges[] = {"height", "width", "depth"};
    memmodel_context *context;
    size_t count;
    memmodel_network *network = NULL;
    int status;

    if (!example_read_options(options, sizeof options / sizeof options[0], argc, argv))
        return 2;
    if (memmodel_context_new(NULL, &context))
        return 1;
    unet.depth = (int)depth;
    count = unet.box ? 4 : 2;
    symbols[0].value = batch;
    for (size_t i = 1; i < count; i++)
        symbols[i] = (struct memmodel_symbol_value){.name = unet.box ? edges[i - 1] : "dim", .value = dim};
    status = network_unet3d(context, &unet, &network);
    return example_show(context, status, network, path, symbols, count);
}
