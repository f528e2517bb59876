/* The formula that is shortest to describe, and the smallest that is not surely worse than the best one, by rows held out. */
#ifndef REGRESSION_GENERAL_CHOICE_H
#define REGRESSION_GENERAL_CHOICE_H

#include "regression/general.h"

/* Chooses the candidate with the least score; the constant where nothing predicts rows held out better than it does. */
void
general_choose_shortest(struct general *general);

/* Empty unless the rule of one standard error is asked for. */
struct general_choice {
    size_t inputs;        /* of the sum of all inputs */
    double floor;         /* a mean loss that counts as none */
    struct matrix losses; /* of every row by every candidate, held out */
    double *differences;  /* of every point: room */
};

/* Room for candidates. 0 or MEMMODEL_ERROR_NO_MEMORY; a failed one may be released. */
int
general_choice_new(const struct training *training, size_t candidates, struct general_choice *choice);

void
general_choice_release(memmodel_context *context, struct general_choice *choice);

/*
 * Chooses the smallest candidate whose loss exceeds the least one by no more than the standard error of the difference; of
 * equally small ones that of the shortest description, which the scores tell. It gives way to the sum of all inputs, and to the
 * constant, if that is no larger and not worse by more than a standard error.
 */
void
general_choose_smallest(const struct general_choice *choice, const struct training *training, struct general *general);

#endif
