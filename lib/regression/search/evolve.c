/* Islands of formulas. */
#include "regression/search/evolve.h"

#include "regression/search/variation.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { ATTEMPTS = 6, STEPS = 4, MIGRANTS = 4, ROWS_PER_TERM = 3 };

static const double same_error = 1e-12;

/* ---- making ---- */

static struct island
island_new(struct workspace *workspace, size_t index, size_t rows, const double *const *inputs, size_t input_count,
           const struct structure *structure)
{
    return (struct island){
        .index = index,
        .inputs = input_count,
        .fitter = fitter_new(workspace, rows, inputs, input_count, structure),
        .keys.context = workspace->arena.context,
        .people = workspace_take(workspace, 2 * EVOLVE_POPULATION, sizeof(struct individual)),
        .migrants = workspace_take(workspace, MIGRANTS, sizeof(struct formula)),
        .archive = workspace_take(workspace, 1, sizeof(struct archive)),
    };
}

struct world
world_new(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count,
          const struct structure *structure, size_t threads)
{
    struct world world = {.threads = threads < 1 ? 1 : threads};

    for (size_t i = 0; i < EVOLVE_ISLANDS; i++)
        world.islands[i] = island_new(workspace, i, rows, inputs, input_count, structure);
    return world;
}

void
world_release(struct world *world)
{
    for (size_t i = 0; i < EVOLVE_ISLANDS; i++)
        keys_release(&world->islands[i].keys);
}

/* ---- ranks ---- */

static bool
dominates(const struct individual *a, const struct individual *b)
{
    double margin = same_error * b->formula.error;

    if (a->formula.error > b->formula.error + margin || a->formula.nodes > b->formula.nodes)
        return false;
    return a->formula.error < b->formula.error - margin || a->formula.nodes < b->formula.nodes;
}

/* Fronts: rank 0 are those that nobody dominates, rank 1 those that only rank 0 does, and so on. */
static void
rank_people(struct individual *people, size_t count)
{
    size_t dominators[2 * EVOLVE_POPULATION] = {0}, ranked = 0;

    for (size_t i = 0; i < count; i++) {
        people[i].rank = UINT32_MAX;
        for (size_t j = 0; j < count; j++)
            dominators[i] += dominates(&people[j], &people[i]);
    }
    for (unsigned rank = 0; ranked < count; rank++) {
        for (size_t i = 0; i < count; i++)
            if (people[i].rank == UINT32_MAX && dominators[i] == 0) {
                people[i].rank = rank;
                ranked++;
            }
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; people[i].rank == UINT32_MAX && j < count; j++)
                dominators[i] -= people[j].rank == rank && dominates(&people[j], &people[i]);
    }
}

/* How far the neighbours of its front are: by nodes alone, since along a front errors fall as nodes rise. */
static void
crowd(struct individual *people, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t below = 0, above = SIZE_MAX, alike = 0;

        for (size_t j = 0; j < count; j++) {
            size_t nodes = people[j].formula.nodes;

            if (people[j].rank != people[i].rank || j == i)
                continue;
            alike += nodes == people[i].formula.nodes && j < i;
            if (nodes < people[i].formula.nodes && nodes > below)
                below = nodes;
            if (nodes > people[i].formula.nodes && nodes < above)
                above = nodes;
        }
        people[i].crowding = above == SIZE_MAX || below == 0 ? INFINITY : (double)(above - below);
        if (alike > 0)
            people[i].crowding = -(double)alike;
    }
}

static bool
is_fitter(const struct individual *a, const struct individual *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (a->crowding != b->crowding)
        return a->crowding > b->crowding;
    return a->formula.error < b->formula.error;
}

