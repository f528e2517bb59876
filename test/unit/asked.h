/* What models are asked in tests. */
#ifndef TEST_ASKED_H
#define TEST_ASKED_H

#include "memmodel.h"

#define by_method(method_, level_)                                                                                     \
    (&(struct memmodel_predict_options){                                                                               \
        .size = sizeof(struct memmodel_predict_options), .level = (level_), .method = (method_)})

#define at_level(level_) by_method(MEMMODEL_BOUND_METHOD_DEFAULT, level_)

/* All zero if there is no such input. */
static inline struct memmodel_model_input
input_of(const memmodel_model *model, size_t index)
{
    struct memmodel_model_input input = {.size = sizeof input};

    memmodel_model_get_input(model, index, &input);
    return input;
}

/* NULL if there is no such entry. */
static inline const char *
front_formula(const memmodel_model *model, size_t index)
{
    struct memmodel_model_front_entry entry = {.size = sizeof entry};

    memmodel_model_get_front_entry(model, index, &entry);
    return entry.formula;
}

#endif
