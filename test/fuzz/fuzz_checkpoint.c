/* Any text is refused with a reason, or its formulas can be computed, written and read again. */
#include "fuzz.h"

#include "regression/search/checkpoint.h"

enum { ROWS = 6, INPUTS = 2 };

static const double columns[INPUTS][ROWS] = {{1, 2, 3, 4, 5, 6}, {2, 1, 4, 3, 6, 5}}, target[ROWS] = {1, 3, 2, 5, 4, 7},
                    roots[ROWS] = {1, 1, 1, 1, 1, 1};

static void
take_all(memmodel_context *context, struct checkpoint *checkpoint)
{
    const struct aim aim = {.target = target, .roots = roots, .used = ROWS};
    const double *const inputs[] = {columns[0], columns[1]};
    struct archive *archive = calloc(1, sizeof *archive);
    struct fitter fitter;
    double values[ROWS];
    size_t tried;

    if (!archive || fitter_new(context, ROWS, inputs, INPUTS, &fitter))
        abort();
    fitter.aim = &aim;
    while (checkpoint_take(checkpoint, &fitter, INPUTS, &tried, archive))
        for (size_t i = 0; i <= ARCHIVE_MOST_NODES; i++)
            if (archive->formulas[i].count > 0)
                formula_values(&fitter, &archive->formulas[i], values);
    fitter_release(&fitter);
    free(archive);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct checkpoint checkpoint = {.key = 1};
    int status;

    if (memmodel_context_new(NULL, &checkpoint.context))
        return 0;
    status = checkpoint_parse("checkpoint", (const char *)data, size, &checkpoint);
    expect_explained(checkpoint.context, status);
    if (!status)
        take_all(checkpoint.context, &checkpoint);
    checkpoint_release(&checkpoint);
    memmodel_context_unref(checkpoint.context);
    return 0;
}
