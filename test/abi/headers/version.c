/* memmodel/version.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/version.h"
#include "memmodel/version.h"

enum {
    USED = 0
        + (int)sizeof(&memmodel_version)
};
