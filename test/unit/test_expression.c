/* Symbolic expressions: one form, exact values, printing, reading, bounds. */
#include "allocations.h"

#include "expression/expression.h"

#include <math.h>
#include <stdio.h>

static struct expression_pool *
new_pool(memmodel_context *context)
{
    struct expression_pool *pool;

    assert_int_equal(expression_pool_new(context, &pool), 0);
    return pool;
}

static expression
parse(struct expression_pool *pool, const char *text)
{
    return expression_parse(pool, "formula", text);
}

/* Both texts are read, and must be the same expression. */
static void
assert_same(struct expression_pool *pool, const char *a, const char *b)
{
    assert_true(parse(pool, a) >= 0);
    if (parse(pool, a) != parse(pool, b))
        fail_msg("%s and %s are not the same", a, b);
}

static void
assert_printed(memmodel_context *context, const struct expression_pool *pool, expression a,
               enum expression_language language, const char *expected)
{
    struct text text = TEXT_INIT(context);

    expression_print(pool, a, language, &text);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

/* ---- one form ---- */

static void
equal_sums_and_products_are_the_same(void **state)
{
    struct expression_pool *pool = new_pool(*state);

    assert_same(pool, "a + b", "b + a");
    assert_same(pool, "(a + b)*(a - b)", "a^2 - b^2");
    assert_same(pool, "(a + b)^4", "a^4 + 4*a^3*b + 6*a^2*b^2 + 4*a*b^3 + b^4");
    assert_same(pool, "a*b/a", "b");
    assert_same(pool, "a - a", "0");
    assert_same(pool, "2*a/4", "0.5*a");
    assert_same(pool, "1/(2*a + 2)", "0.5/(a + 1)");
    assert_same(pool, "(a + 1)^5/(a + 1)", "(a + 1)^4");
    assert_same(pool, "sqrt(a)*sqrt(a)", "a");
    assert_same(pool, "sqrt(4*a*b^2)", "2*b*sqrt(a)");
    assert_same(pool, "sqrt(2*a)*sqrt(2*a)", "2*a");
    assert_same(pool, "(a^(1/3))^3", "a");
    assert_same(pool, "log(1)", "0");
    assert_same(pool, "exp(0) + sin(0) + cos(0) + tanh(0)", "2");
    assert_same(pool, "a^0", "1");
    assert_same(pool, "-a^2", "-(a^2)");
    assert_same(pool, "1.5e3*a", "1500*a");
    assert_same(pool, "max(a, b)", "max(b, a)");
    assert_same(pool, "max(a, a + 1)", "a + 1");
    assert_same(pool, "min(a, a - 1/2)", "a - 1/2");
    assert_same(pool, "equal(a, b)", "equal(b, a)");
    assert_same(pool, "equal(a + b, b + a) + equal(a, a + 1)", "1");
    expression_pool_free(pool);
}

static void
whole_parts_leave_a_floor(void **state)
{
    struct expression_pool *pool = new_pool(*state);

    assert_same(pool, "floor((n - 2)/2)", "floor(n/2) - 1");
    assert_same(pool, "floor(16*n/16)", "n");
    assert_same(pool, "floor((2*n + 1)/4)", "floor(n/2)");
    assert_same(pool, "floor(floor(n/3)/4)", "floor(n/12)");
    assert_same(pool, "floor((3*n + k*2)/2)", "n + k + floor(n/2)");
    assert_same(pool, "ceil(n/3)", "floor((n + 2)/3)");
    assert_same(pool, "floor(-n/2)", "floor(n/2) - n");
    /* at 5: ceil(1.118) = 2, which floor((sqrt(n) + 1)/2) is not, as it would be for an integer over 2 */
    assert_same(pool, "ceil(sqrt(n)/2)", "-floor(-sqrt(n)/2)");
    /* three layers of kernel 3, stride 2, padding 1: each floor((n + 2 - 3) / 2) + 1 */
    assert_same(pool, "floor((floor((floor((n - 1)/2) + 1 - 1)/2) + 1 - 1)/2) + 1", "floor((n - 1)/8) + 1");
    /* sqrt(n) is no integer: only whole numbers leave */
    assert_same(pool, "floor(sqrt(n) + 3/2)", "floor(sqrt(n) + 1/2) + 1");
    expression_pool_free(pool);
}

static void
assumed_multiples_make_floors_exact(void **state)
{
    struct expression_pool *from = new_pool(*state), *to = new_pool(*state);
    const char *name = "dim";
    /* the 3D U-Net with four poolings: what is pooled and what comes back up */
    expression a = parse(from, "batch*(floor(dim/2)^3 + (16*floor(dim/16))^3 + floor((dim + 15)/16))");
    expression copy = expression_copy_assuming(from, a, to, &name, (int64_t[]){16}, 1);

    assert_int_equal(copy, parse(to, "batch*(9/8*dim^3 + dim/16)"));
    copy = expression_copy_assuming(from, a, to, &name, (int64_t[]){8}, 1);
    assert_int_equal(copy, parse(to, "batch*(dim^3/8 + 4096*floor(dim/16)^3 + floor((dim + 8)/16))"));
    copy = expression_copy_assuming(from, a, to, &name, (int64_t[]){0}, 1);
    assert_error(*state, copy, MEMMODEL_ERROR_INVALID_ARGUMENT, "dim");
    expression_pool_free(from);
    expression_pool_free(to);
}

static void
equations_tell_of_what_a_symbol_is_a_multiple(void **state)
{
    struct expression_pool *pool = new_pool(*state);
    expression dim = expression_symbol(pool, "dim");
    size_t symbol = 99;
    int64_t multiple = 0;

    assert_true(expression_implies_multiple(pool, parse(pool, "16*floor(dim/16)"), dim, &symbol, &multiple));
    assert_int_equal(symbol, 0);
    assert_int_equal(multiple, 16);
    assert_true(expression_implies_multiple(pool, parse(pool, "dim + 4"), parse(pool, "6*k"), &symbol, &multiple));
    assert_int_equal(multiple, 2);
    multiple = 0;
    assert_false(expression_implies_multiple(pool, parse(pool, "2*floor(dim/2) + 1"), dim, &symbol, &multiple));
    assert_false(expression_implies_multiple(pool, dim, dim, &symbol, &multiple));
    assert_int_equal(multiple, 0);
    expression_pool_free(pool);
}

static void
assert_without_coefficient(struct expression_pool *pool, const char *text, const char *rest, double wanted)
{
    double coefficient = 0;

    assert_int_equal(expression_without_coefficient(pool, parse(pool, text), &coefficient), parse(pool, rest));
    assert_true(coefficient == wanted);
}

static void
a_coefficient_that_all_terms_have_is_taken_off(void **state)
{
    struct expression_pool *pool = new_pool(*state);

    assert_without_coefficient(pool, "6*a/(a + b)", "a/(a + b)", 6);
    assert_without_coefficient(pool, "-0.25*a*b", "a*b", -0.25);
    assert_without_coefficient(pool, "2*a^2 - 2*b", "a^2 - b", 2);
    assert_without_coefficient(pool, "2*a + 3*b", "2*a + 3*b", 1);
    assert_without_coefficient(pool, "a - a", "0", 1);
    expression_pool_free(pool);
}

/* ---- errors ---- */

static void
overflow_is_an_error_that_passes_through(void **state)
{
    struct expression_pool *pool = new_pool(*state);
    expression large = expression_integer(pool, INT64_MAX), n = expression_symbol(pool, "n"), broken;

    broken = expression_add(pool, large, expression_integer(pool, 1));
    assert_error(*state, broken, MEMMODEL_ERROR_OVERFLOW, "64 bits");
    assert_int_equal(expression_floor_divide(pool, expression_multiply(pool, n, broken), 2), MEMMODEL_ERROR_OVERFLOW);
    assert_int_equal(expression_multiply(pool, expression_multiply(pool, large, n), expression_integer(pool, 2)),
                     MEMMODEL_ERROR_OVERFLOW);
    assert_int_equal(expression_power(pool, expression_add(pool, n, large), 4, 1), MEMMODEL_ERROR_OVERFLOW);
    assert_int_equal(expression_power(pool, n, (int64_t)1 << 40, 1), MEMMODEL_ERROR_OVERFLOW);
    assert_true(expression_add(pool, large, n) >= 0);
    expression_pool_free(pool);
}

/* Of more terms than the 4096 that are multiplied out, each times one is one, times two are two. */
static void
a_long_sum_is_multiplied_by_a_term_but_not_by_a_sum(void **state)
{
    struct expression_pool *pool = new_pool(*state);
    struct text text = TEXT_INIT(*state);
    expression sum, term = expression_symbol(pool, "y"), product;

    text_append(&text, "x");
    for (int i = 2; i <= 4097; i++)
        text_printf(&text, "+x^%d", i);
    sum = parse(pool, text.bytes);
    product = expression_multiply(pool, sum, term);
    assert_true(product >= 0);
    assert_int_equal(expression_divide(pool, product, term), sum);
    assert_int_equal(expression_multiply(pool, term, sum), product);
    assert_error(*state, expression_multiply(pool, sum, parse(pool, "y + 1")), MEMMODEL_ERROR_OVERFLOW, "4096 terms");
    text_release(&text);
    expression_pool_free(pool);
}

static void
senseless_arguments_are_refused(void **state)
{
    struct expression_pool *pool = new_pool(*state);
    expression n = expression_symbol(pool, "n");

    assert_error(*state, expression_symbol(pool, "2n"), MEMMODEL_ERROR_INVALID_ARGUMENT, "2n");
    assert_error(*state, expression_symbol(pool, ""), MEMMODEL_ERROR_INVALID_ARGUMENT, "name");
    assert_error(*state, expression_symbol(pool, "a-b"), MEMMODEL_ERROR_INVALID_ARGUMENT, "a-b");
    assert_error(*state, expression_divide(pool, n, expression_subtract(pool, n, n)), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "zero");
    assert_error(*state, expression_floor_divide(pool, n, 0), MEMMODEL_ERROR_INVALID_ARGUMENT, "positive");
    assert_error(*state, expression_rational(pool, 1, -2), MEMMODEL_ERROR_INVALID_ARGUMENT, "positive");
    expression_pool_free(pool);
}

static void
errors_of_texts_have_their_column(void **state)
{
    static const struct {
        const char *text, *part;
        int status, line, column;
    } cases[] = {
        {"", "unexpected end", MEMMODEL_ERROR_PARSE, 1, 1},
        {"a +", "unexpected end", MEMMODEL_ERROR_PARSE, 1, 4},
        {"a b", "operator", MEMMODEL_ERROR_PARSE, 1, 3},
        {"2*(a + b", "')'", MEMMODEL_ERROR_PARSE, 1, 9},
        {"a +\n  $", "expected a number", MEMMODEL_ERROR_PARSE, 2, 3},
        {"1 + arc(a)", "unknown function", MEMMODEL_ERROR_PARSE, 1, 5},
        {"1 + max(a)", "','", MEMMODEL_ERROR_PARSE, 1, 10},
        {"a^b", "integer", MEMMODEL_ERROR_PARSE, 1, 3},
        {"a^2^3", "operator", MEMMODEL_ERROR_PARSE, 1, 4},
        {"1 + a/0", "division by zero", MEMMODEL_ERROR_PARSE, 1, 8},
        {"a + (b + 9223372036854775808)", "64", MEMMODEL_ERROR_OVERFLOW, 1, 10},
        {"1e999", "64", MEMMODEL_ERROR_OVERFLOW, 1, 1},
        {"9223372036854775807*2*a", "64", MEMMODEL_ERROR_OVERFLOW, 1, 20},
    };
    struct expression_pool *pool = new_pool(*state);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct memmodel_error *error = memmodel_context_error(*state);

        assert_error(*state, parse(pool, cases[i].text), cases[i].status, cases[i].part);
        assert_string_equal(error->object, "formula");
        assert_int_equal(error->line, cases[i].line);
        assert_int_equal(error->column, cases[i].column);
    }
    expression_pool_free(pool);
}

