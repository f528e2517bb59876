/* A model outside the library: what a file keeps, that exports compute the same bits, and what runs out of memory. */
#include "allocations.h"
#include "fitted.h"
#include "near.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- files ---- */

static memmodel_model *
read_back(memmodel_context *context, const char *text)
{
    memmodel_model *model;

    if (memmodel_model_from_json(context, "model.json", text, strlen(text), &model))
        fail_msg("%d: %s", memmodel_context_error(context)->line, memmodel_context_error(context)->message);
    return model;
}

static void
a_model_read_back_has_the_same_text_and_the_same_bits(void **state)
{
    memmodel_model *model = network_model(*state, 0.02), *back;
    uint64_t seed = 4;
    char *text, *again;

    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    back = read_back(*state, text);
    assert_int_equal(memmodel_model_to_json(back, NULL, &again), 0);
    assert_string_equal(text, again);
    for (int i = 0; i < 200; i++) {
        double dim = round(100 + 90 * random_error(&seed)), batch = round(30 + 29 * random_error(&seed));
        struct memmodel_prediction a = predict(model, dim, batch, 0.97), b = predict(back, dim, batch, 0.97);

        assert_true(a.value == b.value && a.upper == b.upper && a.extrapolated == b.extrapolated);
    }
    memmodel_free(text);
    memmodel_free(again);
    memmodel_model_unref(model);
    memmodel_model_unref(back);
}

/* Arrays of numbers are written on one line; what looks like one in a name is none. */
static void
numbers_are_on_one_line_and_names_as_they_were(void **state)
{
    static const char *const columns[] = {"a \"b\" [1,  2]", "y"};
    memmodel_samples *samples;
    memmodel_model *model, *back;
    char *text;

    assert_int_equal(memmodel_samples_new(*state, columns, 2, &samples), 0);
    for (int i = 1; i < 12; i++)
        assert_int_equal(memmodel_samples_add_row(samples, (double[]){i, 3 + i * (i % 2 ? 1.01 : 0.99)}), 0);
    model = fit(samples, NULL);
    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    assert_non_null(strstr(text, "\"a \\\"b\\\" [1,  2]\""));
    assert_non_null(strstr(text, "\"ratios\": [0."));
    assert_null(strstr(text, "\"ratios\": [\n"));
    back = read_back(*state, text);
    assert_string_equal(input_of(back, 0).name, columns[0]);
    memmodel_free(text);
    memmodel_model_unref(back);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

/* What earlier builds wrote says nothing of the values that an input may have. */
static void
a_file_without_them_takes_all_values_and_a_wrong_one_is_refused(void **state)
{
    static const char values[] = "\"is_whole\": true,";
    memmodel_model *model = network_model(*state, 0.02), *back;
    char *text, *place;

    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    place = strstr(text, "\"min\": 32.0");
    memcpy(place, "\"min\": 31.5", strlen("\"min\": 31.5"));
    assert_error(*state, memmodel_model_from_json(*state, "model", text, strlen(text), &back), MEMMODEL_ERROR_PARSE,
                 "the range is not of such values");
    for (place = strstr(text, values); place; place = strstr(place, values))
        memset(place, ' ', strlen(values));
    back = read_back(*state, text);
    assert_int_equal(predict(back, 64.5, 2.5, 0.95).extrapolated, 0);
    memmodel_free(text);
    memmodel_model_unref(model);
    memmodel_model_unref(back);
}

static void
a_model_survives_a_file(void **state)
{
    static const char path[] = "test_model.json";
    memmodel_model *model = network_model(*state, 0.02), *back;

    assert_int_equal(memmodel_model_save(model, path, NULL), 0);
    assert_int_equal(memmodel_model_load(*state, path, &back), 0);
    assert_string_equal(memmodel_model_target(back), "peak_bytes");
    assert_true(predict(model, 50, 5, 0.9).upper == predict(back, 50, 5, 0.9).upper);
    memmodel_model_unref(back);
    remove(path);
    assert_error(*state, memmodel_model_load(*state, path, &back), MEMMODEL_ERROR_IO, path);
    assert_error(*state, memmodel_model_save(model, "no/such/folder/m.json", NULL), MEMMODEL_ERROR_IO,
                 "no/such/folder");
    memmodel_model_unref(model);
}

/* `text` with the first `from` replaced by `to`. */
static char *
replace(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *changed = malloc(strlen(text) + strlen(to) + 1);

    assert_non_null(at);
    assert_non_null(changed);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return changed;
}

static void
changed_files_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *from, *to, *message;
        int status;
    } changes[] = {
        {"\"version\": 1", "\"version\": 3", "reads 1 to 2", MEMMODEL_ERROR_VERSION},
        {"memmodel-model", "memmodel-network", "expected \"memmodel-model\"", MEMMODEL_ERROR_PARSE},
        {"\"sigma\"", "\"sigmb\"", "sigmb", MEMMODEL_ERROR_PARSE},
        {"\"scores\"", "\"score\"", "score", MEMMODEL_ERROR_PARSE},
        {"\"name\": \"batch\"", "\"name\": \"dim\"", "same name", MEMMODEL_ERROR_PARSE},
        {"\"name\": \"batch\"", "\"name\": 5", "string", MEMMODEL_ERROR_PARSE},
        {"\"term\": \"", "\"term\": \"width*", "width", MEMMODEL_ERROR_PARSE},
        {"\"term\": \"", "\"term\": \"(", "not a term", MEMMODEL_ERROR_PARSE},
        {"\"formula\": \"", "\"formula\": \"2", "not that of the terms", MEMMODEL_ERROR_PARSE},
        {"\"coefficient\": ", "\"coefficient\": -", "below 0", MEMMODEL_ERROR_PARSE},
        {"\"min\": ", "\"min\": 1e9, \"more\": ", "more", MEMMODEL_ERROR_PARSE},
        {"\"min\": 32", "\"min\": 320", "below 320", MEMMODEL_ERROR_PARSE},
        {"\"dof\": ", "\"dof\": -", "must be 1 to", MEMMODEL_ERROR_PARSE},
        {"\"sample_count\": ", "\"sample_count\": 0.", "integer", MEMMODEL_ERROR_PARSE},
    };
    memmodel_model *model = network_model(*state, 0.02), *read = NULL;
    char *text;

    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char *changed = replace(text, changes[i].from, changes[i].to);

        assert_error(*state, memmodel_model_from_json(*state, "m", changed, strlen(changed), &read), changes[i].status,
                     changes[i].message);
        assert_true(memmodel_context_error(*state)->line > 0);
        assert_null(read);
        free(changed);
    }
    memmodel_free(text);
    memmodel_model_unref(model);
}

