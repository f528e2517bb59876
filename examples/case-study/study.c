/* Reads measured trainings, predicts them in three ways, and judges each way on data that it has not seen. */
#include "study.h"
#include "networks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- measured trainings ---- */

/* The comment lines at the head of the samples say what was measured; the first is enough here. */
static void
read_provenance(struct study *study, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[sizeof study->provenance] = "";

    if (file && fgets(line, sizeof line, file) && line[0] == '#')
        memcpy(study->provenance, line + 1 + (line[1] == ' '), sizeof line - 1 - (line[1] == ' '));
    study->provenance[strcspn(study->provenance, "\n")] = '\0';
    if (file)
        fclose(file);
}

/* The finished trainings of the table in the file. */
static int
read_trainings(struct study *study, const char *path, memmodel_samples **trainings)
{
    memmodel_samples *all;
    int status = memmodel_samples_load(study->context, path, &all);

    if (status)
        return status;
    status = memmodel_samples_filter(all, "status", "ok", NULL, trainings);
    memmodel_samples_unref(all);
    return status;
}

static struct point *
find_point(struct study *study, double dim, double batch)
{
    for (size_t i = 0; i < study->count; i++)
        if (study->points[i].dim == dim && study->points[i].batch == batch)
            return &study->points[i];
    study->points[study->count] = (struct point){.dim = dim, .batch = batch};
    return &study->points[study->count++];
}

/* A point that was measured more than once counts with the mean of its peaks. */
static int
gather_points(struct study *study, const memmodel_samples *trainings)
{
    const double *dim = memmodel_samples_column(trainings, "dim"), *batch = memmodel_samples_column(trainings, "batch");
    const double *peak = memmodel_samples_column(trainings, "peak_bytes");
    size_t rows = memmodel_samples_row_count(trainings);

    if (!dim || !batch || !peak)
        return memmodel_context_error(study->context)->status;
    study->points = calloc(rows + 1, sizeof *study->points);
    if (!study->points)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < rows; i++) {
        struct point *point = find_point(study, dim[i], batch[i]);

        point->measured += (peak[i] - point->measured) / ++point->runs;
    }
    study->trainings = rows;
    return 0;
}

/* The points as a table again, for fitting. */
static int
tabulate_points(struct study *study)
{
    static const char *const columns[] = {"dim", "batch", "peak_bytes"};
    int status = memmodel_samples_new(study->context, columns, 3, &study->samples);

    for (size_t i = 0; !status && i < study->count; i++) {
        const struct point *point = &study->points[i];

        status = memmodel_samples_add_row(study->samples, (double[]){point->dim, point->batch, point->measured});
    }
    return status;
}

int
study_read(struct study *study, const char *path)
{
    memmodel_samples *trainings;
    int status = read_trainings(study, path, &trainings);

    if (status)
        return status;
    status = gather_points(study, trainings);
    memmodel_samples_unref(trainings);
    read_provenance(study, path);
    return status ? status : tabulate_points(study);
}

/* ---- the two predictors that need no measurements ---- */

static int
estimate(const memmodel_network *network, const char *framework, const char *rule, double dim, double batch,
         memmodel_report **report)
{
    const struct memmodel_symbol_value symbols[] = {{"dim", (int64_t)dim}, {"batch", (int64_t)batch}};
    struct memmodel_job job = {
        .size = sizeof job,
        .framework = framework,
        .textbook_rule = rule,
        .optimizer = "adam",
        .isa = "avx2",
        .intra_op_threads = 2,
        .symbols = symbols,
        .symbol_count = 2,
    };

    return memmodel_estimate(network, &job, NULL, report);
}

static int
peak_of(const memmodel_network *network, const char *framework, const struct point *point,
        struct memmodel_report_result *peak)
{
    memmodel_report *report;
    int status = estimate(network, framework, "outputs", point->dim, point->batch, &report); /* Eq. 1 + Eq. 2 */

    if (status)
        return status;
    peak->size = sizeof *peak;
    status = memmodel_report_get_result(report, peak);
    memmodel_report_unref(report);
    return status;
}

