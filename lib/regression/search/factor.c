/* Sums behind a factor, or in a power: (M (a + b u + c v))^(1/p). In y^p / M they are sums of features, as any. */
#include "regression/search/enumerate.h"

#include <math.h>
#include <string.h>

enum { STEPS = 12, TRIED_PER_FACTOR = 600 };

static const double extreme = 1e100, nearly = 0.02;

struct factoring {
    struct fitter *fitter;
    const struct library *library;
    struct selection *selection;
    const struct grammar *grammar;
    struct archive *archive;
    const struct aim *aim; /* of the formula */
    struct aim inner;      /* of the sum in it */
    int power;
    ptrdiff_t factor; /* a feature, or -1 for none */
};

static double
whole_power(double x, int power)
{
    return power == 2 ? x * x : power == 1 ? x : power == -1 ? 1 / x : 1 / (x * x);
}

/* y^p / M, weighed so that small errors of it count as those of y do. false where it has no value on a row. */
static bool
set_inner_aim(struct factoring *of)
{
    double *target = of->selection->target, *roots = of->selection->roots;
    const double *factor = of->factor < 0 ? NULL : matrix_column(&of->library->values, (size_t)of->factor);

    for (size_t i = 0; i < of->library->values.rows; i++) {
        double y = of->aim->target[i], m = factor ? factor[i] : 1;

        if (of->power % 2 == 0 && !(y > 0))
            return false;
        target[i] = whole_power(y, of->power) / m;
        roots[i] = of->aim->roots[i] * fabs(m * y / whole_power(y, of->power));
        if (!(fabs(target[i]) < extreme) || !(roots[i] < extreme))
            return false;
    }
    of->inner = (struct aim){target, roots, of->aim->used, 0};
    return true;
}

static struct tree
number_tree(double number)
{
    return (struct tree){.count = 1, .genes = {{.operation = TREE_NUMBER, .number = number}}};
}

/* sum + ratio * term; a ratio of 1 or -1 is no number */
static bool
add_term(struct tree *sum, const struct tree *term, double ratio)
{
    struct tree scaled = *term, number = number_tree(ratio);

    if (ratio == 1 || ratio == -1)
        return tree_join(sum, ratio > 0 ? TREE_ADD : TREE_SUBTRACT, sum, term);
    return tree_join(&scaled, TREE_MULTIPLY, term, &number) && tree_join(sum, TREE_ADD, sum, &scaled);
}

static double
rounded(double ratio, bool rounds)
{
    double whole = floor(ratio + 0.5);

    return rounds && fabs(whole) == 1 && fabs(ratio - whole) < nearly ? whole : ratio;
}

/* The sum over its first coefficient above 0, which is the formula's. */
static bool
sum_tree(const struct formula *sum, bool rounds, bool constant, struct tree *tree)
{
    size_t pivot = 0;

    while (pivot < sum->count && !(sum->coefficients[pivot] > 0))
        pivot++;
    if (pivot == sum->count)
        return false;
    *tree = sum->trees[pivot];
    for (size_t k = 0; k < sum->count; k++)
        if (k != pivot &&
            !add_term(tree, &sum->trees[k], rounded(sum->coefficients[k] / sum->coefficients[pivot], rounds)))
            return false;
    if (constant) {
        struct tree number = number_tree(sum->constant / sum->coefficients[pivot]);

        return tree_join(tree, TREE_ADD, tree, &number);
    }
    return true;
}

static bool
raise_tree(const struct factoring *of, struct tree *tree)
{
    struct tree factor;

    if (of->factor >= 0) {
        factor = library_tree(of->library, (size_t)of->factor);
        if (!tree_join(tree, TREE_MULTIPLY, tree, &factor))
            return false;
    }
    return (of->power % 2 != 0 || tree_join(tree, TREE_ROOT, tree, NULL)) &&
           (of->power > 0 || tree_join(tree, TREE_INVERSE, tree, NULL));
}

/* What the sum leaves of y^p / M, weighed, is about what the formula leaves of y. */
static bool
is_worth_fitting(const struct factoring *of, const struct formula *sum, const struct formula *formula)
{
    return archive_may_take(of->archive, formula_count_nodes(formula), sum->error) &&
           grammar_allows(of->grammar, formula);
}

static void
offer_power(const struct factoring *of, const struct formula *sum, bool rounds, bool constant)
{
    struct formula formula = {.count = 1};

    if (!sum_tree(sum, rounds, constant, &formula.trees[0]) || !raise_tree(of, &formula.trees[0]))
        return;
    tree_simplify(&formula.trees[0]);
    if (is_worth_fitting(of, sum, &formula) && formula_fit(of->fitter, &formula, STEPS))
        archive_offer(of->archive, &formula);
}

/* M and M times each term: all of their coefficients are the formula's. */
static void
offer_product(const struct factoring *of, const struct formula *sum, bool constant)
{
    struct formula formula = {.count = 0};
    struct tree factor = library_tree(of->library, (size_t)of->factor);

    if (constant)
        formula.trees[formula.count++] = factor;
    for (size_t k = 0; k < sum->count; k++) {
        if (formula.count == FORMULA_MOST_TREES ||
            !tree_join(&formula.trees[formula.count], TREE_MULTIPLY, &sum->trees[k], &factor))
            return;
        tree_simplify(&formula.trees[formula.count++]);
    }
    if (is_worth_fitting(of, sum, &formula) && formula_fit_linear(of->fitter, &formula))
        archive_offer(of->archive, &formula);
}

static void
search_factor(struct factoring *of)
{
    const struct formula *sums = of->selection->work->sums;
    size_t count;

    if (!set_inner_aim(of))
        return;
    of->fitter->aim = &of->inner;
    count = library_sums(of->fitter, of->library, of->selection);
    of->fitter->aim = of->aim;
    for (size_t i = 0; i < count && fitter_may_go_on(of->fitter); i++)
        for (int constant = 0; constant < 2; constant++) {
            if (of->power == 1) {
                offer_product(of, &sums[i], constant);
                continue;
            }
            offer_power(of, &sums[i], true, constant);
            offer_power(of, &sums[i], false, constant);
        }
}

void
factors_search(struct fitter *fitter, const struct library *library, struct selection *selection,
               const struct grammar *grammar, size_t most_tried, struct archive *archive)
{
    static const int powers[] = {1, 2, -1, -2};
    struct factoring of = {fitter, library, selection, grammar, archive, .aim = fitter->aim};
    size_t factors = most_tried / TRIED_PER_FACTOR < library->count ? most_tried / TRIED_PER_FACTOR : library->count;

    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++)
        for (of.factor = -1; of.factor < (ptrdiff_t)factors; of.factor++) {
            const struct formula *best = archive_best(archive, ARCHIVE_MOST_NODES);

            of.power = powers[k];
            if ((best && !(best->error > fitter->aim->floor)) || !fitter_may_go_on(fitter))
                return;
            if (of.power != 1 || of.factor >= 0)
                search_factor(&of);
        }
}
