/* memmodel/model.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/model.h"
#include "memmodel/model.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_fit_options)
        + (int)sizeof(struct memmodel_predict_options)
        + (int)sizeof(struct memmodel_prediction)
        + (int)sizeof(struct memmodel_model_input)
        + (int)sizeof(struct memmodel_model_scores)
        + (int)sizeof(struct memmodel_model_front_entry)
        + (int)sizeof(MEMMODEL_FIT_SELECTION_DEFAULT)
        + (int)sizeof(MEMMODEL_FIT_LOSS_DEFAULT)
        + (int)sizeof(MEMMODEL_FIT_SEARCH_NONE)
        + (int)sizeof(MEMMODEL_FIT_BASIS_POSYNOMIAL)
        + (int)sizeof(MEMMODEL_BOUND_METHOD_DEFAULT)
        + (int)sizeof(&memmodel_fit_loss_name)
        + (int)sizeof(&memmodel_bound_method_name)
        + (int)sizeof(&memmodel_fit)
        + (int)sizeof(&memmodel_model_evaluate)
        + (int)sizeof(&memmodel_model_evaluate_many)
        + (int)sizeof(&memmodel_model_check_points)
        + (int)sizeof(&memmodel_model_predict)
        + (int)sizeof(&memmodel_model_predict_many)
        + (int)sizeof(&memmodel_model_predict_max)
        + (int)sizeof(&memmodel_model_input_count)
        + (int)sizeof(&memmodel_model_get_input)
        + (int)sizeof(&memmodel_model_target)
        + (int)sizeof(&memmodel_model_unit)
        + (int)sizeof(&memmodel_model_unit_bytes)
        + (int)sizeof(&memmodel_model_output_range)
        + (int)sizeof(&memmodel_model_front_count)
        + (int)sizeof(&memmodel_model_get_front_entry)
        + (int)sizeof(&memmodel_model_get_scores)
        + (int)sizeof(&memmodel_model_formula)
        + (int)sizeof(&memmodel_model_to_code)
        + (int)sizeof(&memmodel_model_save)
        + (int)sizeof(&memmodel_model_to_json)
        + (int)sizeof(&memmodel_model_load)
        + (int)sizeof(&memmodel_model_from_json)
        + (int)sizeof(&memmodel_model_ref)
        + (int)sizeof(&memmodel_model_unref)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_fit_options of_memmodel_fit_options{};
    of_memmodel_fit_options.size = sizeof of_memmodel_fit_options;
    memmodel_predict_options of_memmodel_predict_options{};
    of_memmodel_predict_options.size = sizeof of_memmodel_predict_options;
    memmodel_prediction of_memmodel_prediction{};
    of_memmodel_prediction.size = sizeof of_memmodel_prediction;
    memmodel_model_input of_memmodel_model_input{};
    of_memmodel_model_input.size = sizeof of_memmodel_model_input;
    memmodel_model_scores of_memmodel_model_scores{};
    of_memmodel_model_scores.size = sizeof of_memmodel_model_scores;
    memmodel_model_front_entry of_memmodel_model_front_entry{};
    of_memmodel_model_front_entry.size = sizeof of_memmodel_model_front_entry;
    return of_memmodel_fit_options.size + of_memmodel_predict_options.size + of_memmodel_prediction.size + of_memmodel_model_input.size + of_memmodel_model_scores.size + of_memmodel_model_front_entry.size;
}
#endif
