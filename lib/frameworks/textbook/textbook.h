/*
 * The rules of textbooks: memory as a weighted sum of five quantities, without time.
 *
 * The sums are the same in numbers and in symbols, so one table of terms gives a job's bytes and its closed formula.
 */
#ifndef TEXTBOOK_H
#define TEXTBOOK_H

#include "memmodel/job.h"
#include "memmodel/trace.h"
#include "network/network.h"

/* What a network has that takes memory. All in bytes. */
enum textbook_quantity {
    TEXTBOOK_PARAMETERS, /* all, moving statistics included */
    TEXTBOOK_TRAINED,    /* parameters that are trained */
    TEXTBOOK_STATE,      /* the optimizer's slots of these */
    TEXTBOOK_INPUTS,     /* inputs that a layer other than a loss uses */
    TEXTBOOK_OUTPUTS,    /* outputs of all layers that are new memory; see textbook_counts_output() */
    TEXTBOOK_QUANTITY_COUNT
};

/* `factor` times the quantity counts towards the category. */
struct textbook_term {
    int category; /* enum memmodel_category */
    enum textbook_quantity quantity;
    int factor;
};

enum { TEXTBOOK_MAX_TERMS = 6 };

struct textbook_rule {
    const char *name;
    struct textbook_term terms[TEXTBOOK_MAX_TERMS];
    int term_count;
};

/* The rule for a job with its defaults filled in; an inference job counts no gradients, and no slots are no term. */
int
textbook_rule_of_job(memmodel_context *context, const struct memmodel_job *job, struct textbook_rule *rule);

/*
 * True if a layer's outputs are memory that the textbook counts: not inputs and parameters, not losses (a few bytes),
 * not views of their input, and not the layer whose fused activation follows (the two count as one, at the activation).
 */
bool
textbook_counts_output(const memmodel_network *network, const struct layer *layer);

/* True for an input that a layer other than a loss uses: the textbook counts no targets. */
bool
textbook_counts_input(const memmodel_network *network, const struct layer *layer);

/* True for a layer whose output is its input's memory in another shape. */
bool
textbook_is_view(enum op op);

/* Slots of each parameter in the job's optimizer, for memory_release(). */
int
textbook_slots(memmodel_context *context, const memmodel_network *network, const struct memmodel_job *job, int **slots);

/* Bytes of each quantity; MEMMODEL_ERROR_OVERFLOW names the layer. */
int
textbook_count(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
               int64_t bytes[TEXTBOOK_QUANTITY_COUNT]);

/* Bytes by category under a rule; MEMMODEL_ERROR_OVERFLOW. */
int
textbook_categories(memmodel_context *context, const struct textbook_rule *rule,
                    const int64_t quantities[TEXTBOOK_QUANTITY_COUNT], int64_t bytes[MEMMODEL_MAX_CATEGORIES]);

#endif
