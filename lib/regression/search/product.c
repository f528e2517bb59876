/* Products of powers and trees, found in the logarithm. */
#include "regression/search/product.h"
#include "regression/table/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MONOMIALS = 4000, MAX_LOGARITHMS = 1 << 22, SINGLES = 32, SECONDS = 4, STEPS = 12 };
enum { MAX_HALVES = 8, EXTRA = 2, NO_OFFSET = -2, OFFSET_ONE = -1 };
enum { PART = 64 }; /* columns, which the processor's fast memory holds */

static const double dependent = 1e-7, extreme = 1e100;

/* ---- factors ---- */

/* What a factor makes of its feature u: `operation` of it (TREE_INPUT: u itself), and `shift` more. */
static const struct form {
    unsigned operation;
    int shift;
    bool exponent;     /* e ^ u, times a number */
    uint8_t max_nodes; /* of features of the library */
} forms[] = {
    {TREE_INPUT, 0, false, LIBRARY_MAX_NODES},
    {TREE_INPUT, 0, true, 7},
    {TREE_INPUT, 1, false, 7},
    {TREE_INPUT, -1, false, 7},
    {TREE_SIN, 0, false, 5},
    {TREE_COS, 0, false, 5},
    {TREE_TANH, 0, false, 5},
    {TREE_COS, 1, false, 4},
    {TREE_COS, -1, false, 4},
    {TREE_EXP, 1, false, 5},
    {TREE_EXP, -1, false, 5},
};

enum { FORMS = sizeof forms / sizeof *forms };

static const struct library *
library_of(const struct products *products, size_t *feature)
{
    if (*feature < products->library->count)
        return products->library;
    *feature -= products->library->count;
    return &products->monomials;
}

/* The factor as a tree; of an exponent the tree in it. */
static bool
factor_tree(const struct products *products, const struct product_factor *factor, struct tree *tree)
{
    const struct form *form = &forms[factor->form];
    size_t feature = (size_t)factor->feature;
    const struct library *library = library_of(products, &feature);
    const struct tree number = tree_number(form->shift);

    *tree = library_tree(library, feature);
    if (form->operation != TREE_INPUT && !tree_join(tree, form->operation, tree, NULL))
        return false;
    return form->shift == 0 || tree_join(tree, TREE_ADD, tree, &number);
}

/* false if a row has no such logarithm */
static bool
fill_column(kernel run, size_t rows, const double *values, const struct form *form, double *column)
{
    memcpy(column, values, rows * sizeof *column);
    if (form->operation != TREE_INPUT)
        tree_apply(run, form->operation, column, column, column, rows);
    for (size_t i = 0; i < rows; i++)
        column[i] = form->exponent ? column[i] : fabs(column[i] + form->shift);
    if (!form->exponent)
        tree_apply(run, TREE_LOG, column, column, column, rows);
    for (size_t i = 0; i < rows; i++)
        if (!(fabs(column[i]) < extreme))
            return false;
    return true;
}

static void
add_factor(struct products *products, kernel run, size_t feature, uint8_t form)
{
    size_t index = feature;
    const struct library *library = library_of(products, &index);
    double *column = matrix_column(&products->columns, products->count);

    if (products->count + 1 >= products->columns.columns ||
        !fill_column(run, products->columns.rows, matrix_column(&library->values, index), &forms[form], column))
        return;
    products->factors[products->count++] = (struct product_factor){(int32_t)feature, form};
}

static bool
is_wanted(const struct structure *structure, const struct form *form)
{
    return tree_has_operation(structure, form->exponent ? TREE_EXP : form->operation);
}

/* Features of one kind, in forms, as long as there is room: up to a share of it in twelfths. */
struct share {
    enum { TREES, LENGTHS, MONOMIALS } of;
    uint8_t first_form, last_form;
    size_t most;
};

static bool
is_of_share(const struct products *products, const struct share *share, size_t feature, uint8_t form)
{
    size_t trees = products->library->count, index = feature - trees;
    bool length = index >= products->monomials.lengths && index < products->monomials.lengths_end;

    if (share->of == TREES)
        return feature < products->library->trees &&
               products->library->features[feature].nodes <= forms[form].max_nodes;
    return feature >= trees && length == (share->of == LENGTHS);
}

static void
add_share(struct products *products, kernel run, const struct structure *structure, const struct share *share)
{
    size_t features = products->library->count + products->monomials.count;
    size_t most = share->most * (products->columns.columns - 1) / 12;

    for (size_t i = share->of == TREES ? 0 : products->library->count; i < features && products->count < most; i++)
        for (uint8_t form = share->first_form; form <= share->last_form; form++)
            if (is_wanted(structure, &forms[form]) && is_of_share(products, share, i, form))
                add_factor(products, run, i, form);
}

