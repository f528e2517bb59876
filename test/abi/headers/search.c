/* memmodel/search.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/search.h"
#include "memmodel/search.h"

enum {
    USED = 0
        + (int)sizeof(MEMMODEL_SEARCH_STATUS_NONE)
        + (int)sizeof(&memmodel_search_status_name)
};