/* `count` times the same character */
static char *
repeated(char character, size_t count)
{
    char *text = malloc(count + 1);

    assert_non_null(text);
    memset(text, character, count);
    text[count] = '\0';
    return text;
}

static void
hostile_texts_are_refused_quickly(void **state)
{
    struct expression_pool *pool = new_pool(*state);
    char *parentheses = repeated('(', 1000000), *short_parentheses = repeated('(', 60000),
         *signs = repeated('-', 60001);

    signs[60000] = 'a';
    assert_error(*state, parse(pool, parentheses), MEMMODEL_ERROR_PARSE, "longer");
    assert_error(*state, parse(pool, short_parentheses), MEMMODEL_ERROR_PARSE, "deep");
    assert_int_equal(parse(pool, signs), parse(pool, "a"));
    assert_error(*state, parse(pool, "(a+b+c+d)^4*(e+f+g+h)^4*(i+j+k+l)^4"), MEMMODEL_ERROR_OVERFLOW, "terms");
    assert_error(*state, parse(pool, "a^9999999"), MEMMODEL_ERROR_OVERFLOW, "exponent");
    free(parentheses);
    free(short_parentheses);
    free(signs);
    expression_pool_free(pool);
}

static void
functions_nest_to_a_limit(void **state)
{
    struct expression_pool *pool = new_pool(*state);
    expression n = expression_symbol(pool, "n"), a = n;

    for (int i = 0; i < 5000 && a >= 0; i++)
        a = expression_log(pool, expression_add(pool, a, n));
    assert_error(*state, a, MEMMODEL_ERROR_OVERFLOW, "deep");
    expression_pool_free(pool);
}

