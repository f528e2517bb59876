/* memmodel/onnx.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/onnx.h"
#include "memmodel/onnx.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_onnx_options)
        + (int)sizeof(&memmodel_network_load_onnx)
        + (int)sizeof(&memmodel_network_from_onnx)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_onnx_options of_memmodel_onnx_options{};
    of_memmodel_onnx_options.size = sizeof of_memmodel_onnx_options;
    return of_memmodel_onnx_options.size;
}
#endif
