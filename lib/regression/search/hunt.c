/* Enumeration, evolution, and a last polish of what they found. */
#include "regression/search/hunt.h"

#include "base/clock.h"
#include "regression/search/random.h"
#include "regression/structure.h"

#include <math.h>

enum {
    DEFAULT_EVALUATIONS = 480000,
    LEAST_EVALUATIONS = 20,
    STAGES_IN_ALL = 40, /* about as many as five ages and five folds need */
    GENERATIONS = 5,
    BEGINNING = 2 * EVOLVE_ISLANDS * EVOLVE_POPULATION, /* about what islands try before they breed */
    POLISH_STEPS = 40
};

static void
read_grammar(const struct memmodel_fit_options *options, struct grammar *grammar)
{
    for (unsigned outer = TREE_EXP; outer <= TREE_TANH; outer++)
        for (unsigned inner = TREE_EXP; inner <= TREE_TANH; inner++)
            grammar->forbidden[outer][inner] = true;
    if (options->integer_exponents)
        grammar->excluded[TREE_ROOT] = grammar->excluded[TREE_LOG] = grammar->excluded[TREE_EXP] =
            grammar->excluded[TREE_SIN] = grammar->excluded[TREE_COS] = grammar->excluded[TREE_TANH] = true;
    for (size_t i = 0; i < options->forbidden_count; i++)
        grammar_forbid(grammar, options->forbidden[i]);
}

/* Of what searches and is searched. */
static void
set_structure(struct hunt *hunt, const struct structure *structure)
{
    if (!structure || !structure->has_units)
        return;
    hunt->fitter.structure = structure;
    for (size_t i = 0; i < EVOLVE_ISLANDS; i++)
        hunt->world.islands[i].fitter.structure = structure;
    for (size_t i = 0; i < hunt->library.all; i++) {
        struct tree tree = library_tree(&hunt->library, i);

        hunt->library.features[i].unfit = !tree_unit_fits(structure, &tree);
    }
}

int
hunt_new(memmodel_context *context, const struct memmodel_fit_options *options, const struct structure *structure,
         size_t rows, const double *const *inputs, size_t input_count, struct hunt *hunt)
{
    int64_t evaluations = options->max_evaluations > 0 ? options->max_evaluations : DEFAULT_EVALUATIONS;
    int status;

    *hunt = (struct hunt){.options = options, .began = seconds_now(), .error = (double)NAN};
    hunt->evaluations = (size_t)evaluations;
    evaluations /= STAGES_IN_ALL;
    hunt->stage_evaluations = evaluations < LEAST_EVALUATIONS ? LEAST_EVALUATIONS : (size_t)evaluations;
    read_grammar(options, &hunt->grammar);
    status = library_new(context, rows, inputs, input_count, &hunt->grammar, hunt->stage_evaluations, &hunt->library);
    if (!status && options->search & MEMMODEL_FIT_SEARCH_ENUMERATE)
        status = products_new(context, rows, inputs, input_count, &hunt->grammar, &hunt->library, &hunt->products);
    if (!status)
        status = selection_new(context, rows, hunt->library.capacity, &hunt->selection);
    if (!status)
        status = fitter_new(context, rows, inputs, input_count, &hunt->fitter);
    if (!status && options->search & MEMMODEL_FIT_SEARCH_EVOLVE)
        status = world_new(context, rows, inputs, input_count, &hunt->grammar,
                           options->threads > 0 ? (size_t)options->threads : 1, &hunt->world);
    if (!status)
        set_structure(hunt, structure);
    hunt->ready = seconds_now();
    return status;
}

void
hunt_release(memmodel_context *context, struct hunt *hunt)
{
    products_release(context, &hunt->products);
    library_release(context, &hunt->library);
    selection_release(context, &hunt->selection);
    fitter_release(&hunt->fitter);
    world_release(&hunt->world);
}

/* A caller who says stop ends the fit: a formula that was not judged yet is no answer. */
static int
report(struct hunt *hunt, size_t tried, const struct archive *archive, size_t used)
{
    memmodel_context *context = hunt->fitter.machine.context;
    const struct formula *best = archive_best(archive, ARCHIVE_MOST_NODES);

    if (best && used == hunt->fitter.machine.rows)
        hunt->error = sqrt(best->error / (double)used);
    context_report(context, "formulas", (int64_t)tried, (int64_t)hunt->evaluations, hunt->error);
    return context_look(context, 0);
}

/* ---- how far an age may go ---- */

/* Shares of the seconds are of those that building left. */
static void
begin_age(struct hunt *hunt, const struct aim *aim, double share)
{
    double most = share * (double)hunt->evaluations, left = hunt->began + hunt->options->max_seconds - hunt->ready;

    hunt->room = most > (double)hunt->tried ? (size_t)most - hunt->tried : 0;
    hunt->fitter.aim = aim;
    hunt->fitter.tried = 0;
    if (hunt->options->max_seconds > 0)
        hunt->fitter.deadline = hunt->ready + share * fmax(left, 0);
}

