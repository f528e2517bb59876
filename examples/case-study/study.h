/* The case study's data: measured peaks of one network, and what each predictor says about them. */
#ifndef STUDY_H
#define STUDY_H

#include "memmodel.h"

#include <stdbool.h>

enum { SPLITS = 20, PREDICTORS = 3 };

enum predictor { ANALYTIC, SIMULATED, FITTED };

/* A measured training, and its predictions. */
struct point {
    double dim, batch;
    double measured; /* mean of its runs */
    int runs;
    double predicted[PREDICTORS]; /* FITTED: by a fit that has not seen the point; 0 if every fit had */
    double upper;                 /* bound of that fit */
};

/* One random 70/30 split. */
struct split {
    uint64_t seed;
    size_t trained, tested;
    double mape[PREDICTORS]; /* on the tested points */
    double coverage;         /* share of the tested points below the upper bound */
};

/* A real training step of PyTorch, recorded to the byte. */
struct recorded {
    char name[64];
    double measured, predicted;
};

struct study {
    const char *framework; /* that its trainings ran in, and that is simulated */
    memmodel_context *context;
    char provenance[256]; /* first comment line of the samples */
    memmodel_samples *samples;
    struct point *points;
    size_t count, trainings; /* points, and runs in all */
    struct split splits[SPLITS];
    double median[PREDICTORS]; /* of the splits' mape */
    double coverage;           /* mean of the splits' */
    memmodel_model *model;     /* fitted to all points */
    const char *formula;
    struct memmodel_model_scores scores;
    struct recorded *recorded;
    size_t recorded_count;
    memmodel_report *report;   /* of one simulated training, for the table and the pictures */
    memmodel_report *textbook; /* of the same one, for the closed formulas */
};

/* The bound's probability, and the question that the study answers at its end. */
#define STUDY_LEVEL 0.95
#define STUDY_DIM 144
#define STUDY_BATCH 4
#define STUDY_BUDGET (INT64_C(16) << 30)

/* What the answer is made of. */
struct answer {
    struct memmodel_prediction prediction;
    int64_t max_batch;
};

/* Each returns 0 or a negative status with its text on the study's context. */

/* Measured trainings; those that were killed are left out. */
int
study_read(struct study *study, const char *samples_path);

/* Recorded steps of PyTorch, and what the simulation says of them. */
int
study_read_recorded(struct study *study, const char *path);

int
study_predict(struct study *study);

int
study_answer(const struct study *study, struct answer *answer);

void
study_release(struct study *study);

/* results.c: everything, for pictures and other programs. `torch` is the same study of trainings in PyTorch. */
int
study_write(const struct study *study, const struct study *torch, const struct answer *answer, const char *path);

#endif
