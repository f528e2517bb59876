/* The layers of MobileNetV2: mobilenet --batch 32 --dim 224 */
#include "example.h"

int
main(int argc, char **argv)
{
    return example_classifier(argc, argv, network_mobilenet);
}
