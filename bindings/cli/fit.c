/* memmodel fit: a formula from a table of measurements. */
#include "model.h"
#include "network_terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fit_options {
    const char *target, *inputs, *weight, *output, *basis, *loss, *network;
    struct option_list filters, terms;
    int64_t max_terms;
    bool json, front;
};

static const struct option options[] = {
    {"target", 't', OPTION_TEXT, "COLUMN", "what to predict; the last numeric column unless given",
     offsetof(struct fit_options, target)},
    {"inputs", 'i', OPTION_TEXT, "A,B,...", "columns to predict it from; all other numeric ones unless given",
     offsetof(struct fit_options, inputs)},
    {"filter", 'f', OPTION_LIST, "COLUMN=VALUE", "only the rows that read so, such as status=ok; may be repeated",
     offsetof(struct fit_options, filters)},
    {"weight", 'w', OPTION_TEXT, "COLUMN", "how much each row counts", offsetof(struct fit_options, weight)},
    {"term", 0, OPTION_LIST, "FORMULA", "a term to offer, such as 'batch*dim^3'; may be repeated",
     offsetof(struct fit_options, terms)},
    {"network", 'n', OPTION_TEXT, "FILE", "offer the bytes of this network's layer outputs as a term",
     offsetof(struct fit_options, network)},
    {"loss", 'l', OPTION_TEXT, "NAME",
     "relative errors (the default; the target is positive, and so is every term), or squared: any sign",
     offsetof(struct fit_options, loss)},
    {"basis", 0, OPTION_TEXT, "NAME",
     "posynomial (the default of relative errors), general (of squared ones), or given: only the --term formulas",
     offsetof(struct fit_options, basis)},
    {"front", 0, OPTION_FLAG, NULL, "list the best formula of each size", offsetof(struct fit_options, front)},
    {"max-terms", 0, OPTION_INTEGER, "N", "at most so many terms besides the constant, 1 to 8",
     offsetof(struct fit_options, max_terms)},
    {"output", 'o', OPTION_TEXT, "MODEL", "file to write the model to", offsetof(struct fit_options, output)},
    {"json", 'j', OPTION_FLAG, NULL, "print the model as JSON", offsetof(struct fit_options, json)},
    {0},
};

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
    status = memmodel_samples_filter(*samples, column, equals + 1, &filtered);
    free(column);
    if (status)
        return library_error(fit->command, fit->context);
    memmodel_samples_unref(*samples);
    *samples = filtered;
    return EXIT_OK;
}

static int
read_samples(const struct fit *fit, const char *path, memmodel_samples **samples)
{
    memmodel_samples *read;
    int status = EXIT_OK;

    if (memmodel_samples_read(fit->context, path, &read))
        return library_error(fit->command, fit->context);
    for (size_t i = 0; !status && i < fit->options->filters.count; i++)
        status = apply_filter(fit, fit->options->filters.values[i], &read);
    if (!status && memmodel_samples_row_count(read) == 0)
        status = usage_error(fit->command, "%s has no rows%s", path,
                             fit->options->filters.count ? " that pass --filter" : "");
    if (status)
        memmodel_samples_unref(read);
    else
        *samples = read;
    return status;
}

/* ---- result ---- */

static void
print_errors(const struct memmodel_model_scores *scores)
{
    double share = scores->held_out_error / scores->constant_error;
    const char *percent = scores->loss == MEMMODEL_FIT_LOSS_RELATIVE ? " %" : "";
    double unit = scores->loss == MEMMODEL_FIT_LOSS_RELATIVE ? 100 : 1;

    if (isnan(scores->held_out_error)) {
        printf("\n  mean error       %.2f %% on these samples\n", 100 * scores->training_mape);
        printf("  mean error       %.2f %% on samples left out of the fit one by one\n", 100 * scores->loo_mape);
        return;
    }
    printf("\n  error            %.4g%s (root mean square) on these samples\n", unit * scores->training_error, percent);
    printf("  error            %.4g%s on samples held out when the terms were chosen\n", unit * scores->held_out_error,
           percent);
    printf("  R2               %.3f on those\n", scores->constant_error > 0 ? 1 - share * share : 0);
}

static void
print_front(const memmodel_model *model)
{
    printf("\n  nodes  held-out error  formula\n");
    for (size_t i = 0; i < memmodel_model_front_count(model); i++) {
        struct memmodel_front_entry entry = {.size = sizeof entry};

        memmodel_model_front_entry(model, i, &entry);
        printf("%c %5lld  %14.4g  %s\n", entry.chosen ? '*' : ' ', (long long)entry.nodes, entry.held_out_error,
               memmodel_model_front_formula(model, i));
    }
}

static int
print_text(const struct fit *fit, const memmodel_model *model)
{
    struct memmodel_model_scores scores = {.size = sizeof scores};
    char *formula;
    int status = model_formula(fit->command, fit->context, model, MEMMODEL_TEXT, &formula);

    if (status)
        return status;
    memmodel_model_scores(model, &scores);
    printf("%s = %s\n\n", memmodel_model_target(model), formula);
    printf("  samples          %lld, ", (long long)scores.samples);
    model_print_domain(stdout, model, memmodel_model_input_name);
    print_errors(&scores);
    if (fit->options->front)
        print_front(model);
    if (fit->options->output)
        printf("  written to       %s\n", fit->options->output);
    memmodel_free(fit->context, formula);
    return EXIT_OK;
}

