/* What sized_table.h, made from the API's description, is written in. */
#ifndef TEST_SIZED_H
#define TEST_SIZED_H

#include "fixture.h"

#include <stdbool.h>

struct field {
    const char *name;
    size_t offset, size;
    int is_choice; /* an int32_t that stands for one of several */
};

/* A function that takes a struct which begins with its size, and that struct. */
struct call {
    const char *name;
    int64_t (*run)(struct fixture *f, void *s);
    size_t size, alignment;
    const struct field *fields; /* without the first, `size` */
    size_t field_count;
    bool says; /* what is wrong, on a context */
};

#define FIELD(type, member, is_choice)                                                                                 \
    {                                                                                                                  \
#member, offsetof(struct type, member), sizeof(((struct type *)0)->member), is_choice                          \
    }
#define CALL(function, type, says)                                                                                     \
    {                                                                                                                  \
#function, call_##function, sizeof(struct type), _Alignof(struct type), fields_##type,                         \
            sizeof fields_##type / sizeof fields_##type[0], says                                                       \
    }

#endif
