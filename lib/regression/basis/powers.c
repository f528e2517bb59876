/*
 * Coefficients are not negative, so a term must not be either. An input with values below 0 gives x, -x and x^2 on
 * their own and takes no part in products.
 */
#include "regression/basis/libraries.h"

#include "base/numbers.h"
#include "regression/linear/decimal.h"

#include <math.h>

/*
 * sign x^power, offered where all of an input's values are at least 0, or some are below. A product has one bent
 * factor at most: a tensor's size is a product of extents, of which one (a cube's side, a width) may come as a power.
 */
struct form {
    int sign, power;
    unsigned size;
    bool bent;
};

static const struct form forms[] = {
    {1, 1, .size = 1, .bent = false},
    {1, 2, .size = 2, .bent = true},
    {1, 3, .size = 2, .bent = true},
};

/* of inputs with negative values, each a term alone */
static const struct form signed_forms[] = {
    {1, 1, .size = 1, .bent = false},
    {-1, 1, .size = 2, .bent = false},
    {1, 2, .size = 2, .bent = true},
};

enum {
    FORMS = sizeof forms / sizeof forms[0],
    MAX_FACTORS = 4, /* of a product */
    MAX_HINGED_INPUTS = 3,
    MAX_EXPECTED_FACTORS = 2, /* of products whose absence is logged */
};

/* One function of one input. */
struct factor {
    size_t input;
    expression value;
    unsigned size;
    bool bent;
};

struct factors {
    size_t count;
    struct factor list[TRAINING_MAX_INPUTS * FORMS];
};

static expression
form_value(struct expression_pool *pool, const char *symbol, const struct form *form)
{
    return expression_multiply(pool, expression_integer(pool, form->sign),
                               expression_power(pool, expression_symbol(pool, symbol), form->power, 1));
}

static void
make_factors(struct basis *basis, const struct training *table, bool negative, struct factors *factors)
{
    const struct form *list = negative ? signed_forms : forms;

    factors->count = 0;
    for (size_t input = 0; input < table->input_count; input++) {
        double least, most;

        training_range(table, input, &least, &most);
        for (size_t i = 0; (least < 0) == negative && i < FORMS; i++)
            factors->list[factors->count++] =
                (struct factor){input, form_value(basis->pool, expression_symbol_name(basis->pool, input), &list[i]),
                                list[i].size, list[i].bent};
    }
}

/* ---- products ---- */

/* A product being put together from factors in the order of the list. */
struct product {
    expression value;
    unsigned size;
    bool bent;
};

/*
 * Visits the products of `more` factors from `first` on; adds them to the basis, or only counts them where it is NULL.
 */
static void
visit_products(struct basis *basis, const struct factors *factors, size_t first, size_t more,
               const struct product *product, size_t *count)
{
    for (size_t i = first; i < factors->count; i++) {
        const struct factor *factor = &factors->list[i];
        struct product next = {product->value, product->size + factor->size + (product->size > 0),
                               product->bent || factor->bent};
        size_t after = i + 1;

        if (product->bent && factor->bent)
            continue;
        while (after < factors->count && factors->list[after].input == factor->input)
            after++;
        if (basis)
            next.value = expression_multiply(basis->pool, product->value, factor->value);
        if (more > 1)
            visit_products(basis, factors, after, more - 1, &next, count);
        else if (basis)
            basis_add_term(basis, next.value, next.size);
        else
            ++*count;
    }
}

/* A table of many rows has room for few terms. */
static void
log_what_is_left_out(memmodel_context *context, size_t order, size_t rows, size_t count)
{
    if (rows * BASIS_MAX_TERMS > BASIS_MAX_VALUES)
        context_log(context,
                    "the %zu products of %zu powers are left out: %zu rows leave no room for them; a part of the rows "
                    "would",
                    count, order, rows);
}

/* Of so many factors as long as there is room. */
static void
add_products(struct basis *basis, const struct training *table, const struct factors *factors)
{
    const struct product nothing = {expression_integer(basis->pool, 1), 0, false};

    for (size_t order = 1; order <= MAX_FACTORS; order++) {
        size_t count = 0;

        visit_products(NULL, factors, 0, order, &nothing, &count);
        if (count <= basis->capacity - basis->count)
            visit_products(basis, factors, 0, order, &nothing, &count);
        else if (order <= MAX_EXPECTED_FACTORS)
            log_what_is_left_out(table->context, order, table->columns.rows, count);
    }
}

/* ---- hinges ---- */

/*
 * Adds max(0, term - knot) for knots at quantiles of the term's values on the rows, which are left in rising order;
 * at least two rows lie on either side, for what one row says of a hinge nothing can confirm.
 */
static void
powers_add_hinges_of(struct basis *basis, size_t term, double *values, size_t rows)
{
    double knots[TERM_KNOTS];
    struct rational exact;

    numbers_sort(values, rows);
    if (!isfinite(values[0]) || !isfinite(values[rows - 1]))
        return;
    term_knots(values, rows, knots);
    for (size_t i = 0; i < TERM_KNOTS; i++)
        if (knots[i] > values[1] && knots[i] < values[rows - 2] && decimal_exact(knots[i], &exact))
            basis_add_term(basis, term_hinge(basis->pool, basis->terms[term], exact), basis->sizes[term] + 3);
}

static bool
depends_on_all(const struct basis *basis, const struct training *table, expression term)
{
    for (size_t i = 0; i < table->input_count; i++)
        if (!expression_depends_on(basis->pool, term, i))
            return false;
    return true;
}

/*
 * A peak is the greatest of what several regimes need, each a sum of products: as the work grows, another one takes
 * over, and the sum goes on more steeply. So the products of all inputs may have hinges, where these are few.
 */
static void
add_hinges(struct basis *basis, const struct training *table, size_t first)
{
    struct workspace *workspace = basis->workspace;
    size_t end = basis->count, rows = table->columns.rows;
    double *values = workspace_take(workspace, rows, sizeof *values);

    if (table->input_count > MAX_HINGED_INPUTS)
        return;
    for (size_t j = first; !workspace->status && j < end; j++) {
        if (!depends_on_all(basis, table, basis->terms[j]))
            continue;
        workspace->status = terms_evaluate(basis->pool, &basis->terms[j], 1, table, &values);
        if (!workspace->status)
            powers_add_hinges_of(basis, j, values, rows);
    }
}

/* Products of powers, of which inputs with negative values have none, then hinges. */
void
powers_add(struct basis *basis, const struct training *table)
{
    struct factors *factors = workspace_take(basis->workspace, 1, sizeof *factors);
    size_t given = basis->count;

    if (!factors)
        return;
    make_factors(basis, table, false, factors);
    add_products(basis, table, factors);
    make_factors(basis, table, true, factors);
    for (size_t i = 0; i < factors->count; i++)
        basis_add_term(basis, factors->list[i].value, factors->list[i].size);
    basis->ends[0] = basis->count;
    add_hinges(basis, table, given);
}
