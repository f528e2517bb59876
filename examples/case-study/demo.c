/*
 * The case study: how much memory does training a 3D U-Net need?
 *
 * usage: case-study KERAS.csv TORCH.csv RECORDED.csv RESULTS.json
 *
 * Prints the network layer by layer, the closed formulas behind it, how three predictors do on measured trainings
 * that they have not seen, and the answer to a question: does it fit, and what is the largest batch?
 */
#include "study.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const predictor_names[PREDICTORS] = {
    "Eq. 1 + Eq. 2 (all outputs and weights)",
    "simulated steps (bytes of the process)",
    "fitted formula",
};

static void
print_layers(const memmodel_report *report)
{
    struct memmodel_report_layer layer = {.size = sizeof layer};

    printf("%-30s %-15s %-18s %10s %12s %14s\n", "layer", "operator", "output", "parameters", "activations",
           "bytes at peak");
    for (size_t i = 0; memmodel_report_get_layer(report, i, &layer) == 0; i++)
        printf("%-30s %-15s %-18s %10" PRId64 " %12" PRId64 " %14" PRId64 "\n", layer.name, layer.op, layer.shape,
               layer.parameter_count, layer.activation_count, layer.peak_bytes);
    memmodel_report_get_total(report, &layer);
    printf("%-30s %-15s %-18s %10" PRId64 " %12" PRId64 " %14" PRId64 "\n", "total", "", "", layer.parameter_count,
           layer.activation_count, layer.peak_bytes);
}

static void
print_formulas(const memmodel_report *report)
{
    struct memmodel_report_result result = {.size = sizeof result};

    for (size_t i = 0; i < memmodel_report_formula_count(report); i++)
        printf("  %-22s %s\n", memmodel_report_formula_name(report, i),
               memmodel_report_formula(report, i, MEMMODEL_LANGUAGE_TEXT));
    memmodel_report_get_result(report, &result);
    printf("  where %s\n", result.assumptions);
}

static void
print_accuracy(const struct study *study, const char *framework)
{
    printf("\n%zu points from %zu real trainings in %s, fitted to 70 %% of them, tested on the other 30 %%, %d times: "
           "mean error\n\n",
           study->count, study->trainings, framework, SPLITS);
    printf("%-42s %10s %10s %10s\n", "", "median", "best", "worst");
    for (int i = 0; i < PREDICTORS; i++) {
        double best = study->splits[0].mape[i], worst = best;

        for (int j = 1; j < SPLITS; j++) {
            best = study->splits[j].mape[i] < best ? study->splits[j].mape[i] : best;
            worst = study->splits[j].mape[i] > worst ? study->splits[j].mape[i] : worst;
        }
        printf("%-42s %9.2f%% %9.2f%% %9.2f%%\n", predictor_names[i], 100 * study->median[i], 100 * best, 100 * worst);
    }
    printf("%.0f %% upper prediction bound: %.1f %% of the unseen measurements lie below it\n", 100 * STUDY_LEVEL,
           100 * study->coverage);
}

static void
print_recorded(const struct study *study)
{
    for (size_t i = 0; i < study->recorded_count; i++) {
        const struct recorded *recorded = &study->recorded[i];

        printf("  %-44s %14.0f %14.0f %+8.3f%%\n", recorded->name, recorded->measured, recorded->predicted,
               100 * (recorded->predicted / recorded->measured - 1));
    }
}

static void
print_answer(const struct answer *answer)
{
    const double gib = 1 << 30;
    bool fits = answer->prediction.upper <= (double)STUDY_BUDGET;

    printf("  %d^3 voxels, batch %d: %.2f GiB, %.0f %% upper prediction bound %.2f GiB%s\n", STUDY_DIM, STUDY_BATCH,
           answer->prediction.value / gib, 100 * STUDY_LEVEL, answer->prediction.upper / gib,
           answer->prediction.extrapolated ? " (extrapolated: the bound is not guaranteed)" : "");
    printf("  in %.0f GiB it %s; the largest batch at that size is %" PRId64 "\n", (double)STUDY_BUDGET / gib,
           fits ? "fits" : "does not fit", answer->max_batch);
}

static void
print_study(const struct study *study, const struct study *torch, const struct answer *answer)
{
    printf("Layer by layer: 3D U-Net, 16 filters, 48^3 voxels, batch 2, trained with Adam in PyTorch on CPU\n\n");
    print_layers(study->report);
    printf("\nBytes as closed formulas (textbook: activations twice, parameters with gradients and Adam's slots)\n");
    print_formulas(study->textbook);
    printf("\nReal steps of PyTorch, recorded to the byte: measured peak, simulated peak\n");
    print_recorded(study);
    print_accuracy(torch, "PyTorch");
    print_accuracy(study, "Keras");
    printf("\nThe formula for Keras: peak_bytes =\n  %s\n  leave-one-out error %.2f %%\n\nThe answer\n", study->formula,
           100 * study->scores.loo_mape);
    print_answer(answer);
}

static int
fail(const struct study *study, const char *doing, int status)
{
    const struct memmodel_error *error = memmodel_context_error(study->context);

    fprintf(stderr, "case-study: %s: %s: %s %s\n", doing, memmodel_status_message(status), error->object,
            error->message);
    return 1;
}

static int
read_and_predict(struct study *study, const char *path)
{
    int status = study_read(study, path);

    if (status)
        return fail(study, path, status);
    status = study_predict(study);
    return status ? fail(study, "predicting", status) : 0;
}

static int
run(struct study *study, struct study *torch, char **paths)
{
    struct answer answer;
    int status;

    if (read_and_predict(study, paths[0]) || read_and_predict(torch, paths[1]))
        return 1;
    status = study_read_recorded(study, paths[2]);
    if (!status)
        status = study_answer(study, &answer);
    if (status)
        return fail(study, paths[2], status);
    print_study(study, torch, &answer);
    status = study_write(study, torch, &answer, paths[3]);
    return status ? fail(study, paths[3], status) : 0;
}

int
main(int argc, char **argv)
{
    struct study study = {.framework = "tensorflow"}, torch = {.framework = "pytorch"};
    int status;

    if (argc != 5) {
        fprintf(stderr, "usage: %s KERAS.csv TORCH.csv RECORDED.csv RESULTS.json\n", argv[0]);
        return 2;
    }
    if (memmodel_context_new(NULL, &study.context))
        return 1;
    torch.context = memmodel_context_ref(study.context);
    status = run(&study, &torch, argv + 1);
    study_release(&torch);
    study_release(&study);
    return status;
}
