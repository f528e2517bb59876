/*
 * A program that uses libmemmodel 0.1: it describes a network, asks for its memory and for what fits, fits a formula and
 * predicts, and is told what is wrong. It says "works" and ends with 0 if all is as its comments work out. C11 and C++17.
 */
#include <memmodel.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void
expect(int condition, const char *what)
{
    if (!condition) {
        printf("not so: %s\n", what);
        failures++;
    }
}

/* 3 rows of 10 numbers, made 4 each by a fully connected layer. */
static memmodel_network *
two_layer_network(memmodel_context *context)
{
    memmodel_network *network = NULL;
    struct memmodel_linear linear;
    memmodel_dim dims[2];
    memmodel_tensor x;

    expect(memmodel_network_new(context, &network) == 0, "a network is made");
    dims[0] = memmodel_network_symbol(network, "batch");
    dims[1] = 10;
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, dims);
    memset(&linear, 0, sizeof linear);
    linear.size = sizeof linear;
    linear.units = 4;
    x = memmodel_network_linear(network, x, &linear);
    expect(memmodel_network_mark_output(network, x) == 0, "a layer is an output");
    return network;
}

/* Forward by the textbook, in bytes: (10 4 + 4) 4 of parameters, and for each row 10 4 of input and 4 4 of output. */
static void
check_estimate(memmodel_network *network)
{
    struct memmodel_symbol_value batch = {"batch", 3};
    memmodel_report *report = NULL;
    struct memmodel_report_result peak;
    struct memmodel_job job;
    int64_t largest = 0;

    memset(&job, 0, sizeof job);
    job.size = sizeof job;
    job.framework = "textbook";
    job.textbook_rule = "forward";
    job.symbols = &batch;
    job.symbol_count = 1;
    expect(memmodel_estimate(network, &job, NULL, &report) == 0, "an estimate is made");
    memset(&peak, 0, sizeof peak);
    peak.size = sizeof peak;
    expect(memmodel_report_get_result(report, &peak) == 0, "a report has a peak");
    expect(peak.live == 176 + 3 * (40 + 16), "three rows take 344 bytes");
    job.budget = 176 + 100 * 56 + 55;
    expect(memmodel_estimate_max(network, &job, "batch", NULL, &largest) == 0, "a batch is found");
    expect(largest == 100, "100 rows fit, and 101 do not");
    memmodel_report_unref(report);
}

/* 1000 bytes, and 200 for each of the batch. */
static void
check_fit(memmodel_context *context)
{
    const char *const columns[] = {"batch", "bytes"};
    struct memmodel_prediction prediction;
    memmodel_samples *samples = NULL;
    memmodel_model *model = NULL;
    double row[2], five = 5;

    expect(memmodel_samples_new(context, columns, 2, &samples) == 0, "a table is made");
    for (int i = 1; i <= 12; i++) {
        row[0] = i;
        row[1] = 1000 + 200 * i;
        expect(memmodel_samples_add_row(samples, row) == 0, "a row is added");
    }
    expect(memmodel_fit(samples, NULL, NULL, &model) == 0, "a formula is fitted");
    memset(&prediction, 0, sizeof prediction);
    prediction.size = sizeof prediction;
    expect(memmodel_model_predict(model, &five, NULL, &prediction) == 0, "the formula predicts");
    expect(fabs(prediction.value - 2000) < 0.01 && prediction.upper >= prediction.value,
           "a batch of 5 takes 2000 bytes");
    memmodel_model_unref(model);
    memmodel_samples_unref(samples);
}

static void
check_error(memmodel_context *context, memmodel_network *network)
{
    const struct memmodel_error *error = memmodel_context_error(context);
    memmodel_report *report = NULL;

    expect(memmodel_estimate(network, NULL, NULL, &report) == MEMMODEL_ERROR_UNBOUND && !report, "batch is not bound");
    expect(error->status == MEMMODEL_ERROR_UNBOUND && strcmp(error->object, "batch") == 0, "the error says so");
    expect(strcmp(memmodel_status_name(error->status), "MEMMODEL_ERROR_UNBOUND") == 0, "the error has a name");
}

int
main(void)
{
    memmodel_context *context = NULL;
    memmodel_network *network;

    if (memmodel_context_new(NULL, &context))
        return 1;
    network = two_layer_network(context);
    check_estimate(network);
    check_fit(context);
    check_error(context, network);
    memmodel_network_unref(network);
    memmodel_context_unref(context);
    puts(failures ? "fails" : "works");
    return failures != 0;
}