/* The fittest first; of equal ones the earlier. */
static void
sort_people(struct individual *people, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t place = i;

        for (; place > 0 && is_fitter(&people[i], &people[order[place - 1]]); place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
}

/* Those that are not among the fittest EVOLVE_POPULATION make room. */
static void
survive(struct island *island)
{
    size_t order[2 * EVOLVE_POPULATION], kept = 0;
    bool stays[2 * EVOLVE_POPULATION] = {false};

    rank_people(island->people, island->count);
    crowd(island->people, island->count);
    if (island->count <= EVOLVE_POPULATION)
        return;
    sort_people(island->people, order, island->count);
    for (size_t i = 0; i < EVOLVE_POPULATION; i++)
        stays[order[i]] = true;
    for (size_t i = 0; i < island->count; i++)
        if (stays[i] && kept++ != i)
            island->people[kept - 1] = island->people[i];
    island->count = kept;
}

/* ---- a generation ---- */

/* Adds the formula to the people if it is new and can be fitted. */
static bool
admit(struct island *island, struct formula *formula)
{
    if (!keys_add(&island->keys, formula_key(formula)) || !formula_fit(&island->fitter, formula, STEPS))
        return false;
    archive_offer(island->archive, formula);
    island->people[island->count++] = (struct individual){.formula = *formula};
    return true;
}

static const struct formula *
choose_parent(const struct island *island, struct random *random)
{
    const struct individual *a = &island->people[random_below(random, EVOLVE_POPULATION)];
    const struct individual *b = &island->people[random_below(random, EVOLVE_POPULATION)];

    return is_fitter(b, a) ? &b->formula : &a->formula;
}

static void
beget(struct island *island, size_t index)
{
    const struct variation variation = {island->inputs, island->max_nodes, island->max_trees};
    struct random random = random_stream(island->seed, island->index, island->generation, index);
    struct formula child;

    for (size_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        const struct formula *mother = choose_parent(island, &random), *father = choose_parent(island, &random);

        if (variation_child(&variation, &random, mother, father, &child) && admit(island, &child))
            return;
    }
}

static void
advance_island(struct island *island, size_t generations)
{
    for (size_t i = 0; i < generations && island->count == EVOLVE_POPULATION; i++) {
        island->generation++;
        for (size_t index = 0; index < EVOLVE_POPULATION && fitter_may_go_on(&island->fitter); index++)
            beget(island, index);
        survive(island);
    }
}

/* ---- the world ---- */

static void
found_island(struct island *island, const struct archive *archive)
{
    const struct variation variation = {island->inputs, island->max_nodes, island->max_trees};
    struct random random = random_stream(island->seed, island->index, 0, 0);
    struct formula formula;

    for (size_t i = 0; archive && i <= ARCHIVE_MAX_NODES && island->count < EVOLVE_POPULATION / 2; i++)
        if (archive->formulas[i].count > 0 && archive->formulas[i].count <= island->max_trees &&
            archive->formulas[i].nodes <= island->max_nodes) {
            formula = archive->formulas[i];
            admit(island, &formula);
        }
    for (size_t attempt = 0; attempt < 50 * EVOLVE_POPULATION && island->count < EVOLVE_POPULATION; attempt++) {
        variation_random(&variation, &random, &formula);
        if (formula.trees[0].count > 1 || formula.trees[0].genes[0].operation == TREE_INPUT)
            admit(island, &formula);
    }
    while (island->count > 0 && island->count < EVOLVE_POPULATION) { /* few inputs have few formulas: those twice */
        island->people[island->count] = island->people[island->count - 1];
        island->count++;
    }
    survive(island);
}

int
world_begin(struct world *world, const struct aim *aim, uint64_t seed, const struct archive *archive)
{
    size_t trees = aim->used / ROWS_PER_TERM;

    for (size_t i = 0; i < EVOLVE_ISLANDS; i++) {
        struct island *island = &world->islands[i];

        keys_release(&island->keys);
        if (keys_reserve(&island->keys, 100 * EVOLVE_POPULATION))
            return MEMMODEL_ERROR_NO_MEMORY;
        memset(island->archive, 0, sizeof *island->archive);
        island->fitter.aim = aim;
        island->fitter.tried = 0;
        island->seed = seed;
        island->generation = 0;
        island->count = 0;
        island->max_nodes = ARCHIVE_MAX_NODES;
        island->max_trees = trees < 2 ? 1 : trees - 1 < FORMULA_MAX_TREES ? trees - 1 : FORMULA_MAX_TREES;
        found_island(island, archive);
    }
    return 0;
}

struct crew {
    struct world *world;
    size_t first, generations;
};

static void *
work(void *argument)
{
    const struct crew *crew = argument;

    for (size_t i = crew->first; i < EVOLVE_ISLANDS; i += crew->world->threads)
        advance_island(&crew->world->islands[i], crew->generations);
    return NULL;
}

static void
choose_migrants(struct island *island)
{
    size_t order[2 * EVOLVE_POPULATION] = {0};

    sort_people(island->people, order, island->count);
    for (size_t k = 0; k < MIGRANTS; k++)
        island->migrants[k] = island->people[order[k % (island->count ? island->count : 1)]].formula;
}

/* The fittest of an island go to the next one, in the place of its least fit. */
static void
migrate(struct world *world)
{
    for (size_t i = 0; i < EVOLVE_ISLANDS; i++)
        choose_migrants(&world->islands[i]);
    for (size_t i = 0; i < EVOLVE_ISLANDS; i++)
        for (size_t k = 0; k < MIGRANTS; k++)
            if (world->islands[i].migrants[k].count > 0)
                admit(&world->islands[(i + 1) % EVOLVE_ISLANDS], &world->islands[i].migrants[k]);
    for (size_t i = 0; i < EVOLVE_ISLANDS; i++)
        survive(&world->islands[i]);
}

int
world_advance(struct world *world, size_t generations)
{
    pthread_t threads[EVOLVE_ISLANDS];
    bool started[EVOLVE_ISLANDS] = {false};
    struct crew crews[EVOLVE_ISLANDS];
    size_t count = world->threads < EVOLVE_ISLANDS ? world->threads : EVOLVE_ISLANDS;

    world->threads = count;
    for (size_t i = 0; i < EVOLVE_ISLANDS; i++) {
        struct keys *keys = &world->islands[i].keys;

        if (keys_reserve(keys, keys->count + (generations * ATTEMPTS + 1) * EVOLVE_POPULATION + MIGRANTS))
            return MEMMODEL_ERROR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        crews[i] = (struct crew){world, i, generations};
    for (size_t i = 1; i < count; i++)
        started[i] = pthread_create(&threads[i], NULL, work, &crews[i]) == 0;
    work(&crews[0]);
    for (size_t i = 1; i < count; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            work(&crews[i]);
    migrate(world);
    return 0;
}

size_t
world_tried(const struct world *world)
{
    size_t tried = 0;

    for (size_t i = 0; i < EVOLVE_ISLANDS; i++)
        tried += world->islands[i].fitter.tried;
    return tried;
}

void
world_report(const struct world *world, struct archive *archive)
{
    for (size_t i = 0; i < EVOLVE_ISLANDS; i++)
        for (size_t k = 0; k <= ARCHIVE_MAX_NODES; k++)
            if (world->islands[i].archive->formulas[k].count > 0)
                archive_offer(archive, &world->islands[i].archive->formulas[k]);
}
