/* Sums of features, and numbers in them. */
#include "regression/search/enumerate.h"

#include <math.h>
#include <string.h>

enum {
    SINGLES = SELECTION_SINGLES,
    BEAM = 6,
    GROWN = 8,
    GROWN_PAIRS = SELECTION_PAIRS,
    MAX_GROWN = 3,
    STEPS = 12,
    ROWS_PER_NUMBER = 3
};
enum { SMALL_NODES = 5, MAX_SMALL = 3000 };

static const double dependent = 1e-7;

int
selection_new(memmodel_context *context, size_t rows, size_t features, struct selection *selection)
{
    size_t each = features + 1;
    double *numbers = memory_allocate_zeroed(context, 6 * each + rows, sizeof *numbers);

    *selection = (struct selection){.residuals_left = numbers};
    if (!numbers)
        return MEMMODEL_ERROR_NO_MEMORY;
    selection->gains = numbers + each;
    selection->norms = selection->gains + each;
    selection->first_rests = selection->norms + each;
    selection->alignments = selection->first_rests + each;
    selection->first_alignments = selection->alignments + each;
    selection->weighted = selection->first_alignments + each;
    selection->work = memory_allocate_zeroed(context, 1, sizeof *selection->work);
    return selection->work ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

void
selection_release(memmodel_context *context, struct selection *selection)
{
    memory_release(context, selection->work);
    memory_release(context, selection->residuals_left);
}

size_t
list_best(const double *gains, size_t end, size_t wanted, size_t *best)
{
    size_t count = 0;

    for (size_t j = 0; j < end; j++) {
        size_t place = count;

        if (!(gains[j] > 0) || (count == wanted && !(gains[j] > gains[best[count - 1]])))
            continue;
        if (count < wanted)
            count++;
        else
            place--;
        for (; place > 0 && gains[best[place - 1]] < gains[j]; place--)
            best[place] = best[place - 1];
        best[place] = j;
    }
    return count;
}

/* ---- sums ---- */

struct search {
    struct fitter *fitter;
    const struct library *library;
    struct selection *selection;
    const struct grammar *grammar;
    size_t max_tried;
    struct archive *archive;
};

static size_t
small_end(const struct library *library)
{
    return library->ends[SMALL_NODES] < MAX_SMALL ? library->ends[SMALL_NODES] : MAX_SMALL;
}

static size_t
affordable_trees(const struct fitter *fitter)
{
    size_t trees = fitter->aim->used / ROWS_PER_NUMBER;

    return trees < 2 ? 1 : trees - 1 < FORMULA_MAX_TREES ? trees - 1 : FORMULA_MAX_TREES;
}

static bool
is_over(const struct search *search)
{
    return search->fitter->tried >= search->max_tried || !fitter_may_go_on(search->fitter);
}

/* products[j]: of feature j and a vector of weighted rows, for the first `end`. */
static void
multiply_features(const struct search *search, size_t end, const double *vector, double *products)
{
    struct selection *selection = search->selection;
    size_t rows = search->library->values.rows;

    for (size_t i = 0; i < rows; i++)
        selection->weighted[i] = vector[i] * search->fitter->aim->sqrt_weights[i];
    matrix_multiply(&search->library->values, end, selection->weighted, products);
}

/* Squared norms, weighted, of the first features, and what a constant leaves of them. */
static void
measure_features(const struct search *search, size_t count)
{
    struct selection *selection = search->selection;
    struct formula constant = {.count = 0};
    size_t rows = search->library->values.rows;
    const double *sqrt_weights = search->fitter->aim->sqrt_weights;

    for (size_t j = 0; j < count; j++) {
        const double *values = matrix_column(&search->library->values, j);

        selection->norms[j] = 0;
        for (size_t i = 0; i < rows; i++)
            selection->norms[j] += (values[i] * sqrt_weights[i]) * (values[i] * sqrt_weights[i]);
    }
    formula_fit_linear(search->fitter, &constant);
    multiply_features(search, count, matrix_column(&search->fitter->linear.q, 0), selection->gains);
    for (size_t j = 0; j < count; j++)
        selection->first_rests[j] = selection->norms[j] - selection->gains[j] * selection->gains[j];
    multiply_features(search, count, search->fitter->residual, selection->first_alignments);
}

/* What the formula's last tree leaves of features and of their products with the residual, given what the others do. */
static void
take_off_last(const struct search *search, size_t end)
{
    struct selection *selection = search->selection;
    const struct qr *qr = &search->fitter->linear;
    const double *q = matrix_column(&qr->q, qr->count - 1);
    double along = 0;

    for (size_t i = 0; i < qr->q.rows; i++)
        along += q[i] * search->fitter->aim->target[i] * search->fitter->aim->sqrt_weights[i];
    multiply_features(search, end, q, selection->gains);
    for (size_t j = 0; j < end; j++) {
        selection->residuals_left[j] -= selection->gains[j] * selection->gains[j];
        selection->alignments[j] -= along * selection->gains[j];
    }
}

/*
 * What each of the first `end` features would explain: the squared product with the residual over the squared norm
 * that is left of it. Both are kept from the call before, which was for the formula's trees but for the last.
 */
static void
weigh_features(const struct search *search, size_t end)
{
    struct selection *selection = search->selection;
    size_t trees = search->fitter->linear.count - 1;

    if (trees <= 1) {
        memcpy(selection->residuals_left, selection->first_rests, end * sizeof *selection->residuals_left);
        memcpy(selection->alignments, selection->first_alignments, end * sizeof *selection->alignments);
    }
    if (trees > 0)
        take_off_last(search, end);
    for (size_t j = 0; j < end; j++) {
        bool left =
            !search->library->features[j].unfit && selection->residuals_left[j] > dependent * selection->norms[j];

        selection->gains[j] =
            left ? selection->alignments[j] * selection->alignments[j] / selection->residuals_left[j] : 0;
    }
}

/*
 * The formula with one more tree for each of the features that explain most of what it leaves. Called for a formula
 * with its trees but the last one before.
 */
static size_t
extend(const struct search *search, const struct formula *formula, size_t end, size_t wanted, struct formula *longer)
{
    struct fitter *fitter = search->fitter;
    struct formula own = *formula;
    size_t best[SINGLES], found, count = 0;

    if (!formula_fit_linear(fitter, &own))
        return 0;
    weigh_features(search, end);
    found = list_best(search->selection->gains, end, wanted, best);
    for (size_t i = 0; i < found && fitter_may_go_on(fitter); i++) {
        struct formula *made = &longer[count];

        *made = *formula;
        made->trees[made->count++] = library_tree(search->library, best[i]);
        if (!formula_fit_linear(fitter, made))
            continue;
        if (search->archive)
            archive_offer(search->archive, made);
        count++;
    }
    return count;
}

/* ---- numbers ---- */

/* What may become of a node u: u + number, or number * u, as a tree of its own at its place. */
static bool
put_number(struct tree *tree, size_t node, unsigned operation, double number)
{
    size_t sizes[TREE_MAX_NODES], first;
    struct tree_gene genes[TREE_MAX_NODES];

    if (tree->count + 2 > TREE_MAX_NODES)
        return false;
    tree_measure(tree, sizes);
    first = node + 1 - sizes[node];
    memcpy(genes, tree->genes + first, sizes[node] * sizeof *genes);
    genes[sizes[node]] = (struct tree_gene){.operation = TREE_NUMBER, .number = number};
    genes[sizes[node] + 1] = (struct tree_gene){.operation = (uint8_t)operation};
    return tree_replace(tree, first, node + 1, genes, sizes[node] + 2);
}

/* A number's usual size at that node: the mean size of the node's values. */
static double
usual_size(struct fitter *fitter, const struct tree *tree, size_t node)
{
    double sum = 0;

    tree_run(&fitter->machine, tree);
    for (size_t i = 0; i < fitter->machine.rows; i++)
        sum += fabs(fitter->machine.columns[node][i]);
    return sum / (double)fitter->machine.rows;
}

static void
try_number(struct fitter *fitter, const struct formula *formula, size_t k, size_t node, unsigned operation,
           double number, struct formula *best, struct archive *archive)
{
    struct formula grown = *formula;

    if (!put_number(&grown.trees[k], node, operation, number) || !formula_fit(fitter, &grown, STEPS))
        return;
    archive_offer(archive, &grown);
    if (grown.error < best->error)
        *best = grown;
}

/* The operation that a node is an operand of; TREE_LEAF for the root. */
static unsigned
parent_of(const struct tree *tree, const size_t *sizes, size_t node)
{
    for (size_t i = node + 1; i < tree->count; i++)
        if (tree_operands(tree->genes[i].operation) > 0 &&
            (i == node + 1 || (tree_operands(tree->genes[i].operation) > 1 && tree_first_operand(sizes, i) == node)))
            return tree->genes[i].operation;
    return TREE_LEAF;
}

static void
try_node(struct fitter *fitter, const struct formula *formula, size_t k, size_t node, struct formula *best,
         struct archive *archive)
{
    const struct tree *tree = &formula->trees[k];
    size_t sizes[TREE_MAX_NODES];
    unsigned parent, own = tree->genes[node].operation;
    double size;

    tree_measure(tree, sizes);
    parent = parent_of(tree, sizes, node);
    if (own == TREE_NUMBER || parent == TREE_LEAF)
        return;
    if (parent != TREE_ADD && parent != TREE_SUBTRACT && own != TREE_MULTIPLY) {
        size = usual_size(fitter, tree, node);
        try_number(fitter, formula, k, node, TREE_ADD, 0.1 * size, best, archive);
        try_number(fitter, formula, k, node, TREE_ADD, size, best, archive);
    }
    if (parent == TREE_ADD || parent == TREE_SUBTRACT || parent == TREE_MIN || parent == TREE_MAX)
        try_number(fitter, formula, k, node, TREE_MULTIPLY, 1, best, archive);
}

bool
formula_grow(struct fitter *fitter, struct formula *formula, struct archive *archive)
{
    struct formula best = *formula;

    if ((formula_count_numbers(formula) + formula->count + 2) * ROWS_PER_NUMBER > fitter->aim->used ||
        formula_count_numbers(formula) == FORMULA_MAX_NUMBERS)
        return false;
    for (size_t k = 0; k < formula->count; k++)
        for (size_t node = 0; node < formula->trees[k].count && fitter_may_go_on(fitter); node++)
            try_node(fitter, formula, k, node, &best, archive);
    if (!(best.error < formula->error))
        return false;
    *formula = best;
    return true;
}

/* ---- the whole ---- */

static void
grow_all(const struct search *search, struct formula *formulas, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t numbers = 0; numbers < MAX_GROWN && !is_over(search); numbers++)
            if (!formula_grow(search->fitter, &formulas[i], search->archive))
                break;
}