static void
no_truncated_file_is_read(void **state)
{
    memmodel_model *model = network_model(*state, 0.02), *read;
    size_t length;
    char *text;

    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    length = strlen(text) - 2; /* the closing brace and the newline */
    for (size_t kept = 0; kept <= length; kept++)
        assert_int_equal(memmodel_model_from_json(*state, "m", text, kept, &read), MEMMODEL_ERROR_PARSE);
    memmodel_free(text);
    memmodel_model_unref(model);
}

/* A flipped bit may be a digit, and then the file is read; it must be usable, or refused with a reason. */
static void
flipped_bits_are_refused_or_harmless(void **state)
{
    memmodel_model *model = network_model(*state, 0.02);
    size_t length, refused = 0;
    char *text;

    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    length = strlen(text);
    for (size_t bit = 0; bit < length * 8; bit += 3) {
        memmodel_model *read;

        text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
        if (memmodel_model_from_json(*state, "m", text, length, &read) == 0) {
            predict(read, 64, 4, 0.95);
            memmodel_model_unref(read);
        } else {
            assert_true(memmodel_context_error(*state)->message[0] != '\0');
            refused++;
        }
        text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
    }
    assert_true(refused > length);
    memmodel_free(text);
    memmodel_model_unref(model);
}

/* ---- exports ---- */

