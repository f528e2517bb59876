/* What a fitted formula costs: to fit, to read, to evaluate one point or many, to bound and to solve. JSON lines. */
#include "memmodel.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FITS = 20, READS = 200, CALLS = 1000000, POINTS = 1024, BOUNDS = 20000, SOLUTIONS = 500, MOST_INPUTS = 8 };

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

        if (memmodel_samples_add_row(samples, (double[]){dim, batch, bytes * (1 + 0.001 * (i * 7 % 19 - 9))}))
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

        if (memmodel_fit(samples, NULL, NULL, &model))
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

    if (memmodel_model_to_json(model, NULL, &text))
        abort();
    for (int i = 0; i < READS; i++) {
        memmodel_model *read;

        if (memmodel_model_from_json(context, "model", text, strlen(text), &read))
            abort();
        memmodel_model_unref(read);
    }
    print("from_json", start, READS);
    memmodel_free(text);
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
        memmodel_model_evaluate_many(model, (const double *const[]){dim, batch}, 1, POINTS, results);
    print("evaluate_many, a point", start, CALLS / POINTS * POINTS);
}

static void
time_bounds(const memmodel_model *model)
{
    double start = seconds();
    int64_t largest;

    for (int i = 0; i < BOUNDS; i++) {
        struct memmodel_prediction prediction = {.size = sizeof prediction};

        if (memmodel_model_predict(model, (double[]){32 + i % 100, 8}, NULL, &prediction))
            abort();
    }
    print("predict", start, BOUNDS);
    start = seconds();
    for (int i = 0; i < SOLUTIONS; i++)
        if (memmodel_model_predict_max(model, (double[]){32 + i % 100, 0}, "batch", NULL, 16e9, NULL, &largest))
            abort();
    print("solve", start, SOLUTIONS);
}

/* ---- fits of tables of three sizes, beside what the machine multiplies in that time ---- */

/* Of a number that is kept in the nearest cache, with another one added. */
static double
milliseconds_of_a_multiplication(void)
{
    static double a[POINTS], b[POINTS];
    double start = milliseconds();

    for (int i = 0; i < POINTS; i++) {
        a[i] = i;
        b[i] = 1.0 / (i + 1);
    }
    for (int call = 0; call < CALLS / 10; call++) {
        double sums[4] = {0};

        for (int i = 0; i < POINTS; i += 4)
            for (int lane = 0; lane < 4; lane++)
                sums[lane] += a[i + lane] * b[i + lane];
        a[call % POINTS] = (sums[0] + sums[1] + sums[2] + sums[3]) / POINTS; /* else the calls would be one */
    }
    return (milliseconds() - start) / (a[0] >= 0 ? (double)(CALLS / 10) * POINTS : 1);
}

/* In [0, 1): the digits behind the point of multiples of the golden ratio. */
static double
spread(int number)
{
    double multiple = number * 0.6180339887498949;

    return multiple - (int)multiple;
}

/* 100 + 3 x y + 5 z of inputs between 1 and 55, more of them small, with an error of up to 5 %. */
static memmodel_samples *
make_table(memmodel_context *context, int rows, int inputs)
{
    static const char *const columns[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    memmodel_samples *samples;

    if (memmodel_samples_new(context, columns, (size_t)inputs + 1, &samples))
        abort();
    for (int i = 0; i < rows; i++) {
        double row[MOST_INPUTS + 1];

        for (int k = 0; k < inputs; k++) {
            double share = spread((i + 1) * (k * 37 + 1));

            row[k] = 1 + 54 * share * share * share;
        }
        row[inputs] = (100 + 3 * row[0] * row[1] + 5 * row[inputs - 1]) * (0.95 + 0.1 * spread((i + 1) * 701));
        if (memmodel_samples_add_row(samples, row))
            abort();
    }
    return samples;
}

static void
time_table(memmodel_context *context, int rows, int inputs)
{
    memmodel_samples *samples = make_table(context, rows, inputs);
    double multiplication = milliseconds_of_a_multiplication(), start = milliseconds(), taken;
    memmodel_model *model;

    if (memmodel_fit(samples, NULL, NULL, &model))
        abort();
    taken = milliseconds() - start;
    printf("{\"benchmark\": \"fit of %d rows of %d inputs\", \"milliseconds\": %.0f, \"multiplications\": %.3g}\n",
           rows, inputs, taken, taken / multiplication);
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
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
    if (memmodel_fit(samples, NULL, NULL, &model))
        abort();
    time_fit(samples);
    time_table(context, 42, 2);
    time_table(context, 42, 4);
    time_table(context, 500, 8);
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
