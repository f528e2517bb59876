/* The options of `memmodel fit`. */
#include "fit_options.h"

#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(struct fit_options, name)

const struct option fit_option_rows[] = {
    {"target", 0, OPTION_TEXT, "COLUMN", "what to predict; the last numeric column unless given", FIELD(target)},
    {"inputs", 0, OPTION_TEXT, "A,B,...", "columns to predict it from; all other numeric ones unless given",
     FIELD(inputs)},
    COLUMNS_OPTION(FIELD(columns)),
    {"filter", 0, OPTION_LIST, "COLUMN=VALUE", "only the rows that read so, such as status=ok; may be repeated",
     FIELD(filters)},
    {"capacity", 0, OPTION_TEXT, "BYTES",
     "what runs that ended for lack of memory had, such as 16GiB: they needed more; what each reached unless given",
     FIELD(capacity)},
    {"weight", 0, OPTION_TEXT, "COLUMN", "how much each row counts", FIELD(weight)},
    {"term", 0, OPTION_LIST, "FORMULA", "a term to offer, such as 'batch*dim^3'; may be repeated", FIELD(terms)},
    {"network", 0, OPTION_TEXT, "FILE", "offer the bytes of this network's layer outputs as a term", FIELD(network)},
    {"loss", 0, OPTION_TEXT, "NAME",
     "relative errors (the default; the target is positive, and so is every term), or squared: any sign; or mape, "
     "log-ratio, absolute, pinball",
     FIELD(loss)},
    {"quantile", 0, OPTION_NUMBER, "Q", "of --loss pinball; 0.95 unless given", FIELD(quantile)},
    {"basis", 0, OPTION_TEXT, "NAME",
     "posynomial (the default of relative errors), general (of squared ones), or user: only the --term formulas",
     FIELD(basis)},
    {"max-terms", 0, OPTION_INTEGER, "N", "at most so many terms besides the constant, 1 to 8; of any sign 1 to 31",
     FIELD(max_terms)},
    {"max-exponent", 0, OPTION_NUMBER, "E", "no greater power of an input", FIELD(max_exponent)},
    {"integer-exponents", 0, OPTION_FLAG, NULL, "whole powers only, no logarithms", FIELD(integer_exponents)},
    {"increasing", 0, OPTION_TEXT, "A,B,...", "inputs with which the formula never falls", FIELD(increasing)},
    {"decreasing", 0, OPTION_TEXT, "A,B,...", "inputs with which it never rises", FIELD(decreasing)},
    {"non-negative", 0, OPTION_FLAG, NULL, "only formulas that are nowhere negative between the samples",
     FIELD(non_negative)},
    {"unit", 0, OPTION_LIST, "COLUMN=UNIT", "such as peak=B or speed=m/s: no sums of unlike things; may be repeated",
     FIELD(units)},
    {"change-points", 0, OPTION_INTEGER, "N", "1: at one value of one input the formula may change",
     FIELD(change_points)},
    {"selection", 0, OPTION_TEXT, "RULE",
     "which formula is taken: one-standard-error (the default of positive terms) or description-length (of others)",
     FIELD(selection)},
    {"search", 0, OPTION_FLAG, NULL, "try formulas of any shape, too", FIELD(search)},
    {"seed", 0, OPTION_INTEGER, "N", "of the search: the same seed, the same formula", FIELD(seed)},
    {"max-evaluations", 0, OPTION_INTEGER, "N", "formulas that a search may try", FIELD(max_evaluations)},
    {"threads", 0, OPTION_INTEGER, "N", "threads of a search; the formula does not depend on it", FIELD(threads)},
    {"front", 0, OPTION_FLAG, NULL, "list the best formula of each size", FIELD(front)},
    {"output", 'o', OPTION_TEXT, "MODEL", "file to write the model to", FIELD(output)},
    {"json", 'j', OPTION_FLAG, NULL, "print the model as JSON", FIELD(json)},
    {0},
};

/* ---- names ---- */

/* An option that is one of some names, in the order of the library's numbers for them. */
struct choice {
    const char *option, *may_be;
    const char *names[8];
};

static const struct choice basis = {"basis",
                                    "posynomial, general or user",
                                    {[MEMMODEL_FIT_BASIS_POSYNOMIAL] = "posynomial",
                                     [MEMMODEL_FIT_BASIS_USER] = "user",
                                     [MEMMODEL_FIT_BASIS_GENERAL] = "general"}};
