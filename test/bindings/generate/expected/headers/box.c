/* memmodel/box.h alone, twice, in C11, C++11 and C++17. */
/* clang-format off */
#include "memmodel/box.h"
#include "memmodel/box.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_box_options)
        + (int)sizeof(MEMMODEL_OK)
        + (int)sizeof(MEMMODEL_LID_FLAT)
        + (int)sizeof(&memmodel_box_new)
        + (int)sizeof(&memmodel_box_fill)
        + (int)sizeof(&memmodel_box_each)
        + (int)sizeof(&memmodel_box_name)
        + (int)sizeof(&memmodel_box_ref)
        + (int)sizeof(&memmodel_box_unref)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_box_options of_memmodel_box_options{};
    of_memmodel_box_options.size = sizeof of_memmodel_box_options;
    return of_memmodel_box_options.size;
}
#endif
