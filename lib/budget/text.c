/* What was done, as a paragraph: a sentence for each means. */
#include "base/text.h"
#include "budget/budget.h"

#include <inttypes.h>
#include <string.h>

/* What is said before and after the bytes that a means brought the job to. */
static const struct {
    const char *before, *after;
} sentences[MEANS] = {
    [MEMMODEL_BUDGET_APART] = {"With memory of its own for every tensor %s needs ", "."},
    [MEMMODEL_BUDGET_REUSE] = {" Reuse of what nobody needs any more brings it to ", "."},
    [MEMMODEL_BUDGET_ORDER] = {" Another order of the operators brings it to ", "."},
    [MEMMODEL_BUDGET_RECOMPUTE] = {" Computing %s again in the backward pass brings it to ", " of a step's time"},
    [MEMMODEL_BUDGET_TILE] = {" Tiles of at most %s, bring it to ", " multiplications"},
    [MEMMODEL_BUDGET_BATCH] = {" With %s it needs ", "."},
};

static const char *const passed[MEANS] = {
    [MEMMODEL_BUDGET_REUSE] = " Reuse brings nothing",
    [MEMMODEL_BUDGET_ORDER] = " Another order brings nothing",
    [MEMMODEL_BUDGET_RECOMPUTE] = " Recomputation brings nothing",
    [MEMMODEL_BUDGET_TILE] = " Tiles bring nothing",
    [MEMMODEL_BUDGET_BATCH] = " A smaller batch brings nothing",
};

/* With a tenth of a per cent, in every locale. */
static void
append_percent(struct text *text, double fraction)
{
    int64_t tenths = (int64_t)(fraction * 1000 + 0.5);

    text_printf(text, "%" PRId64 ".%d %%", tenths / 10, (int)(tenths % 10));
}

static void
append_step(struct text *text, const struct memmodel_budget_step *step, const char *subject)
{
    const char *what = step->means == MEMMODEL_BUDGET_APART ? subject : step->what;
    const char *before = sentences[step->means].before, *gap = strstr(before, "%s");

    if (!step->taken) {
        text_printf(text, "%s: %s.", passed[step->means], step->what);
        return;
    }
    text_append_bytes(text, before, gap ? (size_t)(gap - before) : strlen(before));
    if (gap)
        text_printf(text, "%s%s", what, gap + 2);
    text_append_quantity(text, (double)step->peak);
    if (step->means == MEMMODEL_BUDGET_RECOMPUTE || step->means == MEMMODEL_BUDGET_TILE) {
        text_append(text, " for ");
        append_percent(text, step->extra);
        text_printf(text, " more%s.", sentences[step->means].after);
    } else {
        text_append(text, sentences[step->means].after);
    }
}

static void
append_end(struct text *text, const memmodel_budget *budget)
{
    text_append(text, budget->result.fits ? " That is within " : " That is more than ");
    text_append_quantity(text, (double)budget->bytes);
    if (budget->result.measure)
        text_printf(text, " of %s bytes", memmodel_measure_name(budget->result.measure));
    text_append(text, budget->result.fits ? "." : ", and nothing else is known to help.");
}

int
budget_write(memmodel_budget *budget, const struct budget_query *query)
{
    const char *subject = query->job.inference ? "an inference" : "a training step";
    struct text text = TEXT_INIT(budget->context);

    for (size_t i = 0; i < budget->count; i++)
        append_step(&text, &budget->steps[i], subject);
    append_end(&text, budget);
    budget->text = text.failed ? NULL : arena_copy_text(&budget->arena, text.bytes);
    text_release(&text);
    return budget->text ? 0 : MEMMODEL_ERROR_NOMEM;
}
