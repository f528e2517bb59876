/* The beam over supports: what it finds, and what it keeps to. */
#include "near.h"

#include "regression/select/beam.h"

enum { SAMPLES = 40, MOST_TERMS = 4 };

/* SplitMix64, as a number in [0, 1) */
static double
draw(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Columns of random numbers, the first of ones, all of one library and size. */
struct drawn {
    struct workspace workspace;
    struct training table;
    struct basis basis;
    struct loss loss;
    struct rows rows;
};

static void
draw_columns(memmodel_context *context, size_t columns, bool positive, uint64_t seed, struct drawn *drawn)
{
    struct workspace *workspace = &drawn->workspace;

    *drawn = (struct drawn){.workspace = WORKSPACE_INIT(context),
                            .table = {.context = context},
                            .loss = {.kind = MEMMODEL_FIT_LOSS_SQUARED, .unit = 1}};
    drawn->basis = (struct basis){.count = columns, .positive = positive, .relative = positive};
    drawn->basis.sizes = workspace_take(workspace, columns, sizeof *drawn->basis.sizes);
    drawn->basis.signs = workspace_take(workspace, columns, sizeof *drawn->basis.signs);
    drawn->basis.groups = workspace_take(workspace, columns, sizeof *drawn->basis.groups);
    for (size_t i = 0; i < BASIS_LIBRARIES; i++)
        drawn->basis.ends[i] = columns;
    drawn->rows = (struct rows){.table = &drawn->table, .basis = &drawn->basis, .loss = &drawn->loss};
    drawn->rows.columns = matrix_new(workspace, SAMPLES, columns);
    drawn->rows.response = workspace_take(workspace, SAMPLES, sizeof *drawn->rows.response);
    assert_int_equal(workspace->status, 0);
    for (size_t i = 0; i < SAMPLES * columns; i++)
        drawn->rows.columns.values[i] = i < SAMPLES ? 1 : draw(&seed);
}

/* The best of so many terms besides the constant; NULL if there is none. */
static const struct support *
best_of(const struct shortlist *shortlist, size_t terms)
{
    const struct support *best = NULL;

    for (size_t i = 0; i < shortlist->count; i++)
        if (support_terms(&shortlist->supports[i]) == terms &&
            (!best || shortlist->supports[i].squares < best->squares))
            best = &shortlist->supports[i];
    return best;
}

static struct shortlist *
search(memmodel_context *context, struct drawn *drawn)
{
    struct shortlist *shortlist = memory_allocate_zeroed(context, 1, sizeof *shortlist);

    assert_int_equal(beam_search(&drawn->rows, 0, MOST_TERMS, shortlist), 0);
    return shortlist;
}

/* 3000 columns are too many to try all sets of four: the beam must meet the three that make up the response. */
static void
a_large_library_is_searched_for_the_columns_that_made_the_data(void **state)
{
    static const uint16_t columns[] = {0, 11, 700, 2999};

    for (int positive = 0; positive < 2; positive++) {
        struct shortlist *shortlist;
        struct drawn drawn;

        draw_columns(*state, 3000, positive, 7, &drawn);
        for (size_t i = 0; i < SAMPLES; i++)
            for (size_t k = 0; k < 4; k++)
                drawn.rows.response[i] += (double)(k + !k) * matrix_column(&drawn.rows.columns, columns[k])[i];
        shortlist = search(*state, &drawn);
        assert_int_equal(best_of(shortlist, 3)->count, 4);
        assert_memory_equal(best_of(shortlist, 3)->columns, columns, sizeof columns);
        assert_near(best_of(shortlist, 3)->squares, 0, 1e-9);
        memory_release(*state, shortlist);
        workspace_release(&drawn.workspace);
    }
}

/* Squared errors are those of least squares on the support's columns. */
static void
squares_are_those_of_the_support(void **state)
{
    struct shortlist *shortlist;
    double coefficients[SUPPORT_COLUMNS];
    struct qr work;
    struct drawn drawn;
    uint64_t seed = 3;

    draw_columns(*state, 9, false, 5, &drawn);
    for (size_t i = 0; i < SAMPLES; i++)
        drawn.rows.response[i] = draw(&seed);
    shortlist = search(*state, &drawn);
    work = qr_new(&drawn.workspace, SAMPLES, SUPPORT_COLUMNS);
    assert_int_equal(drawn.workspace.status, 0);
    assert_true(shortlist->count > 3 * BEAM_WIDTH);
    for (size_t i = 0; i < shortlist->count; i++) {
        const struct support *support = &shortlist->supports[i];
        double squares = 0;

        assert_true(left_out_fit(&work, &drawn.rows.columns, drawn.rows.response, support, coefficients));
        for (size_t row = 0; row < SAMPLES; row++) {
            double left = drawn.rows.response[row];

            for (size_t k = 0; k < support->count; k++)
                left -= coefficients[k] * matrix_column(&drawn.rows.columns, support->columns[k])[row];
            squares += left * left;
        }
        assert_near(support->squares, squares, 1e-12);
    }
    memory_release(*state, shortlist);
    workspace_release(&drawn.workspace);
}

/* The response falls with column 1, and rises with column 2: a sum of positive terms has the latter alone. */
static void
a_coefficient_of_the_wrong_sign_drops_a_support(void **state)
{
    for (int positive = 0; positive < 2; positive++) {
        struct shortlist *shortlist;
        struct drawn drawn;

        draw_columns(*state, 3, positive, 9, &drawn);
        drawn.basis.signs[1] = 1;
        for (size_t i = 0; i < SAMPLES; i++)
            drawn.rows.response[i] =
                2 * matrix_column(&drawn.rows.columns, 2)[i] - matrix_column(&drawn.rows.columns, 1)[i];
        shortlist = search(*state, &drawn);
        assert_null(best_of(shortlist, 2));
        assert_int_equal(best_of(shortlist, 1)->columns[best_of(shortlist, 1)->count - 1], 2);
        memory_release(*state, shortlist);
        workspace_release(&drawn.workspace);
    }
}

/* Columns 1 and 2 are of two change points. */
static void
a_support_keeps_to_one_group_and_to_columns_of_none(void **state)
{
    struct shortlist *shortlist;
    struct drawn drawn;

    draw_columns(*state, 4, false, 11, &drawn);
    drawn.basis.groups[1] = 1;
    drawn.basis.groups[2] = 2;
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t j = 1; j < 4; j++)
            drawn.rows.response[i] += matrix_column(&drawn.rows.columns, j)[i];
    shortlist = search(*state, &drawn);
    assert_null(best_of(shortlist, 3));
    assert_int_equal(best_of(shortlist, 2)->columns[2], 3);
    memory_release(*state, shortlist);
    workspace_release(&drawn.workspace);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_large_library_is_searched_for_the_columns_that_made_the_data),
        WITH_CONTEXT(squares_are_those_of_the_support),
        WITH_CONTEXT(a_coefficient_of_the_wrong_sign_drops_a_support),
        WITH_CONTEXT(a_support_keeps_to_one_group_and_to_columns_of_none),
    };

    return cmocka_run_group_tests_name("beam", tests, NULL, NULL);
}
