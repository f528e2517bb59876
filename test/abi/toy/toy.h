/* What only the library sees, in a header that has the name of the public one. */
#include "include/toy.h"

struct toy_mark {
    int kind;
};

struct toy {
    struct toy_options options;
    struct toy_mark *mark;
    int kind;
};
