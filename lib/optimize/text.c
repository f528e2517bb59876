/* What was done, as a paragraph: a sentence for each technique. */
#include "base/text.h"
#include "optimize/optimize.h"

#include <inttypes.h>
#include <string.h>

/* What is said before and after the bytes that a technique brought the job to. */
static const struct {
    const char *before, *after;
} sentences[TECHNIQUES] = {
    [MEMMODEL_TECHNIQUE_NO_REUSE] = {"With memory of its own for every tensor %s needs ", "."},
    [MEMMODEL_TECHNIQUE_REUSE] = {" Reuse of what nobody needs any more brings it to ", "."},
    [MEMMODEL_TECHNIQUE_REORDER] = {" Another order of the operators brings it to ", "."},
    [MEMMODEL_TECHNIQUE_RECOMPUTE] = {" Recomputing %s in the backward pass brings it to ", " of a step's time"},
    [MEMMODEL_TECHNIQUE_TILE] = {" Tiles of at most %s, bring it to ", " multiplications"},
    [MEMMODEL_TECHNIQUE_BATCH] = {" With %s it needs ", "."},
};

static const char *const not_applied[TECHNIQUES] = {
    [MEMMODEL_TECHNIQUE_REUSE] = " Reuse brings nothing",
    [MEMMODEL_TECHNIQUE_REORDER] = " Another order brings nothing",
    [MEMMODEL_TECHNIQUE_RECOMPUTE] = " Recomputation brings nothing",
    [MEMMODEL_TECHNIQUE_TILE] = " Tiles bring nothing",
    [MEMMODEL_TECHNIQUE_BATCH] = " A smaller batch brings nothing",
};

/* With a tenth of a per cent, in every locale. */
static void
append_percent(struct text *text, double fraction)
{
    int64_t tenths = (int64_t)(fraction * 1000 + 0.5);

    text_printf(text, "%" PRId64 ".%d %%", tenths / 10, (int)(tenths % 10));
}

static void
append_step(struct text *text, const struct memmodel_optimization_step *step, const char *subject)
{
    const char *detail = step->technique == MEMMODEL_TECHNIQUE_NO_REUSE ? subject : step->detail;
    const char *before = sentences[step->technique].before, *gap = strstr(before, "%s");

    if (!step->applied) {
        text_printf(text, "%s: %s.", not_applied[step->technique], step->detail);
        return;
    }
    text_append_bytes(text, before, gap ? (size_t)(gap - before) : strlen(before));
    if (gap)
        text_printf(text, "%s%s", detail, gap + 2);
    text_append_quantity(text, (double)step->peak);
    if (step->technique == MEMMODEL_TECHNIQUE_RECOMPUTE || step->technique == MEMMODEL_TECHNIQUE_TILE) {
        text_append(text, " for ");
        append_percent(text, step->overhead);
        text_printf(text, " more%s.", sentences[step->technique].after);
    } else {
        text_append(text, sentences[step->technique].after);
    }
}

static void
append_end(struct text *text, const memmodel_optimization *optimization)
{
    text_append(text, optimization_is_met(optimization) ? " That is within " : " That is more than ");
    text_append_quantity(text, (double)optimization->budget);
    if (optimization->result.metric)
        text_printf(text, " of %s bytes", memmodel_metric_name(optimization->result.metric));
    text_append(text, optimization_is_met(optimization) ? "." : ", and nothing else is known to help.");
}

int
optimization_summarize(memmodel_optimization *optimization, const struct optimization_query *query)
{
    const char *subject = query->job.mode ? "an inference" : "a training step";
    struct text text = TEXT_INIT(optimization->context);

    for (size_t i = 0; i < optimization->count; i++)
        append_step(&text, &optimization->steps[i], subject);
    append_end(&text, optimization);
    optimization->result.summary = text.failed ? NULL : arena_copy_text(&optimization->arena, text.bytes);
    text_release(&text);
    return optimization->result.summary ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}