static void
formulas_print_in_every_language(void **state)
{
    memmodel_model *model = network_model(*state, 0);
    static const char *const parts[] = {"dim^3*batch", "dim*dim*dim*batch", "dim*dim*dim*batch", "^{3}"};
    const char *text;

    for (int language = MEMMODEL_LANGUAGE_TEXT; language <= MEMMODEL_LANGUAGE_LATEX; language++) {
        text = memmodel_model_formula(model, language);
        assert_non_null(strstr(text, parts[language]));
    }
    assert_null(memmodel_model_formula(model, -1));
    assert_null(memmodel_model_formula(model, MEMMODEL_LANGUAGE_SQL + 1));
    memmodel_model_unref(model);
}

enum { EXPORT_POINTS = 1000 };

/* Terms with logarithms, roots, quotients, sums and floors, so that every kind of operation is exported. */
static memmodel_model *
curious_model(memmodel_context *context)
{
    static const char *const terms[] = {"dim*log(dim)*sqrt(batch)", "batch/dim", "floor(dim/16)*batch + 3*dim",
                                        "max(dim, 20*batch)"};
    struct memmodel_fit_options options = {
        .size = sizeof options, .terms = terms, .term_count = 4, .basis = MEMMODEL_FIT_BASIS_USER};
    static const char *const columns[] = {"dim", "batch", "y"};
    memmodel_samples *samples;
    memmodel_model *model;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (size_t i = 0; i < DIMS; i++)
        for (size_t j = 0; j < BATCHES; j++) {
            double dim = dims[i], batch = batches[j];
            double y = 0.1 + 0.3 * dim * log(dim) * sqrt(batch) + 70.0 / 3 * batch / dim +
                       0.7 * (floor(dim / 16) * batch + 3 * dim) + 0.9 * fmax(dim, 20 * batch);

            assert_int_equal(memmodel_samples_add_row(samples, (double[]){dim, batch, y}), 0);
        }
    model = fit(samples, &options);
    memmodel_samples_unref(samples);
    return model;
}

/*
 * Runs `command`, which prints numbers in hexadecimal, and compares them with the evaluator at the same points. The
 * language's own log and roots may be off in the last bits.
 */
static void
assert_prints_nearly_the_same(const char *command, const memmodel_model *model)
{
    FILE *numbers = popen(command, "r");
    char line[64];

    assert_non_null(numbers);
    for (int i = 0; i < EXPORT_POINTS; i++) {
        double point[] = {16 + i * 0.37, 1 + (i * 7 % 64) * 0.9};

        assert_non_null(fgets(line, sizeof line, numbers));
        assert_true(fabs(strtod(line, NULL) / memmodel_model_evaluate(model, point) - 1) <= 0x1p-50);
    }
    assert_int_equal(pclose(numbers), 0);
}

static void
write_file(const char *path, const char *format, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, format, text);
    assert_int_equal(fclose(file), 0);
}

static void
formulas_in_c_compute_the_same_but_for_the_last_bits(void **state)
{
    memmodel_model *models[] = {network_model(*state, 0.02), curious_model(*state)};

    for (size_t i = 0; i < 2; i++) {
        const char *text = memmodel_model_formula(models[i], MEMMODEL_LANGUAGE_C);

        write_file("test_model_export.c",
                   "#include <math.h>\n#include <stdio.h>\nstatic double f(double dim, double batch) { return %s; }\n"
                   "int main(void) { for (int i = 0; i < 1000; i++)\n"
                   "printf(\"%%a\\n\", f(16 + i * 0.37, 1 + (i * 7 %% 64) * 0.9)); return 0; }\n",
                   text);
        assert_int_equal(system("cc -std=c11 -O2 -ffp-contract=off -o test_model_export test_model_export.c -lm"), 0);
        assert_prints_nearly_the_same("./test_model_export", models[i]);
        memmodel_model_unref(models[i]);
    }
    remove("test_model_export");
    remove("test_model_export.c");
}

static void
formulas_in_python_compute_the_same_but_for_the_last_bits(void **state)
{
    memmodel_model *models[] = {network_model(*state, 0.02), curious_model(*state)};

    if (system("python3 -c 'import math' > /dev/null 2>&1") != 0)
        skip();
    for (size_t i = 0; i < 2; i++) {
        const char *text = memmodel_model_formula(models[i], MEMMODEL_LANGUAGE_PYTHON);

        write_file("test_model_export.py",
                   "import math\ndef f(dim, batch): return %s\n"
                   "for i in range(1000): print(float(f(16 + i * 0.37, 1 + (i * 7 %% 64) * 0.9)).hex())\n",
                   text);
        assert_prints_nearly_the_same("python3 test_model_export.py", models[i]);
        memmodel_model_unref(models[i]);
    }
    remove("test_model_export.py");
}

