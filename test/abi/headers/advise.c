/* memmodel/advise.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/advise.h"
#include "memmodel/advise.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_advise_options)
        + (int)sizeof(&memmodel_advise)
};
