/* memmodel/report.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/report.h"
#include "memmodel/report.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_peak)
        + (int)sizeof(struct memmodel_report_layer)
        + (int)sizeof(struct memmodel_change)
        + (int)sizeof(&memmodel_estimate)
        + (int)sizeof(&memmodel_report_what_if)
        + (int)sizeof(&memmodel_report_change_count)
        + (int)sizeof(&memmodel_report_change)
        + (int)sizeof(&memmodel_report_measure)
        + (int)sizeof(&memmodel_solve)
        + (int)sizeof(&memmodel_scan)
        + (int)sizeof(&memmodel_report_peak)
        + (int)sizeof(&memmodel_report_step_count)
        + (int)sizeof(&memmodel_report_step_peak)
        + (int)sizeof(&memmodel_report_category)
        + (int)sizeof(&memmodel_report_layer_count)
        + (int)sizeof(&memmodel_report_layer)
        + (int)sizeof(&memmodel_report_total)
        + (int)sizeof(&memmodel_report_formula_count)
        + (int)sizeof(&memmodel_report_formula_name)
        + (int)sizeof(&memmodel_report_formula)
        + (int)sizeof(&memmodel_report_assumptions)
        + (int)sizeof(&memmodel_report_unmodelled)
        + (int)sizeof(&memmodel_report_verified)
        + (int)sizeof(&memmodel_report_moment)
        + (int)sizeof(&memmodel_report_trace)
        + (int)sizeof(&memmodel_report_to_json)
        + (int)sizeof(&memmodel_report_to_html)
        + (int)sizeof(&memmodel_report_ref)
        + (int)sizeof(&memmodel_report_unref)
};
