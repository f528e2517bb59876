/* What a library without the search of formulas gets. */
#include "regression/search/trees.h"

int
trees_check(memmodel_context *context, const struct memmodel_fit_options *options)
{
    if (options->search == MEMMODEL_FIT_SEARCH_NONE && options->forbidden_count == 0)
        return 0;
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, NULL,
                         "this library was built without the search of formulas (meson's option regression_search)");
}

int
trees_search(struct comparison *comparison, const struct memmodel_fit_options *options)
{
    return trees_check(comparison->table->context, options);
}
