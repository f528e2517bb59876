/* Sums of features, and numbers in them. */
#include "regression/search/enumerate.h"

#include <math.h>
#include <string.h>

enum {
    SINGLES = SELECTION_SINGLES,
    BEAM = 6,
    GROWN = 8,
    GROWN_PAIRS = SELECTION_PAIRS,
    MOST_GROWN = 3,
    STEPS = 12,
    ROWS_PER_NUMBER = 3
};
enum {
    SMALL_NODES = 5,
    MOST_SMALL = 3000,
    STARTS = 4,
    JOINED = 40,
    ROUNDS = 6,
    SMALLEST = SELECTION_SMALLEST,
    TRIPLES = 8
};

static const double dependent = 1e-7;

int
selection_new(memmodel_context *context, size_t rows, size_t features, struct selection *selection)
{
    *selection = (struct selection){.rests = memory_allocate_zeroed(context, features + 1, sizeof(double)),
                                    .gains = memory_allocate_zeroed(context, features + 1, sizeof(double)),
                                    .norms = memory_allocate_zeroed(context, features + 1, sizeof(double)),
                                    .first_rests = memory_allocate_zeroed(context, features + 1, sizeof(double)),
                                    .alignments = memory_allocate_zeroed(context, features + 1, sizeof(double)),
                                    .first_alignments = memory_allocate_zeroed(context, features + 1, sizeof(double)),
                                    .weighted = memory_allocate_zeroed(context, rows, sizeof(double))};
    if (!selection->rests || !selection->gains || !selection->norms || !selection->first_rests ||
        !selection->alignments || !selection->first_alignments || !selection->weighted)
        return MEMMODEL_ERROR_NO_MEMORY;
    selection->target = memory_allocate_zeroed(context, 2 * rows, sizeof(double));
    if (!selection->target)
        return MEMMODEL_ERROR_NO_MEMORY;
    selection->roots = selection->target + rows;
    selection->work = memory_allocate_zeroed(context, 1, sizeof *selection->work);
    selection->beams = memory_allocate_zeroed(context, 2, sizeof *selection->beams);
    selection->small = memory_allocate_zeroed(context, rows * SMALLEST, sizeof *selection->small);
    selection->products = memory_allocate_zeroed(context, SMALLEST, sizeof *selection->products);
    return selection->work && selection->beams && selection->small && selection->products ? 0
                                                                                          : MEMMODEL_ERROR_NO_MEMORY;
}

void
selection_release(memmodel_context *context, struct selection *selection)
{
    memory_release(context, selection->work);
    memory_release(context, selection->beams);
    memory_release(context, selection->small);
    memory_release(context, selection->products);
    memory_release(context, selection->rests);
    memory_release(context, selection->gains);
    memory_release(context, selection->norms);
    memory_release(context, selection->first_rests);
    memory_release(context, selection->alignments);
    memory_release(context, selection->first_alignments);
    memory_release(context, selection->weighted);
    memory_release(context, selection->target);
}

/* ---- sums ---- */

struct search {
    struct fitter *fitter;
    const struct library *library;
    struct selection *selection;
    const struct grammar *grammar;
    size_t most_tried;
    struct archive *archive;
};

static size_t
small_end(const struct library *library)
{
    return library->ends[SMALL_NODES] < MOST_SMALL ? library->ends[SMALL_NODES] : MOST_SMALL;
}

static size_t
affordable_trees(const struct fitter *fitter)
{
    size_t trees = fitter->aim->used / ROWS_PER_NUMBER;

    return trees < 2 ? 1 : trees - 1 < FORMULA_MOST_TREES ? trees - 1 : FORMULA_MOST_TREES;
}

static bool
is_over(const struct search *search)
{
    return search->fitter->tried >= search->most_tried || !fitter_may_go_on(search->fitter);
}

/* products[j]: of feature j and a vector of weighted rows, for the first `end`. */
static void
multiply_features(const struct search *search, size_t end, const double *vector, double *products)
{
    struct selection *selection = search->selection;
    size_t rows = search->library->values.rows;

    for (size_t i = 0; i < rows; i++)
        selection->weighted[i] = vector[i] * search->fitter->aim->roots[i];
    matrix_multiply(&search->library->values, end, selection->weighted, products);
}

