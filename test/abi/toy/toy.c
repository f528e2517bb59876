#include "toy.h"

#include <stdlib.h>

toy *
toy_new(const struct toy_options *options, int kind)
{
    toy *new = malloc(sizeof *new);

    if (new)
        *new = (toy){.options = *options, .kind = kind};
    return new;
}

int64_t
toy_area(const toy *toy)
{
    int64_t box = toy->options.width * toy->options.height;

    return toy->kind == TOY_ROUND ? box * 11 / 14 : box;
}

void
toy_free(toy *toy)
{
    free(toy);
}