static void
add_factors(struct products *products, kernel run, const struct structure *structure)
{
    static const struct share shares[] = {
        {LENGTHS, 0, 0, 1}, {MONOMIALS, 1, 1, 4},     {MONOMIALS, 2, 3, 5}, {MONOMIALS, 4, FORMS - 1, 6},
        {TREES, 1, 3, 7},   {TREES, 4, FORMS - 1, 8}, {TREES, 0, 0, 12},
    };

    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        add_share(products, run, structure, &shares[i]);
}

int
products_new(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count,
             const struct structure *structure, const struct library *library, struct products *products)
{
    kernel run = kernel_for(context_vectors(workspace->arena.context));
    size_t most = MAX_LOGARITHMS / rows < 2 * library->capacity ? 1 + MAX_LOGARITHMS / rows : 2 * library->capacity;
    size_t monomials = most / 4 < MAX_MONOMIALS ? most / 4 : MAX_MONOMIALS, count = most + 1;
    int status;

    *products = (struct products){
        .library = library,
        .inputs = input_count,
        .columns = matrix_new(workspace, rows, count),
        .powers = matrix_new(workspace, rows, input_count),
        .vectors = matrix_new(workspace, rows, input_count + 1),
        .qr = qr_new(workspace, rows, input_count + 1 + EXTRA),
        .factors = workspace_take(workspace, count, sizeof *products->factors),
        .residuals_left = workspace_take(workspace, count, sizeof(double)),
        .gains = workspace_take(workspace, count, sizeof(double)),
        .first_rests = workspace_take(workspace, count, sizeof(double)),
        .norms = workspace_take(workspace, count, sizeof(double)),
        .alignments = workspace_take(workspace, count, sizeof(double)),
        .first_alignments = workspace_take(workspace, count, sizeof(double)),
        .target = workspace_take(workspace, rows, sizeof(double)),
        .weights = workspace_take(workspace, rows, sizeof(double)),
        .residual = workspace_take(workspace, rows, sizeof(double)),
        .weighted = workspace_take(workspace, rows, sizeof(double)),
    };
    status = library_new_monomials(workspace, rows, inputs, input_count, monomials, &products->monomials);
    if (status)
        return status;
    for (size_t i = 0; i < input_count; i++)
        fill_column(run, rows, inputs[i], &forms[0], matrix_column(&products->powers, i));
    add_factors(products, run, structure);
    return 0;
}

/* ---- trees from powers ---- */

/* product * factor ^ (halves / 2); an empty product is none yet */
static bool
multiply_in(struct tree *product, const struct tree *factor, long halves)
{
    struct tree root;
    long size = labs(halves);

    if (size > MAX_HALVES)
        return false;
    if (size % 2 && !tree_join(&root, TREE_ROOT, factor, NULL))
        return false;
    for (long i = 0; i < (size + 1) / 2; i++) {
        const struct tree *part = size % 2 && i == 0 ? &root : factor;

        if (product->count == 0 && halves > 0)
            *product = *part;
        else if (product->count == 0 ? !tree_join(product, TREE_INVERSE, part, NULL)
                                     : !tree_join(product, halves > 0 ? TREE_MULTIPLY : TREE_DIVIDE, product, part))
            return false;
    }
    return true;
}

/* product * e ^ (number * factor) */
static bool
multiply_exponential(struct tree *product, const struct tree *factor, double number)
{
    const struct tree leaf = tree_number(number);
    struct tree power;

    return tree_join(&power, TREE_MULTIPLY, factor, &leaf) && tree_join(&power, TREE_EXP, &power, NULL) &&
           multiply_in(product, &power, 2);
}

/* ---- one target: what is left of it once an input, or 1, is taken off ---- */

struct product_search {
    struct products *products;
    struct fitter *fitter;
    struct archive *archive;
    int offset, sign;                                /* an input, OFFSET_ONE, NO_OFFSET; -1 or 1 */
    size_t powers[TRAINING_MAX_INPUTS], power_count; /* which inputs the first columns are of */
    size_t taken[EXTRA], taken_count;                /* factors */
};

static double
offset_at(const struct product_search *search, size_t row)
{
    if (search->offset == NO_OFFSET)
        return 0;
    return search->sign * (search->offset < 0 ? 1 : search->fitter->machine.inputs[search->offset][row]);
}