/* As Keras has it: channels last, the mask's sigmoid in its convolution. */
static struct unet3d
as_in(const char *framework)
{
    bool keras = strcmp(framework, "pytorch") != 0;

    return (struct unet3d){.channels_last = keras, .fused_mask = keras, .loss = strcmp(framework, "textbook") != 0};
}

static int
predict_points(struct study *study, const char *framework, enum predictor predictor)
{
    const struct unet3d options = as_in(framework);
    memmodel_network *network;
    int status = network_unet3d(study->context, &options, &network);

    if (status)
        return status;
    for (size_t i = 0; !status && i < study->count; i++) {
        struct memmodel_report_result peak = {0};

        status = peak_of(network, framework, &study->points[i], &peak);
        study->points[i].predicted[predictor] = (double)(predictor == SIMULATED ? peak.process : peak.live);
    }
    memmodel_network_unref(network);
    return status;
}

/* One training, for the table and the pictures. */
static int
report_training(struct study *study, const char *framework, const char *rule, memmodel_report **report)
{
    const struct unet3d options = as_in(framework);
    memmodel_network *network;
    int status = network_unet3d(study->context, &options, &network);

    if (status)
        return status;
    status = estimate(network, framework, rule, 48, 2, report);
    memmodel_network_unref(network);
    return status;
}

static int
predict_from_network(struct study *study)
{
    int status = predict_points(study, "textbook", ANALYTIC);

    if (!status)
        status = predict_points(study, study->framework, SIMULATED);
    if (!status)
        status = report_training(study, "pytorch", NULL, &study->report);
    if (!status)
        status = report_training(study, "textbook", "slots", &study->textbook);
    return status;
}

/* ---- the fit ---- */

static const struct memmodel_predict_options bound = {.size = sizeof bound, .level = STUDY_LEVEL};

static int
fit(const memmodel_samples *samples, memmodel_model **model)
{
    static const char *const inputs[] = {"dim", "batch"};
    struct memmodel_fit_options options = {
        .size = sizeof options, .target = "peak_bytes", .inputs = inputs, .input_count = 2};

    return memmodel_fit(samples, &options, NULL, model);
}

static double
relative_error(double predicted, double measured)
{
    return fabs(predicted - measured) / measured;
}

static int
judge(struct study *study, struct split *split, const memmodel_model *model, const double *tested)
{
    for (size_t i = 0; i < split->tested; i++) {
        struct point *point = &study->points[(size_t)tested[i]];
        struct memmodel_prediction prediction = {.size = sizeof prediction};
        int status = memmodel_model_predict(model, (double[]){point->dim, point->batch}, &bound, &prediction);

        if (status)
            return status;
        point->predicted[FITTED] = prediction.value;
        point->upper = prediction.upper;
        split->coverage += (prediction.upper >= point->measured) / (double)split->tested;
        for (int j = 0; j < PREDICTORS; j++)
            split->mape[j] += relative_error(point->predicted[j], point->measured) / (double)split->tested;
    }
    return 0;
}

/* Fits to the training rows; `rows` has the numbers of all rows and is split like them. */
static int
run_split(struct study *study, struct split *split, const memmodel_samples *rows)
{
    memmodel_samples *training, *test, *trained, *tested;
    memmodel_model *model;
    int status = memmodel_samples_split(study->samples, 0.7, split->seed, NULL, &training, &test);

    if (status)
        return status;
    split->trained = memmodel_samples_row_count(training);
    split->tested = memmodel_samples_row_count(test);
    status = fit(training, &model);
    memmodel_samples_unref(training);
    memmodel_samples_unref(test);
    if (status)
        return status;
    status = memmodel_samples_split(rows, 0.7, split->seed, NULL, &trained, &tested);
    if (!status) {
        status = judge(study, split, model, memmodel_samples_column(tested, "row"));
        memmodel_samples_unref(trained);
        memmodel_samples_unref(tested);
    }
    memmodel_model_unref(model);
    return status;
}

