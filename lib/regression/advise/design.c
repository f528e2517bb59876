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
design_new(struct workspace *workspace, struct matrix shares, size_t candidates, double error, struct design *design)
{
    size_t terms = shares.rows, points = shares.columns;

    *design = (struct design){
        .points = points,
        .candidates = candidates,
        .terms = terms,
        .shares = shares,
        .vectors = matrix_new(workspace, terms, points),
        .leverages = workspace_take(workspace, points, sizeof *design->leverages),
        .spare = workspace_take(workspace, terms, sizeof *design->spare),
    };
    if (!workspace->status)
        start(design, error);
    return workspace->status;
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
