/* What the same formula of 15 nodes costs in C, to which `./run bench bindings` compares every binding: one point, and a
 * million. The best of some rounds, as JSON lines.
 *
 * usage: bench_bindings MODEL */
#include "memmodel.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 60, CALLS = 5000, POINTS = 1000000 };

static double dim[POINTS], batch[POINTS], results[POINTS];

static double
nanoseconds(void)
{
    struct timespec now;

    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double
one_point(const memmodel_model *model)
{
    double start = nanoseconds(), sum = 0;

    for (int i = 0; i < CALLS; i++)
        sum += memmodel_model_evaluate(model, (double[]){32 + i % 100, 1 + i % 64});
    return sum > 0 ? (nanoseconds() - start) / CALLS : -1;
}

static double
with_its_bound(const memmodel_model *model)
{
    struct memmodel_prediction prediction = {.size = sizeof prediction};
    double start = nanoseconds();

    for (int i = 0; i < CALLS; i++)
        if (memmodel_model_predict(model, (double[]){32 + i % 80, 4}, NULL, &prediction))
            abort();
    return (nanoseconds() - start) / CALLS;
}

static double
a_million_points(const memmodel_model *model)
{
    double start = nanoseconds();

    memmodel_model_evaluate_many(model, (const double *const[]){dim, batch}, 1, POINTS, results);
    return (nanoseconds() - start) / POINTS;
}

static void
measure(const char *what, double (*run)(const memmodel_model *), const memmodel_model *model)
{
    double best = run(model);

    for (int i = 1; i < ROUNDS; i++) {
        double round = run(model);

        best = round < best ? round : best;
    }
    printf("{\"benchmark\": \"%s\", \"binding\": \"C\", \"nanoseconds\": %.1f}\n", what, best);
}

int
main(int count, char **arguments)
{
    memmodel_context *context;
    memmodel_model *model;

    if (count != 2 || memmodel_context_new(NULL, &context) || memmodel_model_load(context, arguments[1], &model))
        return EXIT_FAILURE;
    for (int i = 0; i < POINTS; i++) {
        dim[i] = 32 + i % 100;
        batch[i] = 1 + i % 64;
    }
    measure("one point", one_point, model);
    measure("one point with its bound", with_its_bound, model);
    measure("a million points, each", a_million_points, model);
    memmodel_model_unref(model);
    memmodel_context_unref(context);
    return 0;
}