/* Logarithms, weighed so that small errors of them count as errors of the target do. */
static bool
set_target(const struct product_search *search)
{
    struct products *products = search->products;
    const struct aim *aim = search->fitter->aim;
    size_t rows = products->columns.rows, known = 0;

    for (size_t i = 0; i < rows; i++) {
        double value = fabs(aim->target[i] - offset_at(search, i));

        products->weights[i] = value > 0 && value < extreme ? value * aim->sqrt_weights[i] : 0;
        products->target[i] = products->weights[i] > 0 ? value : 1;
        known += products->weights[i] > 0;
    }
    tree_apply(search->fitter->machine.kernel, TREE_LOG, products->target, products->target, products->target, rows);
    for (size_t i = 0; i < rows; i++)
        products->residual[i] = products->target[i] = products->target[i] * products->weights[i];
    return known > products->inputs + 4;
}

static bool
append_column(const struct product_search *search, const double *column)
{
    struct products *products = search->products;

    for (size_t i = 0; i < products->columns.rows; i++)
        products->weighted[i] = column[i] * products->weights[i];
    return qr_append(&products->qr, products->weighted);
}

static void
begin(struct product_search *search)
{
    struct products *products = search->products;

    products->qr.count = 0;
    search->power_count = search->taken_count = 0;
    qr_append(&products->qr, products->weights);
    for (size_t i = 0; i < products->inputs; i++) {
        const double *column = matrix_column(&products->powers, i);
        bool known = true;

        for (size_t row = 0; row < products->powers.rows; row++)
            known &= fabs(column[row]) < extreme;
        if (known && append_column(search, column))
            search->powers[search->power_count++] = i;
    }
}

static void
leave_residual(struct products *products)
{
    memcpy(products->residual, products->target, products->columns.rows * sizeof *products->residual);
    qr_project_out(&products->qr, products->residual);
}

static double
residual_square(const struct products *products)
{
    return vector_dot(products->columns.rows, products->residual, products->residual);
}

/* Products of so many factors from `first` on with the vector, which has the weights in it. */
static void
multiply_factors(const struct products *products, size_t first, size_t count, const double *weighted, double *results)
{
    struct matrix part = products->columns;

    part.values = matrix_column(&products->columns, first);
    matrix_multiply(&part, count, weighted, results);
}

static void
put_weights(const struct products *products, const double *vector, double *weighted)
{
    for (size_t i = 0; i < products->columns.rows; i++)
        weighted[i] = vector[i] * products->weights[i];
}

static double
weighted_square(const struct products *products, const double *column)
{
    double sum = 0;

    for (size_t i = 0; i < products->columns.rows; i++)
        sum += column[i] * products->weights[i] * (column[i] * products->weights[i]);
    return sum;
}

/*
 * Norms, what powers leave of them, and products with what these leave of the target: part by part, while it is at
 * hand.
 */
static void
measure_factors(struct products *products)
{
    size_t vectors = products->qr.count;

    for (size_t k = 0; k < vectors; k++)
        put_weights(products, matrix_column(&products->qr.q, k), matrix_column(&products->vectors, k));
    put_weights(products, products->residual, products->weighted);
    for (size_t first = 0; first < products->count; first += PART) {
        size_t count = products->count - first < PART ? products->count - first : PART;

        for (size_t j = first; j < first + count; j++)
            products->residuals_left[j] = products->norms[j] =
                weighted_square(products, matrix_column(&products->columns, j));
        for (size_t k = 0; k < vectors; k++) {
            double along[PART];

            multiply_factors(products, first, count, matrix_column(&products->vectors, k), along);
            for (size_t j = 0; j < count; j++)
                products->residuals_left[first + j] -= along[j] * along[j];
        }
        multiply_factors(products, first, count, products->weighted, products->alignments + first);
    }
}

/* The same once the last column of the factorisation has been appended, from what they were before. */
static void
take_off_last(struct products *products)
{
    const double *q = matrix_column(&products->qr.q, products->qr.count - 1);
    double along = vector_dot(products->columns.rows, q, products->target);

    put_weights(products, q, products->weighted);
    multiply_factors(products, 0, products->count, products->weighted, products->gains);
    for (size_t j = 0; j < products->count; j++) {
        double gain = products->gains[j];

        products->residuals_left[j] = products->first_rests[j] - gain * gain;
        products->alignments[j] = products->first_alignments[j] - along * gain;
    }
}

/* What each factor would explain, into gains. */
static void
weigh_factors(struct products *products)
{
    for (size_t j = 0; j < products->count; j++) {
        double along = products->alignments[j];
        bool left = products->residuals_left[j] > dependent * products->norms[j];

        products->gains[j] = left ? along * along / products->residuals_left[j] : 0;
    }
}