/* Room for the next stage, as long as the age has some. */
static void
allow(struct hunt *hunt, size_t stages)
{
    size_t most = hunt->fitter.tried + stages * hunt->stage_evaluations;

    hunt->fitter.most_tried = most < hunt->room ? most : hunt->room;
}

static void
allow_world(struct hunt *hunt)
{
    size_t most = (hunt->fitter.most_tried - hunt->fitter.tried) / EVOLVE_ISLANDS;

    for (size_t i = 0; i < EVOLVE_ISLANDS; i++) {
        hunt->world.islands[i].fitter.most_tried = most;
        hunt->world.islands[i].fitter.deadline = hunt->fitter.deadline;
    }
}

/* ---- stages ---- */

static bool
world_may_go_on(const struct hunt *hunt)
{
    size_t tried = world_tried(&hunt->world), most = hunt->fitter.most_tried - hunt->fitter.tried;

    return tried < hunt->stage_evaluations && tried < most && fitter_may_go_on(&hunt->fitter);
}

static int
evolve(struct hunt *hunt, const struct aim *aim, uint64_t stream, struct archive *archive)
{
    size_t before = 0;
    int status;

    if (hunt->fitter.tried + BEGINNING > hunt->room || !fitter_may_go_on(&hunt->fitter))
        return 0;
    allow_world(hunt);
    status = world_begin(&hunt->world, aim, stream, archive);
    while (!status && world_may_go_on(hunt)) {
        before = world_tried(&hunt->world);
        status = world_advance(&hunt->world, GENERATIONS);
        world_report(&hunt->world, archive);
        if (!status)
            status = report(hunt, hunt->tried + hunt->fitter.tried + world_tried(&hunt->world), archive, aim->used);
        if (world_tried(&hunt->world) == before)
            break; /* nothing new is left to try */
    }
    hunt->fitter.tried += world_tried(&hunt->world);
    return status ? status : context_look(hunt->fitter.machine.context, 0);
}

static bool
is_exact(const struct aim *aim, const struct archive *archive)
{
    const struct formula *best = archive_best(archive, ARCHIVE_MOST_NODES);

    return best && !(best->error > aim->floor);
}

/* The best of every size, with more steps, without each of its terms or another in its place, and with a number more. */
static void
polish(struct hunt *hunt, struct archive *archive)
{
    for (size_t i = 0; i <= ARCHIVE_MOST_NODES && fitter_may_go_on(&hunt->fitter); i++) {
        struct formula formula = archive->formulas[i];

        if (formula.count == 0)
            continue;
        if (formula_count_numbers(&formula) > 0 && formula_fit(&hunt->fitter, &formula, POLISH_STEPS))
            archive_offer(archive, &formula);
        if (formula_count_numbers(&formula) > 0 && hunt->options->search & MEMMODEL_FIT_SEARCH_ENUMERATE)
            formula_exchange(&hunt->fitter, &hunt->library, &hunt->selection, &formula, archive);
        if (hunt->options->search & MEMMODEL_FIT_SEARCH_EVOLVE)
            formula_grow(&hunt->fitter, &formula, archive);
    }
}

int
hunt_age(struct hunt *hunt, const struct aim *aim, uint64_t part, uint64_t age, double share, struct archive *archive)
{
    bool enumerates = hunt->options->search & MEMMODEL_FIT_SEARCH_ENUMERATE;
    const struct effort effort = {enumerates ? 3 : 1, enumerates, hunt->stage_evaluations};
    uint64_t stream = random_stream((uint64_t)hunt->options->seed, part, age, 0).key;
    int status = 0;

    begin_age(hunt, aim, share);
    allow(hunt, 1);
    if (age == 0 && enumerates)
        products_search(&hunt->products, &hunt->fitter, &hunt->grammar, archive);
    allow(hunt, 1);
    if (age == 0 && enumerates && !hunt->fitter.structure) /* what is behind a factor has other units */
        factors_search(&hunt->fitter, &hunt->library, &hunt->selection, &hunt->grammar, hunt->stage_evaluations,
                       archive);
    allow(hunt, 2);
    if (age == 0)
        enumerate_search(&hunt->fitter, &hunt->library, &hunt->selection, &hunt->grammar, &effort, archive);
    allow(hunt, 2);
    /* an exact formula of all rows may have terms too many: one age looks for a smaller one */
    if (hunt->options->search & MEMMODEL_FIT_SEARCH_EVOLVE && !(is_exact(aim, archive) && (part > 0 || age > 0)))
        status = evolve(hunt, aim, stream, archive);
    allow(hunt, 2);
    polish(hunt, archive);
    hunt->tried += hunt->fitter.tried;
    if (!status)
        status = context_check(hunt->fitter.machine.context, (int64_t)hunt->fitter.tried);
    return status ? status : report(hunt, hunt->tried, archive, aim->used);
}
