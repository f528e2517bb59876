/* memmodel fit: a formula from a table of measurements. */
#include "fit_options.h"
#include "limits.h"
#include "model.h"
#include "network_terms.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a run of the command works with. */
struct fit {
    const struct command *command;
    const struct fit_options *options;
    memmodel_context *context;
};

/* ---- samples ---- */

/* Replaces *samples by its rows that the filter lets through. */
static int
apply_filter(const struct fit *fit, const char *filter, memmodel_samples **samples)
{
    const char *equals = strchr(filter, '=');
    memmodel_samples *filtered;
    char *column;
    int status;

    if (!equals || equals == filter)
        return usage_error(fit->command, "'--filter %s' is not COLUMN=VALUE, such as status=ok", filter);
    column = strndup(filter, (size_t)(equals - filter));
    if (!column)
        return EXIT_FAILED;
    status = memmodel_samples_filter(*samples, column, equals + 1, fit->context, &filtered);
    free(column);
    if (status)
        return library_error(fit->command, fit->context);
    memmodel_samples_unref(*samples);
    *samples = filtered;
    return EXIT_OK;
}

/* What is wrong then is the table, not the command line. */
static int
no_rows(const struct fit *fit, const char *path)
{
    fprintf(stderr, "memmodel %s: %s: has no rows%s\n", fit->command->name, path,
            fit->options->filters.count ? " that pass --filter" : "");
    return EXIT_FAILED;
}

static int
read_samples(const struct fit *fit, const char *path, memmodel_samples **samples)
{
    memmodel_samples *read;
    int status = read_table(fit->command, fit->context, path, fit->options->columns, &read);

    if (status)
        return status;
    for (size_t i = 0; !status && i < fit->options->filters.count; i++)
        status = apply_filter(fit, fit->options->filters.values[i], &read);
    if (!status && memmodel_samples_row_count(read) == 0)
        status = no_rows(fit, path);
    if (status)
        memmodel_samples_unref(read);
    else
        *samples = read;
    return status;
}

/* ---- result ---- */

/* How a loss is reported: of squares the root of the mean, of absolute errors the mean. */
static const struct loss_words {
    const char *name;
    const char *mean;
    bool relative, square;
} loss_words[] = {
    [MEMMODEL_FIT_LOSS_RELATIVE] = {"error", "root mean square", true, true},
    [MEMMODEL_FIT_LOSS_SQUARED] = {"error", "root mean square", false, true},
    [MEMMODEL_FIT_LOSS_MAPE] = {"error", "mean", true, false},
    [MEMMODEL_FIT_LOSS_LOG_RATIO] = {"log ratio", "root mean square", true, false},
    [MEMMODEL_FIT_LOSS_ABSOLUTE] = {"error", "mean", false, false},
    [MEMMODEL_FIT_LOSS_PINBALL] = {"pinball loss", "mean", false, false},
};

static void
print_score(const char *which, const char *name, double error, const char *percent, const char *mean)
{
    char what[64];

    snprintf(what, sizeof what, "%s %s", which, name);
    printf("  %-37s %.4g%s (%s)\n", what, error, percent, mean);
}

static void
print_errors(const struct memmodel_model_scores *scores)
{
    const struct loss_words *words = &loss_words[scores->loss];
    double ratio = scores->nested_cv_error / scores->baseline_error, unit = words->relative ? 100 : 1;
    const char *percent = words->relative ? " %" : "";

    printf("\n");
    if (!isnan(scores->training_mape)) {
        printf("  %-37s %.2f %% (mean)\n", "training error", 100 * scores->training_mape);
        printf("  %-37s %.2f %% (mean)\n", "leave-one-out error", 100 * scores->loo_mape);
    }
    if (isnan(scores->nested_cv_error))
        return;
    print_score("training", words->name, unit * scores->training_error, percent, words->mean);
    print_score("nested cross-validation", words->name, unit * scores->nested_cv_error, percent, words->mean);
    if (words->square)
        printf("  %-37s %.3f\n", "nested cross-validation R2", scores->baseline_error > 0 ? 1 - ratio * ratio : 0);
}

static void
print_soundness(const struct fit *fit, const struct memmodel_model_scores *scores)
{
    bool relative = loss_words[scores->loss].relative;
    bool not_negative = fit->options->non_negative || relative || !isnan(scores->training_mape);

    if (!isnan(scores->noise))
        printf("  %-37s %.4g%s (dof %lld)\n", "noise", scores->noise * (relative ? 100 : 1), relative ? " %" : "",
               (long long)scores->noise_dof);
    if (scores->certified)
        printf("  %-37s finite%s on the domain\n", "certified:", not_negative ? ", non-negative" : "");
}

static void
print_front(const memmodel_model *model, const struct memmodel_model_scores *scores)
{
    const struct loss_words *words = &loss_words[scores->loss];
    double unit = words->relative ? 100 : 1;

    printf("\n  the Pareto front: the best formula of each size, its nested cross-validation %s (%s)\n", words->name,
           words->mean);
    printf("\n  nodes         %s  formula\n", words->relative ? "error %" : "  error");
    for (size_t i = 0; i < memmodel_model_front_count(model); i++) {
        struct memmodel_model_front_entry entry = {.size = sizeof entry};

        memmodel_model_get_front_entry(model, i, &entry);
        printf("%c %5lld  %14.4g  %s\n", entry.selected ? '*' : ' ', (long long)entry.node_count,
               unit * entry.nested_cv_error, entry.formula);
    }
}