/* ---- formulas ---- */

/* The product that the coefficients say, its powers rounded. */
static bool
build_product(const struct product_search *search, struct tree *product)
{
    double solution[TRAINING_MAX_INPUTS + 1 + EXTRA];
    struct tree factor;

    qr_solve(&search->products->qr, search->products->target, solution);
    product->count = 0;
    for (size_t k = 0; k < search->power_count + search->taken_count; k++) {
        const struct product_factor *taken =
            k < search->power_count ? NULL : &search->products->factors[search->taken[k - search->power_count]];
        double power = solution[k + 1];

        if (!(fabs(power) < MAX_HALVES) && !(taken && forms[taken->form].exponent))
            return false;
        if (!taken)
            factor = tree_input(search->powers[k]);
        else if (!factor_tree(search->products, taken, &factor))
            return false;
        if (taken && forms[taken->form].exponent ? !multiply_exponential(product, &factor, power)
                                                 : !multiply_in(product, &factor, lround(2 * power)))
            return false;
    }
    return product->count > 0;
}

/* `error`: what its logarithm, weighed, leaves before powers are rounded; about what the product leaves. */
static void
offer(struct product_search *search, double error)
{
    struct formula formula = {.count = 1};
    bool numbers;

    if (!build_product(search, &formula.trees[0]))
        return;
    tree_simplify(&formula.trees[0]);
    if (search->offset >= 0)
        formula.trees[formula.count++] = tree_input((size_t)search->offset);
    numbers = formula_count_numbers(&formula) > 0;
    if (!archive_may_take(search->archive, formula_count_nodes(&formula), error) ||
        formula_count_numbers(&formula) > FORMULA_MAX_NUMBERS ||
        !(numbers ? formula_fit(search->fitter, &formula, STEPS) : formula_fit_linear(search->fitter, &formula)))
        return;
    archive_offer(search->archive, &formula);
}

/* The `wanted` of largest gain among the first `end`, best first; of equal gains the earlier. Returns how many. */
static size_t
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

/* With each of the factors that explain most of what is left; lists them. */
static size_t
extend(struct product_search *search, size_t wanted, size_t *best)
{
    struct products *products = search->products;
    size_t columns = products->qr.count, count;
    double left = residual_square(products);

    weigh_factors(products);
    count = list_best(products->gains, products->count, wanted, best);
    for (size_t i = 0; i < count && fitter_may_go_on(search->fitter); i++) {
        if (!append_column(search, matrix_column(&products->columns, best[i])))
            continue;
        search->taken[search->taken_count++] = best[i];
        offer(search, left - products->gains[best[i]]);
        search->taken_count--;
        products->qr.count = columns;
    }
    return count;
}

/* Each of the factors, and one more beside it. */
static void
deepen(struct product_search *search, const size_t *singles, size_t count)
{
    struct products *products = search->products;
    size_t columns = products->qr.count, seconds[SINGLES];

    memcpy(products->first_rests, products->residuals_left, products->count * sizeof *products->residuals_left);
    memcpy(products->first_alignments, products->alignments, products->count * sizeof *products->alignments);
    for (size_t i = 0; i < count && fitter_may_go_on(search->fitter); i++) {
        if (!append_column(search, matrix_column(&products->columns, singles[i])))
            continue;
        search->taken[search->taken_count++] = singles[i];
        take_off_last(products);
        leave_residual(products);
        extend(search, SECONDS, seconds);
        search->taken_count--;
        products->qr.count = columns;
    }
}

static void
search_target(struct product_search *search)
{
    size_t singles[SINGLES], count;

    if (!fitter_may_go_on(search->fitter) || !set_target(search))
        return;
    begin(search);
    leave_residual(search->products);
    offer(search, residual_square(search->products));
    if (archive_is_exact(search->archive, search->fitter->aim))
        return;
    measure_factors(search->products);
    count = extend(search, SINGLES, singles);
    if (!archive_is_exact(search->archive, search->fitter->aim) && search->offset == NO_OFFSET)
        deepen(search, singles, count);
}

void
products_search(struct products *products, struct fitter *fitter, struct archive *archive)
{
    struct product_search search = {products, fitter, archive, NO_OFFSET, 1, .power_count = 0};

    search_target(&search);
    for (search.offset = OFFSET_ONE; search.offset < (int)products->inputs; search.offset++)
        for (search.sign = -1; search.sign <= 1 && !archive_is_exact(archive, fitter->aim); search.sign += 2)
            search_target(&search);
}