/* Longer sums, a step at a time, from one that was just found. */
static void
lengthen(const struct search *search, const struct formula *sum, size_t end)
{
    struct formula line[1] = {*sum}, longer[1];

    while (line[0].count < affordable_trees(search->fitter) && extend(search, &line[0], end, 1, longer) > 0)
        line[0] = longer[0];
}

/*
 * Sums of features of at most so many nodes, from the best few of one feature on. A number may be all that a feature
 * lacks: it is put into the best few of one, and of the best one with another.
 */
static void
search_sums(const struct search *search, size_t end)
{
    struct formula *singles = search->selection->work->singles, *pairs = search->selection->work->pairs;
    size_t count = extend(search, &(struct formula){.count = 0}, end, SINGLES, singles), paired = 0;

    if (count > 0 && affordable_trees(search->fitter) > 1)
        paired = extend(search, &singles[0], end, GROWN_PAIRS, pairs);
    if (paired > 0)
        lengthen(search, &pairs[0], end);
    for (size_t i = 1; i < count && i < BEAM; i++)
        lengthen(search, &singles[i], end);
    grow_all(search, singles, count < GROWN ? count : GROWN);
    grow_all(search, pairs, paired);
}

/* ---- exchanges ---- */

/* extend() for a formula whose trees were not weighed one by one. */
static size_t
extend_anew(const struct search *search, const struct formula *formula, size_t end, size_t wanted,
            struct formula *longer)
{
    struct formula part = *formula;