/* Each step uses the last twice: written out, the expression would have 2^90 parts. */
static void
shared_parts_are_computed_once_and_never_written_out(void **state)
{
    struct expression_pool *pool = new_pool(*state);
    expression n = expression_symbol(pool, "n"), a = n;
    struct text text = TEXT_INIT(*state);
    double min, max;

    for (int i = 0; i < 90; i++)
        a = expression_max(pool, expression_power(pool, a, 1, 2), expression_divide(pool, a, n));
    assert_true(expression_evaluate(pool, a, &(double){1}) == 1);
    expression_bound(pool, a, &(double){1}, &(double){1}, &min, &max);
    assert_true(min <= 1 && max >= 1);
    expression_print(pool, a, EXPRESSION_C, &text);
    assert_true(text.failed);
    assert_int_equal(memmodel_context_error(*state)->status, MEMMODEL_ERROR_OVERFLOW);
    text_release(&text);
    expression_pool_free(pool);
}

/* ---- values ---- */

static void
integers_are_exact_or_undefined(void **state)
{
    struct expression_pool *pool = new_pool(*state);
    expression half = parse(pool, "(n^2 + n)/2"), quarter = parse(pool, "n/4"), root = parse(pool, "sqrt(n)");
    expression large = parse(pool, "n^40"), floored = parse(pool, "floor(n/4)"), quotient = parse(pool, "12/n");
    int64_t values[64], n = 6;

    assert_true(expression_count(pool) <= 64);
    expression_evaluate_integers(pool, &n, values);
    assert_int_equal(values[half], 21);
    assert_true(values[quarter] == EXPRESSION_UNDEFINED);
    assert_true(values[root] == EXPRESSION_UNDEFINED);
    assert_true(values[large] == EXPRESSION_UNDEFINED); /* 6^40 > 2^63 */
    assert_int_equal(values[floored], 1);
    assert_int_equal(values[quotient], 2);
    n = EXPRESSION_UNDEFINED;
    expression_evaluate_integers(pool, &n, values);
    assert_true(values[floored] == EXPRESSION_UNDEFINED);
    n = 0;
    expression_evaluate_integers(pool, &n, values);
    assert_true(values[quotient] == EXPRESSION_UNDEFINED);
    assert_int_equal(values[half], 0);
    expression_pool_free(pool);
}

