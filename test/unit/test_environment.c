/*
 * The same bytes whatever the program around a call has done to numbers: a locale with a decimal comma, other rounding,
 * exceptions that are signals. Networks, tables, plans, models and ONNX are read, asked and written in each.
 */
#define _GNU_SOURCE /* feenableexcept() */

#include "check.h"

#include <fenv.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static const char table[] = "batch,dim,bytes\n1,1.5,110.25\n2,1.5,205.5\n4,1.5,410.125\n8,1.5,805.75\n"
                            "1,2.5,205.3\n2,2.5,410.7\n4,2.5,805.1\n8,2.5,1610.9\n";
static const char buffers[] = "id,lower,upper,size\na,0,2,100\nb,1,3,60\nc,2,4,100\n";
static const struct memmodel_symbol_value batch[] = {{"batch", 3}};
static const struct memmodel_job job = {.size = sizeof job, .symbols = batch, .symbol_count = 1, .steps = 2};

static void
keep(memmodel_context *context, FILE *out, int status, char **text)
{
    if (status)
        fail_msg("%s", memmodel_context_error(context)->message);
    fputs(*text, out);
    memmodel_free(*text);
}

static void
keep_file(FILE *out, const char *path)
{
    FILE *file = fopen(path, "r");
    int c;

    assert_non_null(file);
    while ((c = fgetc(file)) != EOF)
        fputc(c, out);
    fclose(file);
    remove(path);
}

static void
keep_bits(FILE *out, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    fprintf(out, "%016llx\n", (unsigned long long)bits);
}

/* ---- what is read, asked and written ---- */

static memmodel_network *
build(memmodel_context *context)
{
    memmodel_network *net;
    memmodel_tensor x;

    assert_int_equal(memmodel_network_new(context, &net), 0);
    x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 4,
                               (memmodel_dim[]){memmodel_network_symbol(net, "batch"), 3, 16, 16});
    memmodel_network_push_scope(net, "a");
    x = memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 8, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
    x = memmodel_network_dropout(net, x, MEMMODEL_DROPOUT(.rate = 0.3));
    memmodel_network_pop_scope(net);
    x = memmodel_network_upsample(net, x, MEMMODEL_UPSAMPLE(.scale = {2}));
    memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_GELU));
    return net;
}

static void
ask_network(memmodel_context *context, FILE *out)
{
    memmodel_network *net = build(context), *again;
    const struct memmodel_recompute_options options = {.size = sizeof options, .max_simulations = 10};
    memmodel_recomputation *recomputation;
    memmodel_report *report;
    struct memmodel_job within = job;
    int64_t largest;
    char *text;

    assert_int_equal(memmodel_network_to_json(net, NULL, &text), 0);
    assert_int_equal(memmodel_network_from_json(context, "text", text, strlen(text), &again), 0);
    memmodel_free(text);
    keep(context, out, memmodel_network_to_json(again, NULL, &text), &text);
    memmodel_network_unref(again);
    assert_int_equal(memmodel_estimate_what_if(net, &job, NULL, &report), 0);
    keep(context, out, memmodel_report_to_json(report, context, &text), &text);
    keep(context, out, memmodel_report_to_html(report, context, &text), &text);
    memmodel_report_unref(report);
    within.budget = 1 << 22;
    assert_int_equal(memmodel_estimate_max(net, &within, "batch", NULL, &largest), 0);
    fprintf(out, "%d\n", (int)largest);
    assert_int_equal(memmodel_recompute(net, &job, &options, NULL, &recomputation), 0);
    keep(context, out, memmodel_recomputation_to_json(recomputation, NULL, &text), &text);
    keep(context, out, memmodel_recomputation_to_svg(recomputation, NULL, &text), &text);
    memmodel_recomputation_unref(recomputation);
    memmodel_network_unref(net);
}

static void
ask_model(memmodel_context *context, FILE *out)
{
    struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 2, .loss = MEMMODEL_FIT_LOSS_SQUARED};
    struct memmodel_prediction prediction = {.size = sizeof prediction};
    memmodel_samples *samples;
    memmodel_model *model, *again;
    char *text;

    assert_int_equal(memmodel_samples_from_csv(context, "table", table, sizeof table - 1, &samples), 0);
    assert_int_equal(memmodel_samples_save(samples, "test_environment.csv"), 0);
    keep_file(out, "test_environment.csv");
    assert_int_equal(memmodel_fit(samples, &options, NULL, &model), 0);
    assert_int_equal(memmodel_model_to_json(model, NULL, &text), 0);
    assert_int_equal(memmodel_model_from_json(context, "text", text, strlen(text), &again), 0);
    memmodel_free(text);
    keep(context, out, memmodel_model_to_json(again, NULL, &text), &text);
    for (int format = MEMMODEL_LANGUAGE_TEXT; format <= MEMMODEL_LANGUAGE_SQL; format++)
        keep(context, out, memmodel_model_to_code(again, format, context, &text), &text);
    assert_int_equal(memmodel_model_predict(again, (double[]){3, 1.7}, NULL, &prediction), 0);
    keep_bits(out, memmodel_model_evaluate(again, (double[]){3, 1.7}));
    keep_bits(out, prediction.value);
    keep_bits(out, prediction.upper);
    memmodel_model_unref(again);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
