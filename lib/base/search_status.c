/* Names of enum memmodel_search_status. */
#include "memmodel/search.h"

#include <stddef.h>

const char *
memmodel_search_status_name(int status)
{
    static const char *const names[] = {
        [MEMMODEL_SEARCH_STATUS_NONE] = "none",
        [MEMMODEL_SEARCH_STATUS_OPTIMAL] = "optimal",
        [MEMMODEL_SEARCH_STATUS_CONVERGED] = "converged",
        [MEMMODEL_SEARCH_STATUS_FEASIBLE] = "feasible",
        [MEMMODEL_SEARCH_STATUS_LIMIT] = "limit",
        [MEMMODEL_SEARCH_STATUS_CANCELLED] = "cancelled",
        [MEMMODEL_SEARCH_STATUS_INFEASIBLE] = "infeasible",
    };

    return status >= 0 && status < (int)(sizeof names / sizeof names[0]) ? names[status] : NULL;
}
