/* What holds for every expression, tried on thousands of random ones. */
#include "c_formula.h"
#include "random_expression.h"

#include "base/text.h"

#include <float.h>

enum { ROUNDS = 3000, WHOLE_DEPTH = 5, REAL_DEPTH = 4 };

/* A pool whose symbols are numbered as symbol_names. */
static struct expression_pool *
new_pool(memmodel_context *context)
{
    struct expression_pool *pool;

    assert_int_equal(expression_pool_new(context, &pool), 0);
    for (int s = 0; s < SYMBOLS; s++)
        assert_true(expression_symbol(pool, symbol_names[s]) >= 0);
    return pool;
}

static void
describe_failure(const struct expression_pool *pool, memmodel_context *context, expression a, const char *what)
{
    struct text text = TEXT_INIT(context);

    expression_print(pool, a, EXPRESSION_TEXT, &text);
    print_error("%s: %s\n", what, text.bytes);
    text_release(&text);
}

/* Calls `check` with random expressions of a fresh pool each, and the context. Returns how many were usable. */
typedef void (*whole_check)(memmodel_context *context, struct expression_pool *pool, const struct whole *whole,
                            const int64_t points[POINTS][SYMBOLS]);

static int
for_random_wholes(memmodel_context *context, uint64_t seed, int64_t unit, whole_check check)
{
    int usable = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct expression_pool *pool = new_pool(context);
        int64_t points[POINTS][SYMBOLS];
        struct whole whole;

        random_points(&seed, points, 40);
        for (int p = 0; p < POINTS; p++)
            points[p][1] *= unit;
        whole = random_whole(pool, &seed, points, WHOLE_DEPTH);
        if (whole.usable) {
            check(context, pool, &whole, points);
            usable++;
        }
        expression_pool_free(pool);
    }
    return usable;
}

typedef void (*real_check)(memmodel_context *context, struct expression_pool *pool, const struct real *real,
                           const double point[SYMBOLS]);

static int
for_random_reals(memmodel_context *context, uint64_t seed, real_check check)
{
    int usable = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct expression_pool *pool = new_pool(context);
        double point[SYMBOLS];
        struct real real;

        for (int s = 0; s < SYMBOLS; s++)
            point[s] = (double)random_between(&seed, 16, 400); /* floor is for whole symbols */
        real = random_real(&(struct real_recipe){pool, &seed, point}, REAL_DEPTH);
        if (real.usable) {
            check(context, pool, &real, point);
            usable++;
        }
        expression_pool_free(pool);
    }
    return usable;
}

/* ---- values ---- */

static void
check_whole_values(memmodel_context *context, struct expression_pool *pool, const struct whole *whole,
                   const int64_t points[POINTS][SYMBOLS])
{
    int64_t *values = calloc(expression_count(pool), sizeof *values);

    assert_non_null(values);
    for (int p = 0; p < POINTS; p++) {
        expression_evaluate_integers(pool, points[p], values);
        if (values[whole->handle] != whole->values[p])
            describe_failure(pool, context, whole->handle, "not the value by definition");
        assert_int_equal(values[whole->handle], whole->values[p]);
    }
    free(values);
}

static void
integers_have_their_value_by_definition(void **state)
{
    assert_true(for_random_wholes(*state, 1, 1, check_whole_values) > ROUNDS / 2);
}

static void
check_double_of_whole(memmodel_context *context, struct expression_pool *pool, const struct whole *whole,
                      const int64_t points[POINTS][SYMBOLS])
{
    for (int p = 0; p < POINTS; p++) {
        double symbols[SYMBOLS];
        double value;

        for (int s = 0; s < SYMBOLS; s++)
            symbols[s] = (double)points[p][s];
        value = expression_evaluate(pool, whole->handle, symbols);
        /* terms that cancel may be large; that they are exact below 2^53 is what keeps most of these equal */
        if (fabs(value - (double)whole->values[p]) > 1e-6 * (1 + fabs((double)whole->values[p])))
            describe_failure(pool, context, whole->handle, "doubles differ from integers");
        assert_true(fabs(value - (double)whole->values[p]) <= 1e-6 * (1 + fabs((double)whole->values[p])));
    }
}

static void
doubles_agree_with_integers(void **state)
{
    assert_true(for_random_wholes(*state, 2, 1, check_double_of_whole) > ROUNDS / 2);
}

static void
check_real_value(memmodel_context *context, struct expression_pool *pool, const struct real *real,
                 const double point[SYMBOLS])
{
    double value = expression_evaluate(pool, real->handle, point);

    if (!(fabs(value - real->value) <= 1e-7 * fabs(real->value))) {
        describe_failure(pool, context, real->handle, "not the value by definition");
        print_error("%.17g, but %.17g by definition\n", value, real->value);
        fail();
    }
}

static void
reals_have_their_value_by_definition(void **state)
{
    assert_true(for_random_reals(*state, 3, check_real_value) > ROUNDS / 3);
}

/* ---- one form for what is equal ---- */

