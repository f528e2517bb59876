/* memmodel/model.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/model.h"
#include "memmodel/model.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_fit_progress)
        + (int)sizeof(struct memmodel_fit_options)
        + (int)sizeof(struct memmodel_prediction)
        + (int)sizeof(struct memmodel_model_scores)
        + (int)sizeof(struct memmodel_front_entry)
        + (int)sizeof(MEMMODEL_FIT_LOSS_DEFAULT)
        + (int)sizeof(MEMMODEL_FIT_SEARCH_TERMS)
        + (int)sizeof(MEMMODEL_BASIS_POSYNOMIAL)
        + (int)sizeof(MEMMODEL_BOUND_LARGER)
        + (int)sizeof(MEMMODEL_EXPORT_TEXT)
        + (int)sizeof(&memmodel_fit)
        + (int)sizeof(&memmodel_model_evaluate)
        + (int)sizeof(&memmodel_model_evaluate_many)
        + (int)sizeof(&memmodel_model_evaluate_rows)
        + (int)sizeof(&memmodel_model_predict)
        + (int)sizeof(&memmodel_model_predict_by)
        + (int)sizeof(&memmodel_model_predict_many)
        + (int)sizeof(&memmodel_model_solve)
        + (int)sizeof(&memmodel_model_input_count)
        + (int)sizeof(&memmodel_model_input_name)
        + (int)sizeof(&memmodel_model_input_symbol)
        + (int)sizeof(&memmodel_model_target)
        + (int)sizeof(&memmodel_model_domain)
        + (int)sizeof(&memmodel_model_limits)
        + (int)sizeof(&memmodel_model_front_count)
        + (int)sizeof(&memmodel_model_front_entry)
        + (int)sizeof(&memmodel_model_front_formula)
        + (int)sizeof(&memmodel_model_scores)
        + (int)sizeof(&memmodel_model_formula)
        + (int)sizeof(&memmodel_model_export)
        + (int)sizeof(&memmodel_model_save)
        + (int)sizeof(&memmodel_model_to_json)
        + (int)sizeof(&memmodel_model_load)
        + (int)sizeof(&memmodel_model_from_json)
        + (int)sizeof(&memmodel_model_ref)
        + (int)sizeof(&memmodel_model_unref)
};
