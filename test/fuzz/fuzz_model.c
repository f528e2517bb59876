/* Any text read as a fitted model is refused with a reason, or predicts without harm and is written and read again. */
#include "fuzz.h"

static void
check_prediction(const memmodel_model *model)
{
    double inputs[64];
    struct memmodel_prediction prediction = {.size = sizeof prediction};

    if (memmodel_model_input_count(model) > 64)
        return;
    for (size_t i = 0; i < 64; i++)
        inputs[i] = 16;
    memmodel_model_evaluate(model, inputs);
    if (memmodel_model_predict(model, inputs, NULL, &prediction))
        abort();
}

static void
check_round_trip(memmodel_context *context, const memmodel_model *model)
{
    memmodel_model *again;
    char *text;

    if (memmodel_model_to_json(model, NULL, &text))
        abort();
    if (memmodel_model_from_json(context, "written", text, strlen(text), &again))
        abort();
    memmodel_free(text);
    memmodel_model_unref(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memmodel_context *context;
    memmodel_model *model;
    int status;

    if (memmodel_context_new(NULL, &context))
        abort();
    status = memmodel_model_from_json(context, "input", (const char *)data, size, &model);
    expect_explained(context, status);
    if (!status) {
        check_prediction(model);
        check_round_trip(context, model);
        memmodel_model_unref(model);
    }
    memmodel_context_unref(context);
    return 0;
}