static const struct choice loss = {"loss",
                                   "relative, squared, mape, log-ratio, absolute or pinball",
                                   {[MEMMODEL_FIT_LOSS_DEFAULT] = "default",
                                    [MEMMODEL_FIT_LOSS_RELATIVE] = "relative",
                                    [MEMMODEL_FIT_LOSS_SQUARED] = "squared",
                                    [MEMMODEL_FIT_LOSS_MAPE] = "mape",
                                    [MEMMODEL_FIT_LOSS_LOG_RATIO] = "log-ratio",
                                    [MEMMODEL_FIT_LOSS_ABSOLUTE] = "absolute",
                                    [MEMMODEL_FIT_LOSS_PINBALL] = "pinball"}};
static const struct choice selection = {"selection",
                                        "one-standard-error or description-length",
                                        {[MEMMODEL_FIT_SELECTION_DEFAULT] = "default",
                                         [MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR] = "one-standard-error",
                                         [MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH] = "description-length"}};

/* The number of the name; 0 of none. */
static int
choose(const struct command *command, const struct choice *choice, const char *name, int32_t *number)
{
    for (*number = 0; choice->names[*number]; ++*number)
        if (!name || strcmp(name, choice->names[*number]) == 0)
            return EXIT_OK;
    return usage_error(command, "--%s is %s, not '%s'", choice->option, choice->may_be, name);
}

/* ---- the request ---- */

/* What does not fit in 32 bits is refused by the library, as -1. */
static int32_t
narrow(int64_t number)
{
    return number > INT32_MAX || number < 0 ? -1 : (int32_t)number;
}

static int
read_capacity(const struct command *command, const char *text, double *capacity)
{
    char message[MESSAGE_BYTES];
    int64_t bytes = 0;

    if (text && !parse_bytes(text, &bytes, message))
        return usage_error(command, "--capacity: %s", message);
    *capacity = (double)bytes;
    return EXIT_OK;
}

static const char *const *
names_or_none(const struct name_list *list)
{
    return list->count > 0 ? list->names : NULL;
}

static void
set_numbers(const struct fit_options *given, struct memmodel_fit_options *options)
{
    options->max_terms = narrow(given->max_terms);
    options->threads = narrow(given->threads);
    options->quantile = given->quantile;
    options->max_exponent = given->max_exponent;
    options->integer_exponents = given->integer_exponents;
    options->non_negative = given->non_negative;
    options->change_points = narrow(given->change_points);
    options->search = given->search;
    options->seed = given->seed;
    options->max_evaluations = given->max_evaluations;
}

static void
set_names(const struct fit_options *given, struct fit_request *request)
{
    struct memmodel_fit_options *options = &request->options;

    options->target = given->target;
    options->weight_column = given->weight;
    options->inputs = names_or_none(&request->inputs);
    options->input_count = request->inputs.count;
    options->increasing = names_or_none(&request->increasing);
    options->increasing_count = request->increasing.count;
    options->decreasing = names_or_none(&request->decreasing);
    options->decreasing_count = request->decreasing.count;
    options->units = given->units.values;
    options->unit_count = given->units.count;
}

int
fit_request_make(const struct command *command, const struct fit_options *given, const char *const *terms,
                 size_t term_count, struct fit_request *request)
{
    struct memmodel_fit_options *options = &request->options;
    int status;

    *request = (struct fit_request){.options = {.size = sizeof *options, .terms = terms, .term_count = term_count}};
    status = choose(command, &basis, given->basis, &options->basis);
    if (!status)
        status = choose(command, &loss, given->loss, &options->loss);
    if (!status)
        status = choose(command, &selection, given->selection, &options->selection);
    if (!status)
        status = read_capacity(command, given->capacity, &options->capacity);
    if (status)
        return status;
    if (!split_names(given->inputs, &request->inputs) || !split_names(given->increasing, &request->increasing) ||
        !split_names(given->decreasing, &request->decreasing))
        return EXIT_FAILED;
    set_numbers(given, options);
    set_names(given, request);
    return EXIT_OK;
}

void
fit_request_release(struct fit_request *request)
{
    release_names(&request->inputs);
    release_names(&request->increasing);
    release_names(&request->decreasing);
}
