/*
 * Genetic programming: sums of trees that are bred for little error and few nodes (NSGA-II: K. Deb and others, 2002),
 * on islands that now and then send each other their best. An island draws its numbers by (seed, island, generation,
 * index), holds its own room and breeds alone between migrations, so that what comes out does not depend on how many
 * threads there are.
 */
#ifndef SEARCH_EVOLVE_H
#define SEARCH_EVOLVE_H

#include "regression/search/archive.h"
#include "regression/search/keys.h"

enum { EVOLVE_ISLANDS = 4, EVOLVE_POPULATION = 48 };

struct individual {
    struct formula formula;
    unsigned rank;
    double crowding;
};

struct island {
    size_t index;
    uint64_t seed, generation;
    struct individual *people; /* the population, then its children */
    size_t count;
    struct formula *migrants; /* to the next island */
    struct keys keys;         /* of all formulas tried */
    struct fitter fitter;
    struct archive *archive;
    size_t inputs, max_nodes, max_trees;
};

struct world {
    struct island islands[EVOLVE_ISLANDS];
    size_t threads;
};

struct world
world_new(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count,
          const struct structure *structure, size_t threads);

/* What it has besides the workspace. */
void
world_release(struct world *world);

/*
 * Begins again, for another aim: the people are what `archive` has, and random ones. Its formulas must have been
 * fitted.
 */
int
world_begin(struct world *world, const struct aim *aim, uint64_t seed, const struct archive *archive);

/* So many generations on every island, and a migration. 0 or MEMMODEL_ERROR_NO_MEMORY */
int
world_advance(struct world *world, size_t generations);

/* Formulas tried since world_begin(). */
size_t
world_tried(const struct world *world);

/* Offers the archive what all islands have found. */
void
world_report(const struct world *world, struct archive *archive);

#endif
