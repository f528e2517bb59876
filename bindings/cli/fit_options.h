/* What `memmodel fit` is asked for, and how it is said to the library. */
#ifndef CLI_FIT_OPTIONS_H
#define CLI_FIT_OPTIONS_H

#include "command.h"

struct fit_options {
    const char *target, *inputs, *weight, *output, *basis, *loss, *network, *selection, *increasing, *decreasing,
        *capacity, *columns;
    struct option_list filters, terms, units;
    int64_t max_terms, change_points, seed, max_evaluations, threads;
    double quantile, max_exponent;
    bool json, front, integer_exponents, non_negative, search;
};

/* The rows of the command's table. */
extern const struct option fit_option_rows[];

/* The options of memmodel_fit(), and what they point to. */
struct fit_request {
    struct memmodel_fit_options options;
    struct name_list inputs, increasing, decreasing;
};

/* EXIT_OK, or another exit code after a message; release the request in either case. `terms` must outlive it. */
int
fit_request_make(const struct command *command, const struct fit_options *given, const char *const *terms,
                 size_t term_count, struct fit_request *request);

void
fit_request_release(struct fit_request *request);

#endif
