/* A table of measurements of a 3D network, the model fitted to it, and other tables and models to work with. */
#ifndef TEST_FITTED_H
#define TEST_FITTED_H

#include "asked.h"
#include "check.h"

/* A 3D network: 900 MB, 1291.125 bytes a voxel and image, and 30,000 bytes a face; times an error in percent. */
static inline double
network_bytes(double dim, double batch)
{
    return 9e8 + 1291.125 * batch * dim * dim * dim + 3e4 * batch * dim * dim;
}

static inline uint64_t
next_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* evenly in [-1, 1) */
static inline double
random_error(uint64_t *seed)
{
    return (double)(int64_t)(next_random(seed) >> 10) * 0x1p-53 - 1;
}

static const double dims[] = {32, 48, 64, 80, 96, 112}, batches[] = {1, 2, 4, 8, 16};

enum { DIMS = sizeof dims / sizeof dims[0], BATCHES = sizeof batches / sizeof batches[0] };

/* columns dim, batch, peak_bytes */
static inline memmodel_samples *
network_samples(memmodel_context *context, double error, uint64_t seed)
{
    static const char *const columns[] = {"dim", "batch", "peak_bytes"};
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_new(context, columns, 3, &samples), 0);
    for (size_t i = 0; i < DIMS; i++)
        for (size_t j = 0; j < BATCHES; j++) {
            double bytes = network_bytes(dims[i], batches[j]) * (1 + error * random_error(&seed));

            assert_int_equal(memmodel_samples_add_row(samples, (double[]){dims[i], batches[j], bytes}), 0);
        }
    return samples;
}

static inline memmodel_model *
fit(const memmodel_samples *samples, const struct memmodel_fit_options *options)
{
    memmodel_model *model;

    int status = memmodel_fit(samples, options, NULL, &model);

    if (status)
        fail_msg("%s", memmodel_status_name(status));
    return model;
}

/* That no formula is found, for that reason. Takes the samples. */
static inline void
refuse_fit(memmodel_samples *samples, struct memmodel_fit_options options, int status, const char *part)
{
    memmodel_model *model = NULL;
    memmodel_context *own;

    options.size = sizeof options;
    assert_int_equal(memmodel_context_new(NULL, &own), 0);
    assert_error(own, memmodel_fit(samples, &options, own, &model), status, part);
    assert_null(model);
    memmodel_samples_unref(samples);
    memmodel_context_unref(own);
}

static inline memmodel_model *
network_model(memmodel_context *context, double error)
{
    memmodel_samples *samples = network_samples(context, error, 1);
    memmodel_model *model = fit(samples, NULL);

    memmodel_samples_unref(samples);
    return model;
}

static inline memmodel_samples *
parse(memmodel_context *context, const char *csv)
{
    memmodel_samples *samples;

    assert_int_equal(memmodel_samples_from_csv(context, "table", csv, strlen(csv), &samples), 0);
    return samples;
}

static inline struct memmodel_prediction
predict(const memmodel_model *model, double dim, double batch, double level)
{
    struct memmodel_prediction prediction = {.size = sizeof prediction};

    assert_int_equal(memmodel_model_predict(model, (double[]){dim, batch}, at_level(level), &prediction), 0);
    return prediction;
}

#endif
