/*
 * Any text read as CSV is refused with a reason, or becomes a table that can be asked for all it has, and fitted or
 * not.
 */
#include "fuzz.h"

static void
read_columns(const memmodel_samples *samples)
{
    double sum = 0;

    for (size_t i = 0; i < memmodel_samples_column_count(samples); i++) {
        const double *numbers = memmodel_samples_column(samples, memmodel_samples_column_name(samples, i));

        for (size_t row = 0; numbers && row < memmodel_samples_row_count(samples); row++)
            sum += numbers[row];
    }
    if (sum == 0x1p-1000) /* never so, but the sum has to be made */
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memmodel_context *context;
    memmodel_samples *samples;
    memmodel_model *model;
    int status;

    if (memmodel_context_new(NULL, &context))
        abort();
    status = memmodel_samples_from_csv(context, "input", (const char *)data, size, &samples);
    expect_explained(context, status);
    if (!status) {
        struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 1};

        read_columns(samples);
        status = memmodel_fit(samples, &options, NULL, &model);
        expect_explained(context, status);
        if (!status)
            memmodel_model_unref(model);
        memmodel_samples_unref(samples);
    }
    memmodel_context_unref(context);
    return 0;
}
