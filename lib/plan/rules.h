/* What the search for a plan makes use of, so that tests and benchmarks can see what each is worth. */
#ifndef PLAN_RULES_H
#define PLAN_RULES_H

#include "memmodel/plan.h"

/* Rules of the search, see doc/guide/planning.md. */
enum plan_rule {
    PLAN_RULE_PREORDERING = 1,        /* orders and fits to start from */
    PLAN_RULE_CANONICAL = 2,          /* offsets never fall */
    PLAN_RULE_DOMINANCE = 4,          /* no hole that an unplaced buffer would fit in */
    PLAN_RULE_SECTIONS = 8,           /* what is unplaced in a section has to fit above its floor */
    PLAN_RULE_FLOOR = 16,             /* and above the current offset */
    PLAN_RULE_HATLESS = 32,           /* no alternatives to a buffer under which nothing lies */
    PLAN_RULE_DECOMPOSITION = 64,     /* components that share no time are solved separately */
    PLAN_RULE_DYNAMIC_ORDERING = 128, /* and each in an order of its own */
    PLAN_RULE_RESTART = 256,          /* several orders in turn, each with little at first */
};

/* Solves without these rules, a sum of enum plan_rule. The answer stays right. */
void
plan_leave_out(memmodel_plan *plan, uint64_t rules);

#endif