/* ---- memory ---- */

static void
nobody_writes_a_coefficient_of_1(void **state)
{
    static const char text[] =
        "{\"format\": \"memmodel-model\", \"version\": 1, \"target\": \"y\",\n"
        "\"formula\": \"max(0, x - 3) + 2*max(0, x - 5) + x\",\n"
        "\"inputs\": [{\"name\": \"x\", \"min\": 1, \"max\": 10}],\n"
        "\"terms\": [{\"coefficient\": 1.0, \"term\": \"max(0, x - 3)\"},\n"
        "{\"coefficient\": 2.0, \"term\": \"max(0, x - 5)\"}, {\"coefficient\": 1.0, \"term\": \"x\"}],\n"
        "\"scores\": {\"sample_count\": 4, \"training_mape\": 0.1, \"loo_mape\": 0.1},\n"
        "\"bound\": {\"dof\": 1, \"sigma\": 0.1, \"leverage\": [[1], [0, 1], [0, 0, 1]], \"ratios\": [1]}}";
    memmodel_model *model;

    if (memmodel_model_from_json(*state, "model", text, strlen(text), &model))
        fail_msg("%s", memmodel_context_error(*state)->message);
    assert_string_equal(memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT), "max(0, x - 3) + 2*max(0, x - 5) + x");
    memmodel_model_unref(model);
}

static void
what_terms_have_in_common_is_written_once(void **state)
{
    static const char text[] =
        "{\"format\": \"memmodel-model\", \"version\": 1, \"target\": \"y\",\n"
        "\"formula\": \"(2*x + 4)/(x + z) + 0.5*(z + 1)*exp(-x) + x\",\n"
        "\"inputs\": [{\"name\": \"x\", \"min\": 1, \"max\": 10}, {\"name\": \"z\", \"min\": 1, \"max\": 10}],\n"
        "\"terms\": [{\"coefficient\": 2.0, \"term\": \"x/(x + z)\"}, {\"coefficient\": 4.0, \"term\": \"1/(x + z)\"},\n"
        "{\"coefficient\": 0.5, \"term\": \"z*exp(-x) + exp(-x)\"}, {\"coefficient\": 1.0, \"term\": \"x\"}],\n"
        "\"scores\": {\"sample_count\": 6, \"training_mape\": 0.1, \"loo_mape\": 0.1},\n"
        "\"bound\": {\"dof\": 2, \"sigma\": 0.1, \"leverage\": [[1], [0, 1], [0, 0, 1], [0, 0, 0, 1]], \"ratios\": [1]}}";
    memmodel_model *model = read_back(*state, text), *again;
    char *json;
    double value;

    assert_string_equal(memmodel_model_formula(model, MEMMODEL_LANGUAGE_TEXT),
                        "(2*x + 4)/(x + z) + 0.5*(z + 1)*exp(-x) + x");
    assert_string_equal(memmodel_model_formula(model, MEMMODEL_LANGUAGE_LATEX),
                        "\\frac{2 \\, x + 4}{x + z} + 0.5 \\, \\left(z + 1\\right) \\, \\exp\\left(-x\\right) + x");
    assert_int_equal(memmodel_model_to_json(model, NULL, &json), 0);
    again = read_back(*state, json);
    value = memmodel_model_evaluate(again, (const double[]){3, 2});
    assert_near(value, (2 * 3 + 4) / 5.0 + 0.5 * (2 + 1) * exp(-3) + 3, 1e-15);
    memmodel_free(json);
    memmodel_model_unref(again);
    memmodel_model_unref(model);
}

