/* memmodel.h alone, twice, in C11, C++11 and C++17. */
/* clang-format off */
#include "memmodel.h"
#include "memmodel.h"

enum {
    USED = 0
};