static void
rings_have_one_form(void **state)
{
    uint64_t seed = 4;
    int compared = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct expression_pool *pool = new_pool(*state);
        int64_t points[POINTS][SYMBOLS] = {{0}};
        expression a = random_whole(pool, &seed, points, 3).handle;
        expression b = random_whole(pool, &seed, points, 3).handle;
        expression c = random_whole(pool, &seed, points, 3).handle;
        expression left = expression_multiply(pool, a, expression_add(pool, b, c));
        expression right = expression_add(pool, expression_multiply(pool, c, a), expression_multiply(pool, a, b));

        if (left >= 0 && right >= 0) {
            assert_int_equal(left, right);
            assert_int_equal(expression_subtract(pool, left, left), expression_integer(pool, 0));
            compared++;
        }
        expression_pool_free(pool);
    }
    assert_true(compared > ROUNDS / 2);
}

static void
assert_reads_back(memmodel_context *context, struct expression_pool *pool, expression a)
{
    struct text text = TEXT_INIT(context);
    expression back;

    expression_print(pool, a, EXPRESSION_TEXT, &text);
    assert_false(text.failed);
    back = expression_parse(pool, "formula", text.bytes);
    if (back != a) {
        describe_failure(pool, context, a, "written");
        if (back >= 0)
            describe_failure(pool, context, back, "read");
        else
            print_error("%s\n", memmodel_context_error(context)->message);
    }
    assert_int_equal(back, a);
    text_release(&text);
}

static void
check_whole_reads_back(memmodel_context *context, struct expression_pool *pool, const struct whole *whole,
                       const int64_t points[POINTS][SYMBOLS])
{
    (void)points;
    assert_reads_back(context, pool, whole->handle);
}

static void
check_real_reads_back(memmodel_context *context, struct expression_pool *pool, const struct real *real,
                      const double point[SYMBOLS])
{
    (void)point;
    assert_reads_back(context, pool, real->handle);
}

static void
printing_and_reading_gives_the_same_expression(void **state)
{
    assert_true(for_random_wholes(*state, 5, 1, check_whole_reads_back) > ROUNDS / 2);
    assert_true(for_random_reals(*state, 6, check_real_reads_back) > ROUNDS / 3);
}

/* ---- programs ---- */

static bool
same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void
check_blocks(memmodel_context *context, struct expression_pool *pool, const struct real *real,
             const double point[SYMBOLS])
{
    enum { ROWS = 300 };
    static double inputs[SYMBOLS][ROWS], first[ROWS], second[ROWS];
    const double *columns[SYMBOLS] = {inputs[0], inputs[1], inputs[2]};
    expression roots[2] = {real->handle, expression_multiply(pool, real->handle, expression_symbol(pool, "dim"))};
    struct expression_program *program;

    (void)context;
    if (roots[1] < 0)
        return;
    for (int i = 0; i < ROWS; i++)
        for (int s = 0; s < SYMBOLS; s++)
            inputs[s][i] = point[s] * (1 + i % 17) + i;
    assert_int_equal(expression_compile(pool, roots, 2, &program), 0);
    expression_program_run_block(program, columns, ROWS, (double *const[]){first, second});
    for (int i = 0; i < ROWS; i++) {
        double results[2], symbols[SYMBOLS] = {inputs[0][i], inputs[1][i], inputs[2][i]};

        expression_program_run(program, symbols, results);
        assert_true(same_bits(results[0], first[i]) && same_bits(results[1], second[i]));
        assert_true(same_bits(results[0], expression_evaluate(pool, real->handle, symbols)));
    }
    expression_program_free(program);
}

static void
blocks_and_points_have_the_same_bits(void **state)
{
    assert_true(for_random_reals(*state, 7, check_blocks) > ROUNDS / 3);
}

static void
check_printed_c(memmodel_context *context, struct expression_pool *pool, const struct real *real,
                const double point[SYMBOLS])
{
    struct text text = TEXT_INIT(context);
    struct c_formula formula = {.names = symbol_names, .values = point, .count = SYMBOLS};
    double value;

    expression_print(pool, real->handle, EXPRESSION_C, &text);
    assert_false(text.failed);
    formula.at = text.bytes;
    value = c_sum(&formula);
    if (*formula.at || !same_bits(value, expression_evaluate(pool, real->handle, point)))
        print_error("%s\n%.17g, but the library computes %.17g\n", text.bytes, value,
                    expression_evaluate(pool, real->handle, point));
    assert_true(*formula.at == '\0');
    assert_true(same_bits(value, expression_evaluate(pool, real->handle, point)));
    text_release(&text);
}

static void
printed_c_computes_the_same_bits(void **state)
{
    assert_true(for_random_reals(*state, 8, check_printed_c) > ROUNDS / 3);
}

/* ---- bounds ---- */

