/* A library of one struct, one enum, one opaque object and three functions, for test_dump.py to break. */
#include <stddef.h>
#include <stdint.h>

#define TOY_API __attribute__((visibility("default")))

enum toy_kind {
    TOY_SQUARE = 0,
    TOY_ROUND = 1,
};

typedef struct toy toy;

struct toy_options {
    size_t size;
    int64_t width;
    int32_t height;
    int32_t kind; /* enum toy_kind */
};

TOY_API toy *
toy_new(const struct toy_options *options, int kind);

TOY_API int64_t
toy_area(const toy *toy);

TOY_API void
toy_free(toy *toy);