/* A table of the numbers 0 to count - 1. */
static int
number_rows(memmodel_context *context, size_t count, memmodel_samples **rows)
{
    int status = memmodel_samples_new(context, (const char *const[]){"row"}, 1, rows);

    for (size_t i = 0; !status && i < count; i++) {
        status = memmodel_samples_add_row(*rows, (double[]){(double)i});
        if (status)
            memmodel_samples_unref(*rows);
    }
    return status;
}

static int
compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void
summarise_splits(struct study *study)
{
    for (int j = 0; j < PREDICTORS; j++) {
        double sorted[SPLITS];

        for (int i = 0; i < SPLITS; i++)
            sorted[i] = study->splits[i].mape[j];
        qsort(sorted, SPLITS, sizeof sorted[0], compare_numbers);
        study->median[j] = (sorted[SPLITS / 2 - 1] + sorted[SPLITS / 2]) / 2;
    }
    for (int i = 0; i < SPLITS; i++)
        study->coverage += study->splits[i].coverage / SPLITS;
}

static int
predict_from_samples(struct study *study)
{
    memmodel_samples *rows;
    int status = number_rows(study->context, study->count, &rows);

    if (status)
        return status;
    for (size_t i = 0; !status && i < SPLITS; i++) {
        study->splits[i] = (struct split){.seed = i};
        status = run_split(study, &study->splits[i], rows);
    }
    memmodel_samples_unref(rows);
    if (status)
        return status;
    summarise_splits(study);
    status = fit(study->samples, &study->model);
    if (!status)
        study->formula = memmodel_model_formula(study->model, MEMMODEL_LANGUAGE_TEXT);
    study->scores.size = sizeof study->scores;
    return status ? status : memmodel_model_get_scores(study->model, &study->scores);
}

/* ---- recorded steps of PyTorch ---- */

static int
predict_recorded(struct study *study, const memmodel_samples *rows, size_t i)
{
    struct recorded *recorded = &study->recorded[study->recorded_count++];
    struct unet3d options = {.filters = (int64_t)memmodel_samples_column(rows, "filters")[i], .loss = true};
    struct point point = {.dim = memmodel_samples_column(rows, "dim")[i],
                          .batch = memmodel_samples_column(rows, "batch")[i]};
    struct memmodel_report_result peak = {0};
    memmodel_network *network;
    int status = network_unet3d(study->context, &options, &network);

    if (status)
        return status;
    status = peak_of(network, "pytorch", &point, &peak);
    memmodel_network_unref(network);
    recorded->measured = memmodel_samples_column(rows, "peak_bytes")[i];
    recorded->predicted = (double)peak.live;
    snprintf(recorded->name, sizeof recorded->name, "3D U-Net, %d filters, %d voxels, batch %d", (int)options.filters,
             (int)point.dim, (int)point.batch);
    return status;
}

int
study_read_recorded(struct study *study, const char *path)
{
    memmodel_samples *rows;
    int status = memmodel_samples_load(study->context, path, &rows);

    if (status)
        return status;
    study->recorded = calloc(memmodel_samples_row_count(rows) + 1, sizeof *study->recorded);
    if (!study->recorded)
        status = MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; !status && i < memmodel_samples_row_count(rows); i++)
        status = predict_recorded(study, rows, i);
    memmodel_samples_unref(rows);
    return status;
}

/* ---- the study ---- */

int
study_predict(struct study *study)
{
    int status = predict_from_network(study);

    return status ? status : predict_from_samples(study);
}

int
study_answer(const struct study *study, struct answer *answer)
{
    const double inputs[] = {STUDY_DIM, STUDY_BATCH};
    int status;

    answer->prediction = (struct memmodel_prediction){.size = sizeof answer->prediction};
    status = memmodel_model_predict(study->model, inputs, &bound, &answer->prediction);
    if (status)
        return status;
    return memmodel_model_predict_max(study->model, inputs, "batch", &bound, (double)STUDY_BUDGET, NULL,
                                      &answer->max_batch);
}

void
study_release(struct study *study)
{
    memmodel_report_unref(study->report);
    memmodel_report_unref(study->textbook);
    memmodel_model_unref(study->model);
    memmodel_samples_unref(study->samples);
    free(study->points);
    free(study->recorded);
    memmodel_context_unref(study->context);
}