static int
print_text(const struct fit *fit, const memmodel_model *model)
{
    struct memmodel_model_scores scores = {.size = sizeof scores};

    memmodel_model_get_scores(model, &scores);
    printf("%s = %s\n\n", memmodel_model_target(model), memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT));
    printf("  %-37s %lld, ", "samples", (long long)scores.sample_count);
    model_print_domain(stdout, model);
    if (scores.censored)
        printf("\n  %-37s %lld, of runs that ended early", "lower limits", (long long)scores.censored);
    print_errors(&scores);
    print_soundness(fit, &scores);
    if (fit->options->front)
        print_front(model, &scores);
    if (fit->options->output)
        printf("  %-37s %s\n", "written to", fit->options->output);
    return EXIT_OK;
}

static int
print_json(const struct fit *fit, const memmodel_model *model)
{
    char *text = NULL;
    int status = memmodel_model_to_json(model, fit->context, &text);

    return command_print(fit->command, fit->context, status, text);
}

static int
finish(const struct fit *fit, const memmodel_model *model)
{
    if (fit->options->output && memmodel_model_save(model, fit->options->output, fit->context))
        return library_error(fit->command, fit->context);
    return fit->options->json ? print_json(fit, model) : print_text(fit, model);
}

/* ---- the fit ---- */

/* A search that Ctrl-C ends before it has compared its formulas leaves the one that is found without it. */
static int
fit_showing_progress(const struct fit *fit, const memmodel_samples *samples, const struct memmodel_fit_options *options,
                     memmodel_model **model)
{
    struct memmodel_fit_options plain = *options;
    int status;

    progress_show(fit->context);
    status = progress_clear(fit->context, memmodel_fit(samples, options, fit->context, model));
    if (status != MEMMODEL_ERROR_CANCELLED || !options->search)
        return status;
    fputs("memmodel fit: the search had compared nothing yet: this is the formula without it\n", stderr);
    plain.search = 0;
    return memmodel_fit(samples, &plain, fit->context, model);
}

/* A size cannot be compared with numbers whose unit nobody knows. */
static int
check_capacity(const struct fit *fit, const memmodel_model *model)
{
    const char *text = fit->options->capacity;

    if (!text || memmodel_model_unit(model) || text[strspn(text, ".0123456789")] == '\0')
        return EXIT_OK;
    return usage_error(
        fit->command,
        "nobody knows in which unit '%s' is: say --unit '%s=MiB', or --capacity as a plain number in that unit",
        memmodel_model_target(model), memmodel_model_target(model));
}

static int
fit_terms(const struct fit *fit, const memmodel_samples *samples, const char *const *terms, size_t term_count)
{
    struct fit_request request;
    memmodel_model *model = NULL;
    int status = fit_request_make(fit->command, fit->options, terms, term_count, &request);

    if (!status && fit_showing_progress(fit, samples, &request.options, &model))
        status = library_error(fit->command, fit->context);
    if (!status)
        status = check_capacity(fit, model);
    if (!status)
        status = finish(fit, model);
    memmodel_model_unref(model);
    fit_request_release(&request);
    return status;
}

/* The terms of --term, and the formula of --network. */
static int
fit_samples(const struct fit *fit, const memmodel_samples *samples)
{
    const struct fit_options *given = fit->options;
    const char **terms = calloc(given->terms.count + 1, sizeof *terms);
    size_t count = given->terms.count;
    memmodel_report *report = NULL;
    int status = terms ? EXIT_OK : EXIT_FAILED;

    if (terms && count)
        memcpy(terms, given->terms.values, count * sizeof *terms);
    if (!status && given->network)
        status = network_term(fit->command, fit->context, given->network, samples, &report, &terms[count++]);
    if (!status)
        status = fit_terms(fit, samples, terms, count);
    memmodel_report_unref(report);
    free(terms);
    return status;
}

static int
work(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
{
    struct fit fit = {.command = command, .context = context, .options = given};
    memmodel_samples *samples = NULL;
    int status;

    if (count != 1)
        return usage_error(command, count ? "one table at a time" : "which table of samples?");
    status = read_samples(&fit, operands[0], &samples);
    if (status)
        return status;
    status = fit_samples(&fit, samples);
    memmodel_samples_unref(samples);
    return status;
}

const struct command fit_command = {
    .name = "fit",
    .usage = "SAMPLES.csv --target COLUMN [--inputs A,B] -o MODEL",
    .summary = "find a formula for measured memory (or time) from a table of runs",
    .description =
        "Finds a short formula that predicts a column of a table from others. Usually the target is positive, errors\n"
        "are relative, and coefficients are not negative: a constant, products of whole powers of the inputs, hinges of\n"
        "these, and formulas you give as --term. With --loss squared, numbers may have any sign: straight lines,\n"
        "curves, hinges, steps, and products of two. With --search, formulas of any shape are tried, too. The table is\n"
        "CSV, compressed by gzip or not; its first line names the columns, or --columns does. The smallest formula is taken whose errors on rows left out are within\n"
        "a standard error of the least. In formulas, what an identifier cannot have becomes '_': 'hidden size' is\n"
        "hidden_size.",
    .examples =
        "  memmodel fit samples.csv --target peak_bytes --inputs dim,batch --filter status=ok -o model.json\n"
        "  memmodel fit samples.csv --target peak_bytes --inputs dim,batch --term '1291.125*batch*dim^3' -o model.json\n"
        "  memmodel fit rows.csv.gz --columns dim,batch,peak_bytes\n",
    .options = fit_option_rows,
    .options_bytes = sizeof(struct fit_options),
    .work = work,
};