    for (part.count = 0; part.count < formula->count; part.count++) {
        struct formula own = part;

        if (!formula_fit_linear(search->fitter, &own))
            return 0;
        weigh_features(search, end);
    }
    return extend(search, formula, end, wanted, longer);
}

void
formula_exchange(struct fitter *fitter, const struct library *library, struct selection *selection,
                 const struct formula *formula, struct archive *archive)
{
    struct search search = {.fitter = fitter, .library = library, .selection = selection, .archive = archive};
    size_t end = small_end(library);
    struct formula rest, longer[1];

    measure_features(&search, end);
    for (size_t k = 0; formula->count > 1 && k < formula->count && fitter_may_go_on(fitter); k++) {
        rest = *formula;
        rest.trees[k] = rest.trees[--rest.count];
        if (extend_anew(&search, &rest, end, 1, longer) > 0 && formula_fit(fitter, &longer[0], STEPS))
            archive_offer(archive, &longer[0]);
        if (formula_fit(fitter, &rest, STEPS))
            archive_offer(archive, &rest);
    }
}

/* Of every number of trees the best so far, with numbers in it. */
static void
grow_archive(const struct search *search)
{
    for (size_t count = 2; count <= 3; count++) {
        struct formula best = {.count = 0};

        for (size_t i = 0; i <= ARCHIVE_MAX_NODES; i++)
            if (search->archive->formulas[i].count == count &&
                (best.count == 0 || search->archive->formulas[i].error < best.error))
                best = search->archive->formulas[i];
        if (best.count > 0)
            grow_all(search, &best, 1);
    }
}

void
enumerate_search(struct fitter *fitter, const struct library *library, struct selection *selection,
                 const struct grammar *grammar, size_t libraries, size_t max_tried, struct archive *archive)
{
    struct search search = {fitter, library, selection, grammar, fitter->tried + max_tried, archive};
    const size_t ends[] = {library->ends[3], library->ends[5], library->all};
    size_t last = 0;

    if (is_over(&search))
        return;
    measure_features(&search, library->all);
    for (size_t i = 0; i < sizeof ends / sizeof *ends && i < libraries && !is_over(&search); i++) {
        if (ends[i] == last)
            continue;
        last = ends[i];
        search_sums(&search, last);
    }
    grow_archive(&search);
}