static void
floors_of_whole_doubles_are_exact(void **state)
{
    struct expression_pool *pool = new_pool(*state);
    expression a = parse(pool, "floor((n + 3)/49)");

    for (int n = 0; n < 5000; n++)
        assert_true(expression_evaluate(pool, a, &(double){n}) == (n + 3) / 49);
    expression_pool_free(pool);
}

static void
programs_share_and_run_any_number_of_roots(void **state)
{
    enum { ROOTS = 3000 };
    static expression roots[ROOTS];
    static double results[ROOTS];
    struct expression_pool *pool = new_pool(*state);
    struct expression_program *program;

    for (int i = 0; i < ROOTS; i++)
        roots[i] = expression_add(pool, parse(pool, "log(n)"), expression_integer(pool, i));
    assert_int_equal(expression_compile(pool, roots, ROOTS, &program), 0);
    expression_program_run(program, &(double){5}, results);
    for (int i = 1; i < ROOTS; i++) /* the term of falling degree first: log(n) + i */
        assert_true(results[i] == log(5.0) + i);
    expression_program_free(program);
    expression_pool_free(pool);
}

static void
symbols_are_known_by_name_and_order(void **state)
{
    struct expression_pool *pool = new_pool(*state);
    expression a = parse(pool, "floor(dim/2)*batch + log(x.y_2)");

    for (int i = 0; i < 200; i++) {
        char name[16];

        snprintf(name, sizeof name, "s%d", i);
        assert_true(expression_symbol(pool, name) >= 0);
    }
    assert_int_equal(expression_symbol_count(pool), 203);
    assert_string_equal(expression_symbol_name(pool, 1), "batch");
    assert_int_equal(expression_find_symbol(pool, "x.y_2"), 2);
    assert_int_equal(expression_find_symbol(pool, "nobody"), -1);
    assert_true(expression_depends_on(pool, a, 0) && expression_depends_on(pool, a, 2));
    assert_false(expression_depends_on(pool, a, 3) || expression_depends_on(pool, a, 202));
    assert_true(expression_depends_on(pool, expression_add(pool, a, expression_symbol(pool, "s199")), 202));
    expression_pool_free(pool);
}

