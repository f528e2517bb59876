/* What a fitted formula costs: to fit, to read, to evaluate one point or many, to bound and to solve. JSON lines. */
#include "memmodel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FITS = 20, READS = 200, CALLS = 1000000, POINTS = 1024, BOUNDS = 20000, SOLUTIONS = 500 };

static double
seconds(void)
{
    struct timespec now;

    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void
print(const char *name, double start, double calls)
{
    printf("{\"benchmark\": \"%s\", \"nanoseconds\": %.1f}\n", name, (seconds() - start) / calls * 1e9);
}

/* 36 points of a 3D U-Net's peak with an error of up to 1 %. */
static memmodel_samples *
make_samples(memmodel_context *context)
{
    static const char *const columns[] = {"dim", "batch", "peak_bytes"};
    memmodel_samples *samples;

    if (memmodel_samples_new(context, columns, 3, &samples))
        abort();
    for (int i = 0; i < 36; i++) {
        double dim = 32 + 16 * (i % 6), batch = 1 << i / 6;
        double bytes = 9e8 + 1291.125 * batch * dim * dim * dim + 3e4 * dim * dim;

        if (memmodel_samples_add(samples, (double[]){dim, batch, bytes * (1 + 0.001 * (i * 7 % 19 - 9))}))
            abort();
    }
    return samples;
}

static void
time_fit(const memmodel_samples *samples)
{
    double start = seconds();

    for (int i = 0; i < FITS; i++) {
        memmodel_model *model;

        if (memmodel_fit(samples, NULL, &model))
            abort();
        memmodel_model_unref(model);
    }
    print("fit", start, FITS);
}

static void
time_read(memmodel_context *context, const memmodel_model *model)
{
    double start = seconds();
    char *text;

    if (memmodel_model_to_json(model, &text))
        abort();
    for (int i = 0; i < READS; i++) {
        memmodel_model *read;

        if (memmodel_model_from_json(context, "model", text, strlen(text), &read))
            abort();
        memmodel_model_unref(read);
    }
    print("from_json", start, READS);
    memmodel_free(context, text);
}

static void
time_evaluate(const memmodel_model *model)
{
    double start = seconds(), sum = 0;

    for (int i = 0; i < CALLS; i++)
        sum += memmodel_model_evaluate(model, (double[]){32 + i % 100, 1 + i % 64});
    print("evaluate", start, sum > 0 ? CALLS : 1);
}

/* Not in a library that was built without libffi. */
static void
time_function(memmodel_context *context, memmodel_model *model)
{
    memmodel_formula_function formula;
    memmodel_function *function;
    double start, sum = 0;

    if (memmodel_function_new(context, model, 0, &function))
        return;
    formula = memmodel_function_pointer(function);
    start = seconds();
    for (int i = 0; i < CALLS; i++)
        sum += formula((double[]){32 + i % 100, 1 + i % 64});
    print("evaluate by a function pointer", start, sum > 0 ? CALLS : 1);
    memmodel_function_unref(function);
}

static void
time_evaluate_many(const memmodel_model *model)
{
    static double dim[POINTS], batch[POINTS], results[POINTS];
    double start;

    for (int i = 0; i < POINTS; i++) {
        dim[i] = 32 + i % 100;
        batch[i] = 1 + i % 64;
    }
    start = seconds();
    for (int i = 0; i < CALLS / POINTS; i++)
        memmodel_model_evaluate_many(model, (const double *const[]){dim, batch}, POINTS, results);
    print("evaluate_many, a point", start, CALLS / POINTS * POINTS);
}

static void
time_bounds(const memmodel_model *model)
{
    double start = seconds();
    int64_t largest;

    for (int i = 0; i < BOUNDS; i++) {
        struct memmodel_prediction prediction = {.size = sizeof prediction};

        if (memmodel_model_predict(model, (double[]){32 + i % 100, 8}, 0.95, &prediction))
            abort();
    }
    print("predict", start, BOUNDS);
    start = seconds();
    for (int i = 0; i < SOLUTIONS; i++)
        if (memmodel_model_solve(model, (double[]){32 + i % 100, 0}, "batch", 0.95, 16e9, &largest))
            abort();
    print("solve", start, SOLUTIONS);
}

int
main(void)
{
    memmodel_context *context;
    memmodel_samples *samples;
    memmodel_model *model;

    if (memmodel_context_new(NULL, &context))
        abort();
    samples = make_samples(context);
    if (memmodel_fit(samples, NULL, &model))
        abort();
    time_fit(samples);
    time_read(context, model);
    time_evaluate(model);
    time_function(context, model);
    time_evaluate_many(model);
    time_bounds(model);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
    memmodel_context_unref(context);
    return 0;
}
