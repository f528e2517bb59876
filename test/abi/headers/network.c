/* memmodel/network.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/network.h"
#include "memmodel/network.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_shape)
        + (int)sizeof(MEMMODEL_DTYPE_DEFAULT)
        + (int)sizeof(MEMMODEL_LAYOUT_DEFAULT)
        + (int)sizeof(MEMMODEL_CHECKPOINT_NONE)
        + (int)sizeof(&memmodel_dtype_name)
        + (int)sizeof(&memmodel_network_new)
        + (int)sizeof(&memmodel_network_ref)
        + (int)sizeof(&memmodel_network_unref)
        + (int)sizeof(&memmodel_network_status)
        + (int)sizeof(&memmodel_network_clear_error)
        + (int)sizeof(&memmodel_network_set_layout)
        + (int)sizeof(&memmodel_network_symbol)
        + (int)sizeof(&memmodel_network_expression)
        + (int)sizeof(&memmodel_network_dim_to_text)
        + (int)sizeof(&memmodel_network_push_scope)
        + (int)sizeof(&memmodel_network_pop_scope)
        + (int)sizeof(&memmodel_network_checkpoint_scope)
        + (int)sizeof(&memmodel_network_end_lifetime)
        + (int)sizeof(&memmodel_network_mark_output)
        + (int)sizeof(&memmodel_network_layer_output)
        + (int)sizeof(&memmodel_network_get_shape)
        + (int)sizeof(&memmodel_network_layer_count)
        + (int)sizeof(&memmodel_network_symbol_count)
        + (int)sizeof(&memmodel_network_symbol_name)
        + (int)sizeof(&memmodel_network_to_json)
        + (int)sizeof(&memmodel_network_from_json)
        + (int)sizeof(&memmodel_network_save)
        + (int)sizeof(&memmodel_network_load)
};