static int
use_model(memmodel_context *context, memmodel_model *model)
{
    static const char path[] = "test_model_memory.json";
    memmodel_model *back;
    char *text;
    int status = memmodel_model_to_json(model, NULL, &text);

    if (status)
        return status;
    status = memmodel_model_from_json(context, "model", text, strlen(text), &back);
    memmodel_free(text);
    if (status)
        return status;
    memmodel_model_unref(back);
    for (int language = MEMMODEL_LANGUAGE_TEXT; !status && language <= MEMMODEL_LANGUAGE_SQL; language++) {
        status = memmodel_model_to_code(model, language, context, &text);
        if (!status)
            memmodel_free(text);
    }
    if (!status)
        status = memmodel_model_save(model, path, NULL);
    if (!status)
        status = memmodel_model_load(context, path, &back);
    if (!status)
        memmodel_model_unref(back);
    remove(path);
    return status;
}

static int
fit_and_use(memmodel_context *context)
{
    static const char *const columns[] = {"dim", "batch size", "y"}, *const terms[] = {"dim^3"};
    struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 2, .terms = terms, .term_count = 1};
    memmodel_samples *samples;
    memmodel_model *model;
    int status = memmodel_samples_new(context, columns, 3, &samples);

    if (status)
        return status;
    for (int i = 1; !status && i < 12; i++)
        status =
            memmodel_samples_add_row(samples, (double[]){i, i * 7 % 5 + 1, 10 + i * i * i * (i * 7 % 5 + 1) + i % 3});
    if (!status)
        status = memmodel_fit(samples, &options, NULL, &model);
    memmodel_samples_unref(samples);
    if (status)
        return status;
    status = use_model(context, model);
    memmodel_model_unref(model);
    return status;
}

static void
a_model_leaves_no_memory_behind(void **state)
{
    (void)state;
    assert_true(survives_failure_after(-1, false, fit_and_use));
}

static void
every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_failing_allocations(fit_and_use);
}

/* The context's hook refuses everything while a model is evaluated. */
static void
evaluating_takes_no_memory(void **state)
{
    struct allocations allocations = {.until_failure = -1};
    struct memmodel_allocator allocator = {sizeof allocator, allocations_allocate, allocations_reallocate,
                                           allocations_release, &allocations};
    memmodel_context *context;
    memmodel_model *model;
    double result;
    int64_t largest;

    (void)state;
    assert_int_equal(memmodel_context_new(&allocator, &context), 0);
    model = network_model(context, 0.02);
    allocations.until_failure = 0;
    assert_true(memmodel_model_evaluate(model, (double[]){64, 4}) > 0);
    memmodel_model_evaluate_many(model, (const double *const[]){(double[]){64}, (double[]){4}}, 1, 1, &result);
    predict(model, 64, 4, 0.95);
    assert_int_equal(memmodel_model_predict_max(model, (double[]){64, 4}, "batch", NULL, 16e9, NULL, &largest), 0);
    assert_int_equal(allocations.failures, 0);
    memmodel_model_unref(model);
    memmodel_context_unref(context);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_model_read_back_has_the_same_text_and_the_same_bits),
        WITH_CONTEXT(numbers_are_on_one_line_and_names_as_they_were),
        WITH_CONTEXT(a_file_without_them_takes_all_values_and_a_wrong_one_is_refused),
        WITH_CONTEXT(a_model_survives_a_file),
        WITH_CONTEXT(changed_files_are_refused_with_their_place),
        LONG_WITH_CONTEXT(no_truncated_file_is_read),
        LONG_WITH_CONTEXT(flipped_bits_are_refused_or_harmless),
        WITH_CONTEXT(nobody_writes_a_coefficient_of_1),
        WITH_CONTEXT(what_terms_have_in_common_is_written_once),
        WITH_CONTEXT(formulas_print_in_every_language),
        WITH_CONTEXT(formulas_in_c_compute_the_same_but_for_the_last_bits),
        WITH_CONTEXT(formulas_in_python_compute_the_same_but_for_the_last_bits),
        cmocka_unit_test(a_model_leaves_no_memory_behind),
        LONG_UNIT_TEST(every_allocation_may_fail),
        cmocka_unit_test(evaluating_takes_no_memory),
    };

    return cmocka_run_group_tests_name("model files", tests, NULL, NULL);
}
