/* memmodel/budget.h alone, twice, in C11 and C++17. Written by ./run generate. */
/* clang-format off */
#include "memmodel/budget.h"
#include "memmodel/budget.h"

enum {
    USED = 0
        + (int)sizeof(struct memmodel_budget_step)
        + (int)sizeof(struct memmodel_budget_result)
        + (int)sizeof(MEMMODEL_BUDGET_APART)
        + (int)sizeof(&memmodel_budget_means_name)
        + (int)sizeof(&memmodel_budget_new)
        + (int)sizeof(&memmodel_budget_result)
        + (int)sizeof(&memmodel_budget_step_count)
        + (int)sizeof(&memmodel_budget_step)
        + (int)sizeof(&memmodel_budget_text)
        + (int)sizeof(&memmodel_budget_ref)
        + (int)sizeof(&memmodel_budget_unref)
};
