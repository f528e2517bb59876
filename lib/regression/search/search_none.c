/* What a library without the search of formulas gets. */
#include "regression/search/trees.h"

int
trees_search(struct comparison *comparison, const struct memmodel_fit_options *options)
{
    (void)options;
    return context_error(comparison->table->context, MEMMODEL_ERROR_UNSUPPORTED, NULL,
                         "this library was built without the search of formulas (meson's option regression_search)");
}
