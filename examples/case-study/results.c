/* results.json of the case study; examples/case-study/README.md describes it. */
#include "study.h"

#include <stdio.h>
#include <string.h>

static const char *const predictor_keys[PREDICTORS] = {"analytic", "simulated", "fitted"};

static void
write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
    }
    fputc('"', file);
}

static void
write_predictors(FILE *file, const double values[PREDICTORS])
{
    for (int i = 0; i < PREDICTORS; i++)
        fprintf(file, "%s\"%s\": %.17g", i ? ", " : "", predictor_keys[i], values[i]);
}

static void
write_splits(FILE *file, const struct study *study)
{
    fprintf(file, "  \"splits\": [\n");
    for (int i = 0; i < SPLITS; i++) {
        const struct split *split = &study->splits[i];

        fprintf(file, "    {\"seed\": %d, \"trained\": %zu, \"tested\": %zu, ", (int)split->seed, split->trained,
                split->tested);
        write_predictors(file, split->mape);
        fprintf(file, ", \"coverage\": %.17g}%s\n", split->coverage, i + 1 < SPLITS ? "," : "");
    }
    fprintf(file, "  ],\n");
}

static void
write_points(FILE *file, const struct study *study)
{
    fprintf(file, "  \"points\": [\n");
    for (size_t i = 0; i < study->count; i++) {
        const struct point *point = &study->points[i];

        fprintf(file,
                "    {\"dim\": %g, \"batch\": %g, \"measured\": %.17g, \"analytic\": %.17g, \"simulated\": %.17g, ",
                point->dim, point->batch, point->measured, point->predicted[ANALYTIC], point->predicted[SIMULATED]);
        if (point->upper > 0)
            fprintf(file, "\"fitted\": %.17g, \"upper\": %.17g}", point->predicted[FITTED], point->upper);
        else
            fprintf(file, "\"fitted\": null, \"upper\": null}");
        fprintf(file, "%s\n", i + 1 < study->count ? "," : "");
    }
    fprintf(file, "  ],\n");
}

static void
write_recorded(FILE *file, const struct study *study)
{
    fprintf(file, "  \"pytorch_simulation\": [\n");
    for (size_t i = 0; i < study->recorded_count; i++) {
        const struct recorded *recorded = &study->recorded[i];

        fprintf(file, "    {\"case\": \"%s\", \"measured\": %.0f, \"predicted\": %.0f}%s\n", recorded->name,
                recorded->measured, recorded->predicted, i + 1 < study->recorded_count ? "," : "");
    }
    fprintf(file, "  ],\n");
}

static void
write_answer(FILE *file, const struct answer *answer)
{
    fprintf(file,
            "  \"example\": {\"dim\": %d, \"batch\": %d, \"level\": %.17g, \"value\": %.17g, \"upper\": %.17g, "
            "\"extrapolated\": %s, \"budget\": %lld, \"max_batch\": %lld},\n",
            STUDY_DIM, STUDY_BATCH, STUDY_LEVEL, answer->prediction.value, answer->prediction.upper,
            answer->prediction.extrapolated ? "true" : "false", (long long)STUDY_BUDGET, (long long)answer->max_batch);
}

/* ---- memory over the second step, event by event ---- */

static void
write_live(FILE *file, const memmodel_trace *trace)
{
    struct memmodel_trace_event event = {.size = sizeof event};
    bool first = true;

    for (size_t i = 0; memmodel_trace_get_event(trace, i, &event) == 0; i++) {
        if (event.step != 2)
            continue;
        fprintf(file, "%s%lld", first ? "" : ", ", (long long)event.live);
        first = false;
    }
}

static void
write_phases(FILE *file, const memmodel_trace *trace)
{
    static const char *const names[] = {"", "forward", "backward", "optimizer"};
    struct memmodel_trace_event event = {.size = sizeof event};
    int phase = 0, number = 0;

    for (size_t i = 0; memmodel_trace_get_event(trace, i, &event) == 0; i++) {
        if (event.step != 2)
            continue;
        if (event.phase != phase)
            fprintf(file, "%s{\"name\": \"%s\", \"event\": %d}", phase ? ", " : "", names[event.phase], number);
        phase = event.phase;
        number++;
    }
}

static void
write_timeline(FILE *file, const memmodel_trace *trace)
{
    fprintf(file,
            "  \"timeline\": {\"case\": \"3D U-Net, 16 filters, 48 voxels, batch 2, Adam, step 2\", \"simulated\": [");
    write_live(file, trace);
    fprintf(file, "], \"phases\": [");
    write_phases(file, trace);
    fprintf(file, "]},\n");
}

static int
write_report(FILE *file, const struct study *study, const char *name, const memmodel_report *report, const char *end)
{
    char *text;
    int status = memmodel_report_to_json(report, study->context, &text);

    if (status)
        return status;
    fprintf(file, "  \"%s\": %s%s", name, text, end);
    memmodel_free(text);
    return 0;
}

/* The members that every study has, each with a comma behind it. */
static void
write_study(FILE *file, const struct study *study)
{
    fprintf(file, "  \"samples\": %zu,\n  \"trainings\": %zu,\n  \"provenance\": ", study->count, study->trainings);
    write_text(file, study->provenance);
    fprintf(file, ",\n  \"test_mape\": {");
    write_predictors(file, study->median);
    fprintf(file, "},\n  \"coverage\": %.17g,\n  \"loo_mape\": %.17g,\n  \"formula\": ", study->coverage,
            study->scores.loo_mape);
    write_text(file, study->formula);
    fprintf(file, ",\n");
    write_splits(file, study);
    write_points(file, study);
}

static int
write_all(FILE *file, const struct study *study, const struct study *torch, const struct answer *answer)
{
    int status;

    fprintf(file, "{\n");
    write_study(file, study);
    write_answer(file, answer);
    write_recorded(file, study);
    fprintf(file, "  \"torch\": {\n");
    write_study(file, torch);
    fprintf(file, "  \"filters\": 16},\n");
    write_timeline(file, memmodel_report_trace(study->report));
    status = write_report(file, study, "textbook", study->textbook, ",\n");
    return status ? status : write_report(file, study, "network", study->report, "}\n");
}

int
study_write(const struct study *study, const struct study *torch, const struct answer *answer, const char *path)
{
    FILE *file = fopen(path, "w");
    int status;

    if (!file)
        return MEMMODEL_ERROR_IO;
    status = write_all(file, study, torch, answer);
    return fclose(file) && !status ? MEMMODEL_ERROR_IO : status;
}
