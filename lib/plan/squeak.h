/*
 * Greedy plans again and again: what came out too high is placed earlier the next time. The squeaky wheel gets the grease: D. E.
 * Joslin and D. P. Clements, Squeaky wheel optimization, JAIR 10 (1999).
 */
#ifndef PLAN_SQUEAK_H
#define PLAN_SQUEAK_H

#include "plan/greedy.h"

struct wheel;
struct ranked;

struct squeak {
    struct greedy *greedy;
    struct wheel *wheels; /* orders that change from turn to turn */
    struct ranked *ranked;
};

/* 0 or MEMMODEL_ERROR_NOMEM; to be released either way. */
int
squeak_start(struct squeak *squeak, struct greedy *greedy);

/* So many turns of each wheel, each worth a node an item; ends when the plan is good enough or the budget is used up. */
int
squeak_turn(struct squeak *squeak, int turns);

void
squeak_release(struct squeak *squeak);

#endif
