/* Enumeration, evolution, and a last polish of what they found. */
#include "regression/search/tree_search.h"

#include "base/clock.h"
#include "regression/search/random.h"
#include "regression/prove/structure.h"

#include <math.h>

enum {
    DEFAULT_EVALUATIONS = 480000,
    MIN_EVALUATIONS = 20,
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
set_structure(struct tree_search *tree_search, const struct structure *structure)
{
    if (!structure || !structure->has_units)
        return;
    tree_search->fitter.structure = structure;
    for (size_t i = 0; i < EVOLVE_ISLANDS; i++)
        tree_search->world.islands[i].fitter.structure = structure;
    for (size_t i = 0; i < tree_search->library.all; i++) {
        struct tree tree = library_tree(&tree_search->library, i);

        tree_search->library.features[i].unfit = !tree_unit_fits(structure, &tree);
    }
}

int
tree_search_new(memmodel_context *context, const struct memmodel_fit_options *options,
                const struct structure *structure, size_t rows, const double *const *inputs, size_t input_count,
                struct tree_search *tree_search)
{
    int64_t evaluations = options->max_evaluations > 0 ? options->max_evaluations : DEFAULT_EVALUATIONS;
    int status;

    *tree_search = (struct tree_search){.options = options, .began = seconds_now(), .error = (double)NAN};
    tree_search->evaluations = (size_t)evaluations;
    evaluations /= STAGES_IN_ALL;
    tree_search->stage_evaluations = evaluations < MIN_EVALUATIONS ? MIN_EVALUATIONS : (size_t)evaluations;
    read_grammar(options, &tree_search->grammar);
    status = library_new(context, rows, inputs, input_count, &tree_search->grammar, tree_search->stage_evaluations,
                         &tree_search->library);
    if (!status && options->search & MEMMODEL_FIT_SEARCH_ENUMERATE)
        status = products_new(context, rows, inputs, input_count, &tree_search->grammar, &tree_search->library,
                              &tree_search->products);
    if (!status)
        status = selection_new(context, rows, tree_search->library.capacity, &tree_search->selection);
    if (!status)
        status = fitter_new(context, rows, inputs, input_count, &tree_search->fitter);
    if (!status && options->search & MEMMODEL_FIT_SEARCH_EVOLVE)
        status = world_new(context, rows, inputs, input_count, &tree_search->grammar,
                           options->threads > 0 ? (size_t)options->threads : 1, &tree_search->world);
    if (!status)
        set_structure(tree_search, structure);
    tree_search->ready = seconds_now();
    return status;
}

void
tree_search_release(memmodel_context *context, struct tree_search *tree_search)
{
    products_release(context, &tree_search->products);
    library_release(context, &tree_search->library);
    selection_release(context, &tree_search->selection);
    fitter_release(&tree_search->fitter);
    world_release(&tree_search->world);
}

/* A caller who says stop ends the fit: a formula that was not judged yet is no answer. */
static int
report(struct tree_search *tree_search, size_t tried, const struct archive *archive, size_t used)
{
    memmodel_context *context = tree_search->fitter.machine.context;
    const struct formula *best = archive_best(archive, ARCHIVE_MAX_NODES);

    if (best && used == tree_search->fitter.machine.rows)
        tree_search->error = sqrt(best->error / (double)used);
    context_report(context, "formulas", (int64_t)tried, (int64_t)tree_search->evaluations, tree_search->error);
    return context_look(context, 0);
}

/* ---- how far an age may go ---- */

/* Shares of the seconds are of those that building left. */
static void
begin_restart(struct tree_search *tree_search, const struct aim *aim, double share)
{
    double most = share * (double)tree_search->evaluations,
           left = tree_search->began + tree_search->options->max_seconds - tree_search->ready;

    tree_search->room = most > (double)tree_search->tried ? (size_t)most - tree_search->tried : 0;
    tree_search->fitter.aim = aim;
    tree_search->fitter.tried = 0;
    if (tree_search->options->max_seconds > 0)
        tree_search->fitter.deadline = tree_search->ready + share * fmax(left, 0);
}

/* Room for the next stage, as long as the age has some. */
static void
allow(struct tree_search *tree_search, size_t stages)
{
    size_t most = tree_search->fitter.tried + stages * tree_search->stage_evaluations;

    tree_search->fitter.max_tried = most < tree_search->room ? most : tree_search->room;
}

static void
allow_world(struct tree_search *tree_search)
{
    size_t most = (tree_search->fitter.max_tried - tree_search->fitter.tried) / EVOLVE_ISLANDS;

    for (size_t i = 0; i < EVOLVE_ISLANDS; i++) {
        tree_search->world.islands[i].fitter.max_tried = most;
        tree_search->world.islands[i].fitter.deadline = tree_search->fitter.deadline;
    }
}

/* ---- stages ---- */

static bool
world_may_go_on(const struct tree_search *tree_search)
{
    size_t tried = world_tried(&tree_search->world), most = tree_search->fitter.max_tried - tree_search->fitter.tried;

    return tried < tree_search->stage_evaluations && tried < most && fitter_may_go_on(&tree_search->fitter);
}

static int
evolve(struct tree_search *tree_search, const struct aim *aim, uint64_t stream, struct archive *archive)
{
    size_t before = 0;
    int status;

    if (tree_search->fitter.tried + BEGINNING > tree_search->room || !fitter_may_go_on(&tree_search->fitter))
        return 0;
    allow_world(tree_search);
    status = world_begin(&tree_search->world, aim, stream, archive);
    while (!status && world_may_go_on(tree_search)) {
        before = world_tried(&tree_search->world);
        status = world_advance(&tree_search->world, GENERATIONS);
        world_report(&tree_search->world, archive);
        if (!status)
            status =
                report(tree_search, tree_search->tried + tree_search->fitter.tried + world_tried(&tree_search->world),
                       archive, aim->used);
        if (world_tried(&tree_search->world) == before)
            break; /* nothing new is left to try */
    }
    tree_search->fitter.tried += world_tried(&tree_search->world);
    return status ? status : context_look(tree_search->fitter.machine.context, 0);
}

static bool
is_exact(const struct aim *aim, const struct archive *archive)
{
    const struct formula *best = archive_best(archive, ARCHIVE_MAX_NODES);

    return best && !(best->error > aim->floor);
}

/*
 * The best of every size, with more steps, without each of its terms or another in its place, and with a number more.
 */
static void
polish(struct tree_search *tree_search, struct archive *archive)
{
    for (size_t i = 0; i <= ARCHIVE_MAX_NODES && fitter_may_go_on(&tree_search->fitter); i++) {
        struct formula formula = archive->formulas[i];

        if (formula.count == 0)
            continue;
        if (formula_count_numbers(&formula) > 0 && formula_fit(&tree_search->fitter, &formula, POLISH_STEPS))
            archive_offer(archive, &formula);
        if (formula_count_numbers(&formula) > 0 && tree_search->options->search & MEMMODEL_FIT_SEARCH_ENUMERATE)
            formula_exchange(&tree_search->fitter, &tree_search->library, &tree_search->selection, &formula, archive);
        if (tree_search->options->search & MEMMODEL_FIT_SEARCH_EVOLVE)
            formula_grow(&tree_search->fitter, &formula, archive);
    }
}

int
tree_search_restart(struct tree_search *tree_search, const struct aim *aim, uint64_t part, uint64_t restart,
                    double share, struct archive *archive)
{
    bool enumerates = tree_search->options->search & MEMMODEL_FIT_SEARCH_ENUMERATE;
    uint64_t stream = random_stream((uint64_t)tree_search->options->seed, part, restart, 0).key;
    int status = 0;

    begin_restart(tree_search, aim, share);
    allow(tree_search, 1);
    if (restart == 0 && enumerates)
        products_search(&tree_search->products, &tree_search->fitter, &tree_search->grammar, archive);
    allow(tree_search, 2);
    if (restart == 0)
        enumerate_search(&tree_search->fitter, &tree_search->library, &tree_search->selection, &tree_search->grammar,
                         enumerates ? 3 : 1, tree_search->stage_evaluations, archive);
    allow(tree_search, 2);
    /* an exact formula of all rows may have terms too many: one age looks for a smaller one */
    if (tree_search->options->search & MEMMODEL_FIT_SEARCH_EVOLVE &&
        !(is_exact(aim, archive) && (part > 0 || restart > 0)))
        status = evolve(tree_search, aim, stream, archive);
    allow(tree_search, 2);
    polish(tree_search, archive);
    tree_search->tried += tree_search->fitter.tried;
    if (!status)
        status = context_check(tree_search->fitter.machine.context, (int64_t)tree_search->fitter.tried);
    return status ? status : report(tree_search, tree_search->tried, archive, aim->used);
}
