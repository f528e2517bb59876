/* memmodel/report.h alone, twice, in C11, C++11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/report.h"
#include "memmodel/report.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_report_result)
        + (int)sizeof(struct memmodel_report_unmodelled)
        + (int)sizeof(struct memmodel_report_layer)
        + (int)sizeof(struct memmodel_report_change)
        + (int)sizeof(&memmodel_estimate)
        + (int)sizeof(&memmodel_estimate_what_if)
        + (int)sizeof(&memmodel_report_change_count)
        + (int)sizeof(&memmodel_report_get_change)
        + (int)sizeof(&memmodel_estimate_max)
        + (int)sizeof(&memmodel_estimate_many)
        + (int)sizeof(&memmodel_report_get_result)
        + (int)sizeof(&memmodel_report_unmodelled_count)
        + (int)sizeof(&memmodel_report_get_unmodelled)
        + (int)sizeof(&memmodel_report_step_peak)
        + (int)sizeof(&memmodel_report_category_bytes)
        + (int)sizeof(&memmodel_report_layer_count)
        + (int)sizeof(&memmodel_report_get_layer)
        + (int)sizeof(&memmodel_report_get_total)
        + (int)sizeof(&memmodel_report_formula_count)
        + (int)sizeof(&memmodel_report_formula_name)
        + (int)sizeof(&memmodel_report_formula)
        + (int)sizeof(&memmodel_report_trace)
        + (int)sizeof(&memmodel_report_to_json)
        + (int)sizeof(&memmodel_report_to_html)
        + (int)sizeof(&memmodel_report_ref)
        + (int)sizeof(&memmodel_report_unref)
};

#ifdef __cplusplus
size_t sizes();

size_t
sizes()
{
    memmodel_report_result of_memmodel_report_result{};
    of_memmodel_report_result.size = sizeof of_memmodel_report_result;
    memmodel_report_unmodelled of_memmodel_report_unmodelled{};
    of_memmodel_report_unmodelled.size = sizeof of_memmodel_report_unmodelled;
    memmodel_report_layer of_memmodel_report_layer{};
    of_memmodel_report_layer.size = sizeof of_memmodel_report_layer;
    memmodel_report_change of_memmodel_report_change{};
    of_memmodel_report_change.size = sizeof of_memmodel_report_change;
    return of_memmodel_report_result.size + of_memmodel_report_unmodelled.size + of_memmodel_report_layer.size + of_memmodel_report_change.size;
}
#endif
