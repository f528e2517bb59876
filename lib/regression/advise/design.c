/* Bayesian designs of experiments for a sum of terms. */
#include "regression/advise/design.h"
#include "expression/expression.h"
#include "expression/kernels.h"

#include <math.h>
#include <string.h>

/* P is the unit matrix over the error's square. */
static void
start(struct design *design, double error)
{
    size_t terms = design->terms;

    for (size_t i = 0; i < design->points; i++) {
        double *share = matrix_column(&design->shares, i), *vector = matrix_column(&design->vectors, i);

        for (size_t k = 0; k < terms; k++)
            vector[k] = share[k] / (error * error);
        design->leverages[i] = vector_dot(terms, share, vector);
    }
}

int
design_new(memmodel_context *context, struct matrix shares, size_t candidates, double error, struct design *design)
{
    size_t terms = shares.rows, points = shares.columns;
    int status;

    *design = (struct design){
        .context = context, .points = points, .candidates = candidates, .terms = terms, .shares = shares};
    status = matrix_new(context, terms, points, &design->vectors);
    if (status)
        return status;
    design->leverages = memory_allocate_zeroed(context, points, sizeof *design->leverages);
    design->spare = memory_allocate_zeroed(context, terms, sizeof *design->spare);
    if (!design->leverages || !design->spare)
        return MEMMODEL_ERROR_NO_MEMORY;
    start(design, error);
    return 0;
}

void
design_release(struct design *design)
{
    matrix_release(&design->shares);
    matrix_release(&design->vectors);
    memory_release(design->context, design->leverages);
    memory_release(design->context, design->spare);
}

/* P loses v v' / (1 + h) with v = P u of the point; all that is made of P follows. */
void
design_measure(struct design *design, size_t point)
{
    size_t terms = design->terms;
    double *v = design->spare, spread = 1 + design->leverages[point];

    memcpy(v, matrix_column(&design->vectors, point), terms * sizeof *v);
    for (size_t i = 0; i < design->points; i++) {
        double product = vector_dot(terms, matrix_column(&design->shares, i), v), factor = product / spread;

        design->leverages[i] = fmax(design->leverages[i] - product * factor, 0);
        vector_add_scaled(terms, matrix_column(&design->vectors, i), -factor, v);
    }
    design->measured++;
}

double
design_leverage(const struct design *design)
{
    double sum = 0;

    for (size_t c = 0; c < design->candidates; c++)
        sum += design->leverages[c];
    return sum / (double)design->candidates;
}

size_t
design_choose(const struct design *design, const double *costs)
{
    double most = -INFINITY;
    size_t best = 0;

    for (size_t c = 0; c < design->candidates; c++) {
        double gain = kernel_point(OPCODE_LOG, 1 + design->leverages[c], 0) / costs[c];

        if (gain > most) {
            most = gain;
            best = c;
        }
    }
    return best;
}