static void
check_bound(memmodel_context *context, struct expression_pool *pool, const struct real *real,
            const double point[SYMBOLS])
{
    double lower[SYMBOLS], upper[SYMBOLS], min, max;
    uint64_t seed = (uint64_t)real->handle;

    for (int s = 0; s < SYMBOLS; s++) {
        lower[s] = point[s] * 0.75;
        upper[s] = point[s] * 1.5;
    }
    expression_bound(pool, real->handle, lower, upper, &min, &max);
    assert_true(min <= max);
    for (int i = 0; i < 50; i++) {
        double symbols[SYMBOLS], value, slack;

        for (int s = 0; s < SYMBOLS; s++)
            symbols[s] = lower[s] + (upper[s] - lower[s]) * (double)random_between(&seed, 0, 8) / 8;
        value = expression_evaluate(pool, real->handle, symbols);
        slack = 1e-9 * (fabs(value) + real->size); /* of the sampled value's own rounding */
        if (value < min - slack || value > max + slack)
            describe_failure(pool, context, real->handle, "outside its bound");
        assert_false(value < min - slack || value > max + slack);
    }
}

static void
bounds_hold_every_sampled_value(void **state)
{
    assert_true(for_random_reals(*state, 9, check_bound) > ROUNDS / 3);
}

static void
check_whole_bound(memmodel_context *context, struct expression_pool *pool, const struct whole *whole,
                  const int64_t points[POINTS][SYMBOLS])
{
    double lower[SYMBOLS], upper[SYMBOLS], min, max;

    for (int s = 0; s < SYMBOLS; s++) {
        lower[s] = upper[s] = (double)points[0][s];
        for (int p = 1; p < POINTS; p++) {
            lower[s] = fmin(lower[s], (double)points[p][s]);
            upper[s] = fmax(upper[s], (double)points[p][s]);
        }
    }
    expression_bound(pool, whole->handle, lower, upper, &min, &max);
    for (int p = 0; p < POINTS; p++) {
        if ((double)whole->values[p] < min || (double)whole->values[p] > max)
            describe_failure(pool, context, whole->handle, "outside its bound");
        assert_true((double)whole->values[p] >= min && (double)whole->values[p] <= max);
    }
}

static void
bounds_hold_every_integer_without_slack(void **state)
{
    assert_true(for_random_wholes(*state, 10, 1, check_whole_bound) > ROUNDS / 2);
}

/* ---- floors ---- */

/* floor((floor((c n + d) / b) + e) / f) of every n, c, d, b, e, f in a small box */
static void
check_floors(struct expression_pool *pool, int64_t c, int64_t d, int64_t b)
{
    expression n = expression_symbol(pool, "n");
    expression linear =
        expression_add(pool, expression_multiply(pool, expression_integer(pool, c), n), expression_integer(pool, d));
    expression inner = expression_floor_divide(pool, linear, b), upper = expression_ceil_divide(pool, linear, b);
    static int64_t values[1 << 16];

    for (int64_t e = -2; e <= 2; e++)
        for (int64_t f = 1; f <= 4; f++) {
            expression outer =
                expression_floor_divide(pool, expression_add(pool, inner, expression_integer(pool, e)), f);

            assert_true(expression_count(pool) < sizeof values / sizeof values[0]);
            for (int64_t number = 0; number <= 24; number++) {
                expression_evaluate_integers(pool, &number, values);
                assert_int_equal(values[inner], floor_divide(c * number + d, b));
                assert_int_equal(values[upper], ceil_divide(c * number + d, b));
                assert_int_equal(values[outer], floor_divide(floor_divide(c * number + d, b) + e, f));
            }
        }
}

static void
floors_of_small_integers_are_exact(void **state)
{
    for (int64_t c = -5; c <= 5; c++)
        for (int64_t d = -5; d <= 5; d++)
            for (int64_t b = 1; b <= 6; b++) {
                struct expression_pool *pool;

                assert_int_equal(expression_pool_new(*state, &pool), 0);
                check_floors(pool, c, d, b);
                expression_pool_free(pool);
            }
}

/* ---- assumptions ---- */

enum { UNIT = 12 };

static void
check_assumption(memmodel_context *context, struct expression_pool *pool, const struct whole *whole,
                 const int64_t points[POINTS][SYMBOLS])
{
    struct expression_pool *to = new_pool(context);
    expression copy = expression_copy_assuming(pool, whole->handle, to, &symbol_names[1], (int64_t[]){UNIT}, 1);
    expression plain = expression_copy_assuming(pool, whole->handle, pool, NULL, NULL, 0);
    struct whole copied = *whole;

    assert_true(copy >= 0);
    assert_int_equal(plain, whole->handle);
    copied.handle = copy;
    check_whole_values(context, to, &copied, points);
    expression_pool_free(to);
}

static void
assumptions_hold_on_multiples(void **state)
{
    assert_true(for_random_wholes(*state, 12, UNIT, check_assumption) > ROUNDS / 3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(integers_have_their_value_by_definition, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(doubles_agree_with_integers, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(reals_have_their_value_by_definition, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rings_have_one_form, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(printing_and_reading_gives_the_same_expression, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(blocks_and_points_have_the_same_bits, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(printed_c_computes_the_same_bits, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(bounds_hold_every_sampled_value, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(bounds_hold_every_integer_without_slack, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(floors_of_small_integers_are_exact, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(assumptions_hold_on_multiples, context_setup, context_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
