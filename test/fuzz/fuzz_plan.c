/* Any text read as buffers is refused with a reason, or becomes a plan that is solved, drawn and as good as it says. */
#include "fuzz.h"

static void
check_places(const memmodel_plan *plan, int64_t peak)
{
    for (size_t i = 0; i < memmodel_plan_buffer_count(plan); i++) {
        struct memmodel_plan_buffer place = {.size = sizeof place};

        if (memmodel_plan_get_buffer(plan, i, &place) || place.offset < 0 || place.offset % place.alignment ||
            place.offset + place.bytes > peak)
            abort();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memmodel_context *context;
    memmodel_plan *plan;
    int status;

    if (memmodel_context_new(NULL, &context))
        abort();
    status = memmodel_plan_from_csv(context, "input", (const char *)data, size, &plan);
    expect_explained(context, status);
    if (!status) {
        const struct memmodel_plan_options options = {.size = sizeof options, .max_nodes = 2000};
        struct memmodel_plan_result result = {.size = sizeof result};
        char *svg;

        status = memmodel_plan_solve(plan, &options);
        expect_explained(context, status);
        if (!status) {
            if (memmodel_plan_get_result(plan, &result) || result.lower_bound > result.peak ||
                memmodel_plan_to_svg(plan, NULL, &svg))
                abort();
            check_places(plan, result.peak);
            memmodel_free(svg);
        }
        memmodel_plan_unref(plan);
    }
    memmodel_context_unref(context);
    return 0;
}
