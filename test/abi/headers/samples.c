/* memmodel/samples.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/samples.h"
#include "memmodel/samples.h"

enum {
    USED = 0
        + (int)sizeof(&memmodel_samples_new)
        + (int)sizeof(&memmodel_samples_read)
        + (int)sizeof(&memmodel_samples_parse)
        + (int)sizeof(&memmodel_samples_write)
        + (int)sizeof(&memmodel_samples_append)
        + (int)sizeof(&memmodel_samples_add)
        + (int)sizeof(&memmodel_samples_filter)
        + (int)sizeof(&memmodel_samples_select)
        + (int)sizeof(&memmodel_samples_shuffle)
        + (int)sizeof(&memmodel_samples_row_count)
        + (int)sizeof(&memmodel_samples_column_count)
        + (int)sizeof(&memmodel_samples_column_name)
        + (int)sizeof(&memmodel_samples_column)
        + (int)sizeof(&memmodel_samples_unit)
        + (int)sizeof(&memmodel_samples_text)
        + (int)sizeof(&memmodel_samples_context)
        + (int)sizeof(&memmodel_samples_ref)
        + (int)sizeof(&memmodel_samples_unref)
};
