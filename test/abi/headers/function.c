/* memmodel/function.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/function.h"
#include "memmodel/function.h"

enum {
    USED = 0
        + (int)sizeof(&memmodel_function_new)
        + (int)sizeof(&memmodel_function_pointer)
        + (int)sizeof(&memmodel_function_ref)
        + (int)sizeof(&memmodel_function_unref)
};
