/* Products, sums, evolution, and a last polish. */
#include "regression/search/tree_search.h"

#include "regression/search/random.h"
#include "regression/search/sums.h"

#include <math.h>

enum {
    DEFAULT_EVALUATIONS = 480000,
    MIN_EVALUATIONS = 20,
    STAGES = 40, /* more than there are */
    GENERATIONS = 5,
    BEGINNING = 2 * EVOLVE_ISLANDS * EVOLVE_POPULATION, /* about what islands try before they breed */
    FIRST_NUMBERS = 2
};

int
tree_search_new(struct workspace *workspace, const struct memmodel_fit_options *options,
                const struct structure *structure, size_t rows, const double *const *inputs, size_t input_count,
                struct tree_search *tree_search)
{
    size_t evaluations = options->max_evaluations > 0 ? (size_t)options->max_evaluations : DEFAULT_EVALUATIONS,
           stage = evaluations / STAGES < MIN_EVALUATIONS ? MIN_EVALUATIONS : evaluations / STAGES;
    int status;

    *tree_search = (struct tree_search){
        .seed = (uint64_t)options->seed,
        .evaluations = evaluations,
        .stage_evaluations = stage,
        .fitter = fitter_new(workspace, rows, inputs, input_count, structure),
        .world = world_new(workspace, rows, inputs, input_count, structure,
                           options->threads > 0 ? (size_t)options->threads : 1),
    };
    status = library_new(workspace, rows, inputs, input_count, structure, stage, &tree_search->library);
    if (status)
        return status;
    return products_new(workspace, rows, inputs, input_count, structure, &tree_search->library, &tree_search->products);
}

/* A caller who says stop ends the fit: a formula that was not judged yet is no answer. */
static int
report(const struct tree_search *tree_search, size_t tried, const struct archive *archive)
{
    memmodel_context *context = tree_search->fitter.machine.context;
    const struct formula *best = archive_best(archive, ARCHIVE_MAX_NODES);
    double error = best ? sqrt(best->error / (double)tree_search->fitter.machine.rows) : (double)NAN;

    context_report(context, "formulas", (int64_t)tried, (int64_t)tree_search->evaluations, error);
    return context_look(context, 0);
}

/* Room for so many stages, as long as the search has some. */
static void
allow(struct tree_search *tree_search, size_t stages)
{
    size_t most = tree_search->fitter.tried + stages * tree_search->stage_evaluations;

    tree_search->fitter.max_tried = most < tree_search->evaluations ? most : tree_search->evaluations;
}

/*
 * Generations until a stage's formulas were tried, or nothing new is left to try. Every second restart knows nothing
 * of the best so far: what stands in for a law would be bred in place of it.
 */
static int
evolve(struct tree_search *tree_search, uint64_t restart, struct archive *archive)
{
    struct fitter *fitter = &tree_search->fitter;
    struct world *world = &tree_search->world;
    size_t room, before = 0;
    int status;

    allow(tree_search, 1);
    if (fitter->tried + BEGINNING > fitter->max_tried)
        return 0;
    room = fitter->max_tried - fitter->tried;
    for (size_t i = 0; i < EVOLVE_ISLANDS; i++)
        world->islands[i].fitter.max_tried = room / EVOLVE_ISLANDS;
    status = world_begin(world, fitter->aim, random_stream(tree_search->seed, 0, restart, 0).key,
                         restart % 2 ? NULL : archive);
    while (!status && world_tried(world) != before && world_tried(world) < room && fitter_may_go_on(fitter)) {
        before = world_tried(world);
        status = world_advance(world, GENERATIONS);
        world_report(world, archive);
        status = status ? status : report(tree_search, fitter->tried + world_tried(world), archive);
    }
    fitter->tried += world_tried(world);
    return status;
}

/* What products and sums give, and numbers in these. */
static int
begin(struct tree_search *tree_search, struct archive *archive)
{
    struct fitter *fitter = &tree_search->fitter;
    int status;

    allow(tree_search, 1);
    products_search(&tree_search->products, fitter, archive);
    allow(tree_search, 1);
    archive_polish(fitter, FIRST_NUMBERS, archive);
    allow(tree_search, 1);
    status = sums_search(&tree_search->library, fitter, archive);
    allow(tree_search, 1);
    archive_polish(fitter, FIRST_NUMBERS, archive);
    return status;
}

int
tree_search_restart(struct tree_search *tree_search, uint64_t restart, struct archive *archive)
{
    size_t before = tree_search->fitter.tried;
    int status = 0;

    if (restart == 0)
        status = begin(tree_search, archive);
    if (status)
        return status;
    if (restart == 0 ||
        !archive_is_exact(archive, tree_search->fitter.aim)) /* an exact formula may have terms too many */
        status = evolve(tree_search, restart, archive);
    allow(tree_search, 2);
    archive_polish(&tree_search->fitter, 1, archive);
    if (!status)
        status = context_check(tree_search->fitter.machine.context, (int64_t)(tree_search->fitter.tried - before));
    return status ? status : report(tree_search, tree_search->fitter.tried, archive);
}