ask_plan(memmodel_context *context, FILE *out)
{
    memmodel_plan *plan;
    char *text;

    assert_int_equal(memmodel_plan_from_csv(context, "buffers", buffers, sizeof buffers - 1, &plan), 0);
    assert_int_equal(memmodel_plan_solve(plan, NULL), 0);
    keep(context, out, memmodel_plan_to_svg(plan, NULL, &text), &text);
    assert_int_equal(memmodel_plan_save(plan, "test_environment.csv"), 0);
    keep_file(out, "test_environment.csv");
    memmodel_plan_unref(plan);
}

static void
ask_onnx(memmodel_context *context, FILE *out)
{
    memmodel_network *net;
    char *text;

    assert_int_equal(memmodel_network_load_onnx(context, TEST_DATA "/../fuzz/corpus/onnx/sampling.onnx", NULL, &net),
                     0);
    keep(context, out, memmodel_network_to_json(net, NULL, &text), &text);
    memmodel_network_unref(net);
}

/* All that was written, to be freed. */
static char *
ask_all(void)
{
    memmodel_context *context;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_int_equal(memmodel_context_new(NULL, &context), 0);
    ask_network(context, out);
    ask_model(context, out);
    ask_plan(context, out);
    ask_onnx(context, out);
    memmodel_context_unref(context);
    fclose(out);
    return text;
}

/* ---- surroundings ---- */

static int
ask_as_usual(void **state)
{
    *state = ask_all();
    return 0;
}

static int
forget(void **state)
{
    free(*state);
    return 0;
}

static void
assert_usual_answers(void **state)
{
    char *text = ask_all();
    size_t same = 0;

    while (text[same] && text[same] == ((char *)*state)[same])
        same++;
    if (strcmp(text, *state) != 0)
        fail_msg("from byte %d on: \"%.60s\", not \"%.60s\"", (int)same, text + same, (char *)*state + same);
    free(text);
}

static void
rounding_does_not_change_an_answer(void **state)
{
    static const int modes[] = {
#if defined(FE_UPWARD)
        FE_UPWARD,
#endif
#if defined(FE_DOWNWARD)
        FE_DOWNWARD,
#endif
#if defined(FE_TOWARDZERO)
        FE_TOWARDZERO,
#endif
    };

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(fesetround(modes[i]), 0);
        assert_usual_answers(state);
        assert_int_equal(fegetround(), modes[i]); /* and stays */
    }
    fesetround(FE_TONEAREST);
}

static void
exceptions_that_are_signals_are_never_met(void **state)
{
#if defined(__GLIBC__)
    int all = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT;

    feclearexcept(FE_ALL_EXCEPT); /* what is raised already would be a signal at once */
    if (feenableexcept(all) < 0)
        skip(); /* this processor has none */
    assert_usual_answers(state);
    assert_int_equal(fegetexcept(), all);
    fedisableexcept(all);
#else
    (void)state;
    skip();
#endif
}

/* A locale of any name is set in some C libraries, the one of C in fact. */
static bool
set_german(void)
{
    return setlocale(LC_ALL, "de_DE.UTF-8") && strcmp(localeconv()->decimal_point, ",") == 0;
}

/* One that is installed, or made in `folder` from the sources that are: asked for once it is there, for a failure is remembered. */
static bool
set_a_locale_with_a_comma(const char *folder)
{
    char command[256];

    if (set_german())
        return true;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    if (system(command) != 0)
        return false;
    setenv("LOCPATH", folder, 1);
    return set_german();
}

static void
remove_folder(const char *folder)
{
    char command[256];

    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void
a_decimal_comma_does_not_change_an_answer(void **state)
{
    char folder[] = "/tmp/memmodel-test-XXXXXX";
    bool set;

    assert_non_null(mkdtemp(folder));
    set = set_a_locale_with_a_comma(folder);
    remove_folder(folder); /* what is set is in memory */
    if (!set) {
        print_message("there is no locale de_DE.UTF-8 with a comma, and localedef makes none\n");
        skip();
    }
    assert_usual_answers(state);
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_ALL, "C");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_does_not_change_an_answer),
        cmocka_unit_test(exceptions_that_are_signals_are_never_met),
        cmocka_unit_test(a_decimal_comma_does_not_change_an_answer),
    };

    return cmocka_run_group_tests_name("environment", tests, ask_as_usual, forget);
}
