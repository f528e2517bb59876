/*
 * Greedy plans again and again: what came out too high is placed earlier the next time. The squeaky wheel gets the
 * grease: D. E. Joslin and D. P. Clements, Squeaky wheel optimization, JAIR 10 (1999).
 */
#ifndef PLAN_SQUEAKY_WHEEL_H
#define PLAN_SQUEAKY_WHEEL_H

#include "plan/greedy.h"

struct wheel;
struct ranked;

struct squeaky_wheel {
    struct greedy *greedy;
    struct wheel *wheels; /* orders that change from turn to turn */
    struct ranked *ranked;
};

/* 0 or MEMMODEL_ERROR_NO_MEMORY; to be released either way. */
int
squeaky_wheel_start(struct squeaky_wheel *squeaky_wheel, struct greedy *greedy);

/*
 * So many turns of each wheel, each worth a node an item; ends when the plan is good enough or the budget is used up.
 */
int
squeaky_wheel_turn(struct squeaky_wheel *squeaky_wheel, int turns);

void
squeaky_wheel_release(struct squeaky_wheel *squeaky_wheel);

#endif