/* ---- printing ---- */

static void
each_language_has_its_form(void **state)
{
    static const struct {
        const char *text, *printed[4];
    } cases[] = {
        {"1291.125*batch*dim^3 + 22591428",
         {"1291.125*batch*dim^3 + 22591428", "1291.125*batch*dim*dim*dim + 22591428.0",
          "1291.125*batch*dim*dim*dim + 22591428.0", "1291.125\\, \\mathrm{batch}\\, \\mathrm{dim}^{3} + 22591428"}},
        {"floor((n - 3)/2) - 2/3/n",
         {"floor((n + 1)/2) - 2 - 2/3/n", "floor((n + 1.0)/2.0) - 2.0 - 2.0/3.0/n",
          "math.floor((n + 1.0)/2.0) - 2.0 - 2.0/3.0/n",
          "\\left\\lfloor \\frac{n + 1}{2} \\right\\rfloor - 2 - \\frac{2}{3\\, n}"}},
        {"-x^(3/2) + sqrt(x) + 0.1*log(x)^2",
         {"-x^(3/2) + sqrt(x) + 0.1*log(x)^2", "-x*sqrt(x) + sqrt(x) + 0.1*log(x)*log(x)",
          "-x*math.sqrt(x) + math.sqrt(x) + 0.1*math.log(x)*math.log(x)",
          "-x^{3/2} + \\sqrt{x} + 0.1\\, \\left(\\ln\\left(x\\right)\\right)^{2}"}},
        {"exp(-x)*sin(x) + tanh(x)^2*cos(x)",
         {"exp(-x)*sin(x) + tanh(x)^2*cos(x)", "exp(-x)*sin(x) + tanh(x)*tanh(x)*cos(x)",
          "math.exp(-x)*math.sin(x) + math.tanh(x)*math.tanh(x)*math.cos(x)",
          "\\exp\\left(-x\\right)\\, \\sin\\left(x\\right) + "
          "\\left(\\tanh\\left(x\\right)\\right)^{2}\\, \\cos\\left(x\\right)"}},
        {"max(n_1, 3)/(n_1 + 1)",
         {"max(n_1, 3)/(n_1 + 1)", "fmax(n_1, 3.0)/(n_1 + 1.0)", "max(n_1, 3.0)/(n_1 + 1.0)",
          "\\frac{\\max\\left(\\mathrm{n\\_1}, 3\\right)}{\\mathrm{n\\_1} + 1}"}},
        {"2.5*equal(n, 3) + x",
         {"x + 2.5*equal(n, 3)", "x + 2.5*(double)(n == 3.0)", "x + 2.5*float(n == 3.0)",
          "x + 2.5\\, \\left[n = 3\\right]"}},
        {"0", {"0", "0.0", "0.0", "0"}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct expression_pool *pool = new_pool(*state);
        expression a = parse(pool, cases[i].text);

        assert_true(a >= 0);
        for (int language = EXPRESSION_TEXT; language <= EXPRESSION_LATEX; language++)
            assert_printed(*state, pool, a, (enum expression_language)language, cases[i].printed[language]);
        expression_pool_free(pool);
    }
}

/* ---- bounds ---- */

static void
bounds_are_exact_for_whole_numbers(void **state)
{
    struct expression_pool *pool = new_pool(*state);
    const double lower[] = {1, -3}, upper[] = {64, 2};
    double min, max;

    assert_true(expression_symbol(pool, "batch") >= 0 && expression_symbol(pool, "x") >= 0);
    expression_bound(pool, parse(pool, "1291.125*batch + 5"), lower, upper, &min, &max);
    assert_true(min == 1296.125 && max == 82637); /* 64 * 1291.125 + 5 */
    expression_bound(pool, parse(pool, "x^2"), lower, upper, &min, &max);
    assert_true(min == 0 && max == 9);
    expression_bound(pool, parse(pool, "1/x"), lower, upper, &min, &max);
    assert_true(isinf(min) && isinf(max));
    expression_bound(pool, parse(pool, "floor(batch/3)"), lower, upper, &min, &max);
    assert_true(min == 0 && max == 21);
    expression_pool_free(pool);
}

/* ---- memory ---- */

static int
print_all(struct expression_pool *pool, memmodel_context *context, expression a)
{
    for (int language = EXPRESSION_TEXT; language <= EXPRESSION_LATEX; language++) {
        struct text text = TEXT_INIT(context);
        bool failed;

        expression_print(pool, a, (enum expression_language)language, &text);
        failed = text.failed;
        text_release(&text);
        if (failed)
            return MEMMODEL_ERROR_NO_MEMORY;
    }
    return 0;
}

static int
use_pool(struct expression_pool *pool, struct expression_pool *other, memmodel_context *context)
{
    const char *name = "n";
    expression a = expression_parse(
        pool, "formula", "(a+b+c+d)^3*floor((n + 1)/2)^2/(a + 1) + sqrt(2*n)*max(a, n*log(b)) + ceil(n/3 + a^(1/2))");
    expression copy = expression_copy_assuming(pool, a, other, &name, (int64_t[]){4}, 1);
    expression twice = expression_add(pool, a, a);
    struct expression_program *program;
    int status;

    if (a < 0 || copy < 0 || twice < 0)
        return a < 0 ? a : copy < 0 ? copy : twice;
    status = print_all(pool, context, a);
    if (status)
        return status;
    status = expression_compile(pool, (expression[]){a, twice}, 2, &program);
    if (status)
        return status;
    expression_program_free(program);
    for (int i = 0; i < 70; i++) {
        char symbol[16];
        expression new;

        snprintf(symbol, sizeof symbol, "s%d", i);
        new = expression_symbol(pool, symbol);
        if (new < 0)
            return new;
    }
    return 0;
}

static int
use_expressions(memmodel_context *context)
{
    struct expression_pool *pool, *other;
    int status = expression_pool_new(context, &pool);

    if (status)
        return status;
    status = expression_pool_new(context, &other);
    if (!status) {
        status = use_pool(pool, other, context);
        expression_pool_free(other);
    }
    expression_pool_free(pool);
    return status;
}

static void
failing_allocations_are_survived(void **state)
{
    (void)state;
    assert_survives_failing_allocations(use_expressions);
}

static void
a_pool_that_failed_is_whole_afterwards(void **state)
{
    (void)state;
    for (int64_t good = 0; good < 60; good++) {
        struct allocations allocations = {.until_failure = -1, .once = true};
        struct memmodel_allocator allocator = {sizeof allocator, allocations_allocate, allocations_reallocate,
                                               allocations_release, &allocations};
        static const char formula[] = "(a + b)^3*floor((n + 1)/2)/(a + 1) + sqrt(n)*max(a, log(b))";
        memmodel_context *context;
        struct expression_pool *pool;
        expression a;

        assert_int_equal(memmodel_context_new(&allocator, &context), 0);
        pool = new_pool(context);
        allocations.until_failure = good;
        parse(pool, formula);
        allocations.until_failure = -1;
        a = parse(pool, formula);
        assert_true(a >= 0);
        assert_int_equal(parse(pool, formula), a);
        assert_true(expression_evaluate(pool, a, (double[]){1, 2, 3}) > 0);
        expression_pool_free(pool);
        memmodel_context_unref(context);
        assert_int_equal(allocations.alive, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(equal_sums_and_products_are_the_same),
        WITH_CONTEXT(a_coefficient_that_all_terms_have_is_taken_off),
        WITH_CONTEXT(whole_parts_leave_a_floor),
        WITH_CONTEXT(assumed_multiples_make_floors_exact),
        WITH_CONTEXT(equations_tell_of_what_a_symbol_is_a_multiple),
        WITH_CONTEXT(overflow_is_an_error_that_passes_through),
        WITH_CONTEXT(a_long_sum_is_multiplied_by_a_term_but_not_by_a_sum),
        WITH_CONTEXT(senseless_arguments_are_refused),
        WITH_CONTEXT(errors_of_texts_have_their_column),
        WITH_CONTEXT(hostile_texts_are_refused_quickly),
        WITH_CONTEXT(functions_nest_to_a_limit),
        WITH_CONTEXT(shared_parts_are_computed_once_and_never_written_out),
        WITH_CONTEXT(integers_are_exact_or_undefined),
        WITH_CONTEXT(floors_of_whole_doubles_are_exact),
        WITH_CONTEXT(programs_share_and_run_any_number_of_roots),
        WITH_CONTEXT(symbols_are_known_by_name_and_order),
        WITH_CONTEXT(each_language_has_its_form),
        WITH_CONTEXT(bounds_are_exact_for_whole_numbers),
        WITH_CONTEXT(failing_allocations_are_survived),
        WITH_CONTEXT(a_pool_that_failed_is_whole_afterwards),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