/* Squared norms, weighted, of the first features, and what a constant leaves of them. */
static void
measure_features(const struct search *search, size_t count)
{
    struct selection *selection = search->selection;
    struct formula constant = {.count = 0};
    size_t rows = search->library->values.rows;
    const double *roots = search->fitter->aim->roots;

    for (size_t j = 0; j < count; j++) {
        const double *values = matrix_column(&search->library->values, j);

        selection->norms[j] = 0;
        for (size_t i = 0; i < rows; i++)
            selection->norms[j] += (values[i] * roots[i]) * (values[i] * roots[i]);
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
        along += q[i] * search->fitter->aim->target[i] * search->fitter->aim->roots[i];
    multiply_features(search, end, q, selection->gains);
    for (size_t j = 0; j < end; j++) {
        selection->rests[j] -= selection->gains[j] * selection->gains[j];
        selection->alignments[j] -= along * selection->gains[j];
    }
}

/*
 * What each of the first `end` features would explain: the squared product with the residual over the squared norm that is
 * left of it. Both are kept from the call before, which was for the formula's trees but for the last.
 */
static void
weigh_features(const struct search *search, size_t end)
{
    struct selection *selection = search->selection;
    size_t trees = search->fitter->linear.count - 1;

    if (trees <= 1) {
        memcpy(selection->rests, selection->first_rests, end * sizeof *selection->rests);
        memcpy(selection->alignments, selection->first_alignments, end * sizeof *selection->alignments);
    }
    if (trees > 0)
        take_off_last(search, end);
    for (size_t j = 0; j < end; j++) {
        bool left = !search->library->features[j].unfit && selection->rests[j] > dependent * selection->norms[j];

        selection->gains[j] = left ? selection->alignments[j] * selection->alignments[j] / selection->rests[j] : 0;
    }
}

/* The `wanted` features of largest gain among the first `end`, best first; of equal gains the earlier. Returns how many. */
static size_t
list_best(const struct selection *selection, size_t end, size_t wanted, size_t *best)
{
    size_t count = 0;

    for (size_t j = 0; j < end; j++) {
        size_t place = count;

        if (!(selection->gains[j] > 0) ||
            (count == wanted && !(selection->gains[j] > selection->gains[best[count - 1]])))
            continue;
        if (count < wanted)
            count++;
        else
            place--;
        for (; place > 0 && selection->gains[best[place - 1]] < selection->gains[j]; place--)
            best[place] = best[place - 1];
        best[place] = j;
    }
    return count;
}

/*
 * The formula with one more tree for each of the features that explain most of what it leaves. Called for a formula with its
 * trees but the last one before.
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
    found = list_best(search->selection, end, wanted, best);
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
    size_t sizes[TREE_MOST_NODES], first;
    struct tree_gene genes[TREE_MOST_NODES];

    if (tree->count + 2 > TREE_MOST_NODES)
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
    size_t sizes[TREE_MOST_NODES];
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
        formula_count_numbers(formula) == FORMULA_MOST_NUMBERS)
        return false;
    for (size_t k = 0; k < formula->count; k++)
        for (size_t node = 0; node < formula->trees[k].count && fitter_may_go_on(fitter); node++)
            try_node(fitter, formula, k, node, &best, archive);
    if (!(best.error < formula->error))
        return false;
    *formula = best;
    return true;
}

/* ---- beyond the library: a beam of trees that a feature is joined to, again and again ---- */

static void
put_in_beam(struct selection_beam *beam, const struct formula *formula, uint64_t key)
{
    size_t place = beam->count;

    for (size_t i = 0; i < beam->count; i++)
        if (beam->keys[i] == key)
            return;
    if (beam->count == SELECTION_BEAM && !(formula->error < beam->formulas[SELECTION_BEAM - 1].error))
        return;
    if (beam->count < SELECTION_BEAM)
        beam->count++;
    else
        place--;
    for (; place > 0 && formula->error < beam->formulas[place - 1].error; place--) {
        beam->formulas[place] = beam->formulas[place - 1];
        beam->keys[place] = beam->keys[place - 1];
    }
    beam->formulas[place] = *formula;
    beam->keys[place] = key;
}

static void
try_join(const struct search *search, unsigned operation, const struct tree *first, const struct tree *second,
         struct selection_beam *beam)
{
    struct formula formula = {.count = 1};
    uint64_t key;

    if (!tree_join(&formula.trees[0], operation, first, second) || !formula_fit_linear(search->fitter, &formula))
        return;
    key = residues_key(residues_of(&formula.trees[0]));
    if (key == 0)
        return;
    archive_offer(search->archive, &formula);
    put_in_beam(beam, &formula, key);
}

/* A tree of the beam with every small feature, by every operation. */
static void
join_features(const struct search *search, const struct tree *tree, struct selection_beam *longer)
{
    static const unsigned binary[] = {TREE_MULTIPLY, TREE_DIVIDE, TREE_ADD, TREE_SUBTRACT};
    static const unsigned unary[] = {TREE_SQUARE, TREE_ROOT, TREE_LOG, TREE_INVERSE};

    for (size_t j = 0; j < search->library->ends[2] && j < JOINED && !is_over(search); j++) {
        struct tree feature = library_tree(search->library, j);

        for (size_t k = 0; k < sizeof binary / sizeof *binary; k++)
            if (grammar_permits(search->grammar, binary[k], tree) &&
                grammar_permits(search->grammar, binary[k], &feature))
                try_join(search, binary[k], tree, &feature, longer);
        if (grammar_permits(search->grammar, TREE_DIVIDE, tree) &&
            grammar_permits(search->grammar, TREE_DIVIDE, &feature))
            try_join(search, TREE_DIVIDE, &feature, tree, longer);
    }
    for (size_t k = 0; k < sizeof unary / sizeof *unary; k++)
        if (grammar_permits(search->grammar, unary[k], tree))
            try_join(search, unary[k], tree, NULL, longer);
}

static void
search_beam(const struct search *search, struct selection_beam *beam, struct selection_beam *longer)
{
    struct formula *singles = search->selection->work->singles;
    size_t count = extend(search, &(struct formula){.count = 0}, search->library->ends[3], SINGLES, singles);

    beam->count = 0;
    for (size_t i = 0; i < count; i++)
        put_in_beam(beam, &singles[i], residues_key(residues_of(&singles[i].trees[0])));
    for (size_t round = 0; round < ROUNDS && beam->count > 0 && !is_over(search); round++) {
        struct selection_beam *done = beam;

        longer->count = 0;
        for (size_t i = 0; i < beam->count && fitter_may_go_on(search->fitter); i++)
            join_features(search, &beam->formulas[i].trees[0], longer);
        beam = longer;
        longer = done;
    }
}

/* ---- best subsets of the smallest features: forward steps miss terms that help only together ---- */

/* Products of the first `count` features, centred and of norm 1 by the weights, with each other, and last with the target. */
static void
fill_products(const struct search *search, size_t count, double (*products)[SMALLEST + 1])
{
    struct selection *selection = search->selection;
    const double *constant = matrix_column(&search->fitter->linear.q, 0);
    size_t rows = search->library->values.rows;

    for (size_t j = 0; j < count; j++) {
        double *column = selection->small + j * rows, norm = 0;

        for (size_t i = 0; i < rows; i++)
            column[i] = matrix_column(&search->library->values, j)[i] * search->fitter->aim->roots[i];
        vector_add_scaled(rows, column, -vector_dot(rows, constant, column), constant);
        norm = sqrt(vector_dot(rows, column, column));
        for (size_t i = 0; i < rows; i++)
            column[i] = norm > 0 ? column[i] / norm : 0;
        for (size_t k = 0; k <= j; k++)
            products[j][k] = products[k][j] = vector_dot(rows, column, selection->small + k * rows);
        products[j][SMALLEST] = vector_dot(rows, column, search->fitter->residual);
    }
}

/* What three features explain of the target, given their products. */
static double
gain_of_three(double (*products)[SMALLEST + 1], const size_t *of)
{
    double ab = products[of[0]][of[1]], ac = products[of[0]][of[2]], bc = products[of[1]][of[2]];
    double a = products[of[0]][SMALLEST], b = products[of[1]][SMALLEST] - ab * a,
           c = products[of[2]][SMALLEST] - ac * a;
    double bb = 1 - ab * ab, cb = bc - ab * ac, cc = 1 - ac * ac - (bb > dependent ? cb * cb / bb : 0);

    if (!(bb > dependent) || !(cc > dependent))
        return 0;
    c -= cb * b / bb;
    return a * a + b * b / bb + c * c / cc;
}

struct triple {
    double gain;
    size_t features[3];
};

static void
note_triple(struct triple *best, const struct triple *triple)
{
    size_t place = TRIPLES;

    for (; place > 0 && triple->gain > best[place - 1].gain; place--)
        if (place < TRIPLES)
            best[place] = best[place - 1];
    if (place < TRIPLES)
        best[place] = *triple;
}

/* The best sums of three, fitted; returns how many. */
static size_t
best_triples(const struct search *search, size_t wanted, struct formula *sums)
{
    double(*products)[SMALLEST + 1] = search->selection->products;
    struct triple best[TRIPLES] = {{0, {0, 0, 0}}}, triple;
    struct formula constant = {.count = 0};
    size_t count = search->library->count < SMALLEST ? search->library->count : SMALLEST, *of = triple.features,
           made = 0;

    if (affordable_trees(search->fitter) < 3 || !formula_fit_linear(search->fitter, &constant))
        return 0;
    fill_products(search, count, products);
    for (of[0] = 0; of[0] < count; of[0]++)
        for (of[1] = 0; of[1] < of[0]; of[1]++)
            for (of[2] = 0; of[2] < of[1]; of[2]++) {
                triple.gain = gain_of_three(products, of);
                note_triple(best, &triple);
            }
    for (size_t i = 0; i < wanted && best[i].gain > 0; i++) {
        sums[made].count = 3;
        for (size_t k = 0; k < 3; k++)
            sums[made].trees[k] = library_tree(search->library, best[i].features[k]);
        made += formula_fit_linear(search->fitter, &sums[made]);
    }
    return made;
}

static void
search_triples(const struct search *search)
{
    struct formula *sums = search->selection->work->sums;
    size_t count = best_triples(search, TRIPLES, sums);

    for (size_t i = 0; i < count; i++)
        archive_offer(search->archive, &sums[i]);
}

/* ---- the whole ---- */

static void
grow_all(const struct search *search, struct formula *formulas, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t numbers = 0; numbers < MOST_GROWN && !is_over(search); numbers++)
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
 * Sums of features of at most so many nodes, from the best few of one feature on. A number may be all that a feature lacks: it is
 * put into the best few of one, and of the best one with another.
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

size_t
library_sums(struct fitter *fitter, const struct library *library, struct selection *selection)
{
    struct search search = {.fitter = fitter, .library = library, .selection = selection};
    struct formula *singles = selection->work->singles, *sums = selection->work->sums;
    size_t end = small_end(library), count = 0, starts;

    measure_features(&search, end);
    starts = extend(&search, &(struct formula){.count = 0}, end, STARTS, singles);
    for (size_t i = 0; i < starts; i++) {
        sums[count++] = singles[i];
        for (size_t terms = 1; terms < SUM_TERMS && terms < affordable_trees(fitter); terms++, count++)
            if (extend(&search, &sums[count - 1], end, 1, &sums[count]) == 0)
                break;
    }
    return count + best_triples(&search, SUMS - STARTS * SUM_TERMS, sums + count);
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

        for (size_t i = 0; i <= ARCHIVE_MOST_NODES; i++)
            if (search->archive->formulas[i].count == count &&
                (best.count == 0 || search->archive->formulas[i].error < best.error))
                best = search->archive->formulas[i];
        if (best.count > 0)
            grow_all(search, &best, 1);
    }
}

void
enumerate_search(struct fitter *fitter, const struct library *library, struct selection *selection,
                 const struct grammar *grammar, const struct effort *effort, struct archive *archive)
{
    struct search search = {fitter, library, selection, grammar, fitter->tried + effort->most_tried / 2, archive};
    const size_t ends[] = {library->ends[3], library->ends[5], library->all};
    size_t last = 0;

    if (is_over(&search))
        return;
    measure_features(&search, library->all);
    search_triples(&search);
    if (effort->beam)
        search_beam(&search, &selection->beams[0], &selection->beams[1]);
    search.most_tried += effort->most_tried / 2;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && i < effort->libraries && !is_over(&search); i++) {
        if (ends[i] == last)
            continue;
        last = ends[i];
        search_sums(&search, last);
    }
    grow_archive(&search);
}