static int
print_json(const struct fit *fit, const memmodel_model *model)
{
    char *text;

    if (memmodel_model_to_json(model, &text))
        return library_error(fit->command, fit->context);
    fputs(text, stdout);
    memmodel_free(fit->context, text);
    return EXIT_OK;
}

static int
finish(const struct fit *fit, const memmodel_model *model)
{
    if (fit->options->output && memmodel_model_save(model, fit->options->output))
        return library_error(fit->command, fit->context);
    return fit->options->json ? print_json(fit, model) : print_text(fit, model);
}

/* ---- the fit ---- */

/* Splits `names` at its commas, in place. */
static size_t
split_names(char *names, const char **list)
{
    size_t count = 0;

    for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
        list[count++] = name;
    return count;
}

/* Index of the name; 0 of none, -1 of one that is unknown. */
static int32_t
find_name(const char *const *names, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++)
        if (!name || strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

static int
find_basis(const struct command *command, const char *name, int32_t *basis)
{
    static const char *const names[] = {[MEMMODEL_BASIS_POSYNOMIAL] = "posynomial",
                                        [MEMMODEL_BASIS_GIVEN] = "given",
                                        [MEMMODEL_BASIS_GENERAL] = "general"};

    *basis = find_name(names, sizeof names / sizeof names[0], name);
    return *basis >= 0 ? EXIT_OK : usage_error(command, "--basis is posynomial, general or given, not '%s'", name);
}

static int
find_loss(const struct command *command, const char *name, int32_t *loss)
{
    static const char *const names[] = {[MEMMODEL_FIT_LOSS_DEFAULT] = "default",
                                        [MEMMODEL_FIT_LOSS_RELATIVE] = "relative",
                                        [MEMMODEL_FIT_LOSS_SQUARED] = "squared"};

    *loss = find_name(names, sizeof names / sizeof names[0], name);
    return *loss >= 0 ? EXIT_OK : usage_error(command, "--loss is relative or squared, not '%s'", name);
}

static int
fit_named(const struct fit *fit, const memmodel_samples *samples, const char *const *inputs, size_t input_count,
          const char *const *terms, size_t term_count)
{
    const struct fit_options *given = fit->options;
    struct memmodel_fit_options wanted = {
        .size = sizeof wanted,
        .target = given->target,
        .inputs = input_count ? inputs : NULL,
        .input_count = input_count,
        .weight = given->weight,
        .terms = terms,
        .term_count = term_count,
        .max_terms = given->max_terms > INT32_MAX || given->max_terms < 0 ? -1 : (int32_t)given->max_terms,
    };
    memmodel_model *model;
    int status = find_basis(fit->command, given->basis, &wanted.basis);

    if (!status)
        status = find_loss(fit->command, given->loss, &wanted.loss);
    if (status)
        return status;
    if (memmodel_fit(samples, &wanted, &model))
        return library_error(fit->command, fit->context);
    status = finish(fit, model);
    memmodel_model_unref(model);
    return status;
}

static int
fit_terms(const struct fit *fit, const memmodel_samples *samples, const char *const *terms, size_t term_count)
{
    char *names = strdup(fit->options->inputs ? fit->options->inputs : "");
    const char **list = names ? calloc(strlen(names) + 1, sizeof *list) : NULL;
    int status = EXIT_FAILED;

    if (list)
        status = fit_named(fit, samples, list, split_names(names, list), terms, term_count);
    free(list);
    free(names);
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
fit_operand(const struct fit *fit, char **operands, int count)
{
    memmodel_samples *samples = NULL;
    int status;

    if (count != 1)
        return usage_error(fit->command, count ? "one table at a time" : "which table of samples?");
    status = read_samples(fit, operands[0], &samples);
    if (status)
        return status;
    status = fit_samples(fit, samples);
    memmodel_samples_unref(samples);
    return status;
}

static int
run(const struct command *command, int argc, char **argv)
{
    struct fit_options given = {0};
    struct fit fit = {.command = command, .options = &given};
    int operands, status = options_parse(command, argc, argv, &given, &operands);

    if (!status && memmodel_context_new(NULL, &fit.context))
        status = EXIT_FAILED;
    if (!status) {
        print_notes(command, fit.context);
        status = fit_operand(&fit, argv, operands);
        memmodel_context_unref(fit.context);
    }
    options_release(command, &given);
    return status < 0 ? EXIT_OK : status;
}

const struct command fit_command = {
    .name = "fit",
    .usage = "SAMPLES.csv --target COLUMN [--inputs A,B] -o MODEL",
    .summary = "find a formula for measured memory (or time) from a table of runs",
    .description =
        "Finds a short formula with non-negative coefficients that predicts a column of a table from others: a\n"
        "constant and products of powers and logarithms of the inputs, and of formulas you give as --term. The\n"
        "table is CSV; its first line names the columns. Of the formulas that predict left-out rows best, the\n"
        "smallest is taken. In formulas, what an identifier cannot have becomes '_': 'hidden size' is hidden_size.",
    .examples = "  memmodel fit samples.csv --target peak_bytes --inputs dim,batch --filter status=ok -o model.json\n"
                "  memmodel fit samples.csv -t peak_bytes -i dim,batch --term '1291.125*batch*dim^3' -o model.json\n",
    .options = options,
    .run = run,
};
