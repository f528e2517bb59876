/* Searches: how their answers are known. */
#ifndef MEMMODEL_SEARCH_H
#define MEMMODEL_SEARCH_H

#include "memmodel/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is known of the answer of a search. @since 0.1 */
enum memmodel_search_status {
    MEMMODEL_SEARCH_STATUS_NONE = 0,       /**< nothing was searched for yet */
    MEMMODEL_SEARCH_STATUS_OPTIMAL = 1,    /**< no answer is better: proven */
    MEMMODEL_SEARCH_STATUS_CONVERGED = 2,  /**< nothing near it is better */
    MEMMODEL_SEARCH_STATUS_FEASIBLE = 3,   /**< it is within the budget */
    MEMMODEL_SEARCH_STATUS_LIMIT = 4,      /**< the best that was found within the limits */
    MEMMODEL_SEARCH_STATUS_CANCELLED = 5,  /**< the best that was found before the call was cancelled */
    MEMMODEL_SEARCH_STATUS_INFEASIBLE = 6, /**< no answer is within the budget; this one is the best that was found */
};

/**
 * Name of a status, such as "optimal".
 *
 * @param[in] status  enum memmodel_search_status
 * @returns a static string; NULL if there is no such status. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_search_status_name(int status);

#ifdef __cplusplus
}
#endif

#endif
