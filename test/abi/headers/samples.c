/* memmodel/samples.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/samples.h"
#include "memmodel/samples.h"

enum {
    USED = 0
        + (int)sizeof(&memmodel_samples_new)
        + (int)sizeof(&memmodel_samples_load)
        + (int)sizeof(&memmodel_samples_from_csv)
        + (int)sizeof(&memmodel_samples_save)
        + (int)sizeof(&memmodel_samples_append_to_file)
        + (int)sizeof(&memmodel_samples_add_row)
        + (int)sizeof(&memmodel_samples_filter)
        + (int)sizeof(&memmodel_samples_select)
        + (int)sizeof(&memmodel_samples_split)
        + (int)sizeof(&memmodel_samples_row_count)
        + (int)sizeof(&memmodel_samples_column_count)
        + (int)sizeof(&memmodel_samples_column_name)
        + (int)sizeof(&memmodel_samples_column)
        + (int)sizeof(&memmodel_samples_unit)
        + (int)sizeof(&memmodel_samples_text)
        + (int)sizeof(&memmodel_samples_ref)
        + (int)sizeof(&memmodel_samples_unref)
};
