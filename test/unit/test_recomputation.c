/* memmodel_recomputation: its points against estimates of their own, against all sets there are, and against budgets. */
#include "allocations.h"
#include "check.h"
#include "networks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct memmodel_symbol_value tokens[] = {{"batch", 4}, {"length", 64}};
static const struct memmodel_symbol_value voxels[] = {{"batch", 1}, {"dim", 32}};
static const struct memmodel_symbol_value images[] = {{"batch", 32}, {"dim", 64}};

/* ---- networks and jobs ---- */

/* Three blocks, each with attention and a perceptron in scopes of their own. */
static memmodel_network *
small_gpt2(memmodel_context *context)
{
    const struct gpt2 options = {.vocabulary = 100, .positions = 64, .width = 64, .heads = 4, .layers = 3};
    memmodel_network *network;

    assert_int_equal(network_gpt2(context, &options, &network), 0);
    return network;
}

static memmodel_network *
small_unet(memmodel_context *context)
{
    memmodel_network *network;

    assert_int_equal(network_unet3d(context, &(struct unet3d){.filters = 8, .loss = true}, &network), 0);
    return network;
}

static struct memmodel_job
training(const struct memmodel_symbol_value *symbols)
{
    return (struct memmodel_job){
        .size = sizeof(struct memmodel_job), .symbols = symbols, .symbol_count = 2, .metric = MEMMODEL_METRIC_LIVE};
}

static int64_t
peak_of(const memmodel_network *network, const struct memmodel_job *job, const char *checkpoint)
{
    struct memmodel_report_result peak = {.size = sizeof peak};
    struct memmodel_job own = *job;
    memmodel_report *report;

    own.checkpoint = checkpoint;
    assert_int_equal(memmodel_estimate(network, &own, NULL, &report), 0);
    assert_int_equal(memmodel_report_get_result(report, &peak), 0);
    memmodel_report_unref(report);
    return ((const int64_t[]){0, peak.live, peak.reserved, peak.process})[job->metric];
}

/* ---- searches ---- */

static struct memmodel_recompute_options
at_most(int64_t simulations)
{
    return (struct memmodel_recompute_options){.size = sizeof(struct memmodel_recompute_options),
                                               .max_simulations = simulations};
}

static memmodel_recomputation *
search_of(const memmodel_network *network, const struct memmodel_job *job, int64_t budget, int64_t simulations)
{
    struct memmodel_recompute_options options = at_most(simulations);
    struct memmodel_job within = *job;
    memmodel_recomputation *search;

    within.budget = budget;
    assert_int_equal(memmodel_recompute(network, &within, &options, NULL, &search), 0);
    return search;
}

static struct memmodel_recomputation_result
result_of(const memmodel_recomputation *search)
{
    struct memmodel_recomputation_result result = {.size = sizeof result};

    assert_int_equal(memmodel_recomputation_get_result(search, &result), 0);
    return result;
}

/* The result alone. */
static struct memmodel_recomputation_result
solve(const memmodel_network *network, const struct memmodel_job *job, int64_t budget, int64_t simulations)
{
    memmodel_recomputation *search = search_of(network, job, budget, simulations);
    struct memmodel_recomputation_result result = result_of(search);

    memmodel_recomputation_unref(search);
    return result;
}

static struct memmodel_recomputation_point
point_of(const memmodel_recomputation *search, size_t index)
{
    struct memmodel_recomputation_point point = {.size = sizeof point};

    assert_int_equal(memmodel_recomputation_get_point(search, index, &point), 0);
    return point;
}

/* Names of a point's scopes without the one of number `left_out`. */
static void
write_names(const memmodel_recomputation *search, size_t point, size_t left_out, char *names, size_t bytes)
{
    const char *name;
    size_t length = 0;

    names[0] = '\0';
    for (size_t i = 0; (name = memmodel_recomputation_segment(search, point, i)) != NULL; i++)
        if (i != left_out)
            length += (size_t)snprintf(names + length, bytes - length, "%s%s", length ? "," : "", name);
    assert_true(length < bytes);
}

/* ---- points ---- */

static void
assert_points_are_estimates(memmodel_network *network, const struct memmodel_job *job)
{
    memmodel_recomputation *search = search_of(network, job, 0, 400);
    struct memmodel_recomputation_result result = result_of(search);
    size_t count = memmodel_recomputation_point_count(search);

    assert_true(count > 5);
    assert_int_equal(result.peak_baseline, peak_of(network, job, NULL));
    assert_int_equal(result.peak, result.min_peak);
    for (size_t i = 0; i < count; i++) {
        struct memmodel_recomputation_point point = point_of(search, i);
        char names[4096];

        write_names(search, i, SIZE_MAX, names, sizeof names);
        assert_int_equal(point.peak, peak_of(network, job, point.checkpoint));
        assert_int_equal(point.peak, peak_of(network, job, names));
        assert_true(i == 0 ||
                    (point.peak < point_of(search, i - 1).peak && point.overhead > point_of(search, i - 1).overhead));
    }
    memmodel_recomputation_unref(search);
}

static void
each_point_is_what_an_estimate_with_its_checkpoint_says(void **state)
{
    memmodel_network *gpt2 = small_gpt2(*state), *unet = small_unet(*state);
    struct memmodel_job words = training(tokens), image = training(voxels);

    assert_points_are_estimates(gpt2, &words);
    assert_points_are_estimates(unet, &image);
    words.metric = MEMMODEL_METRIC_PROCESS;
    words.optimizer = "sgd";
    assert_points_are_estimates(gpt2, &words);
    memmodel_network_unref(gpt2);
    memmodel_network_unref(unet);
}

static void
the_advice_is_within_its_budget_and_nothing_cheaper_is(void **state)
{
    memmodel_network *network = small_unet(*state);
    const struct memmodel_job job = training(voxels);
    struct memmodel_recomputation_result all = solve(network, &job, 0, 0);

    for (int part = 1; part < 10; part++) {
        int64_t budget = all.min_peak + (all.peak_baseline - all.min_peak) * part / 10;
        memmodel_recomputation *search = search_of(network, &job, budget, 0);
        struct memmodel_recomputation_result result = result_of(search);

        assert_int_equal(result.verdict, MEMMODEL_VERDICT_FITS);
        assert_in_range(result.peak, 1, budget);
        assert_true(point_of(search, (size_t)result.selected_point).overhead == result.overhead);
        assert_true(result.selected_point == 0 || point_of(search, (size_t)result.selected_point - 1).peak > budget);
        memmodel_recomputation_unref(search);
    }
    memmodel_network_unref(network);
}

static void
no_scope_of_the_advice_can_be_left_out(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = training(tokens);
    struct memmodel_recomputation_result all = solve(network, &job, 0, 0);

    for (int part = 0; part < 10; part++) {
        int64_t budget = all.min_peak + (all.peak_baseline - all.min_peak) * part / 10;
        memmodel_recomputation *search = search_of(network, &job, budget, 0);
        struct memmodel_recomputation_result result = result_of(search);
        char names[4096];

        for (size_t i = 0; i < point_of(search, (size_t)result.selected_point).segment_count; i++) {
            write_names(search, (size_t)result.selected_point, i, names, sizeof names);
            assert_true(peak_of(network, &job, names) > budget);
        }
        memmodel_recomputation_unref(search);
    }
    memmodel_network_unref(network);
}

/* ---- groups ---- */

static memmodel_network *
resnet50(memmodel_context *context)
{
    memmodel_network *network;

    assert_int_equal(network_resnet50(context, &network), 0);
    return network;
}

static int
try_checkpoint(const memmodel_network *network, const struct memmodel_job *job, const char *checkpoint)
{
    struct memmodel_job own = *job;
    memmodel_report *report = NULL;
    int status;

    own.checkpoint = checkpoint;
    status = memmodel_estimate(network, &own, NULL, &report);
    memmodel_report_unref(report);
    return status;
}

/* layer1 holds its three blocks and nothing else. */
static void
a_group_of_all_that_a_scope_holds_is_the_scope(void **state)
{
    memmodel_network *network = resnet50(*state);
    const struct memmodel_job job = training(images);

    assert_int_equal(peak_of(network, &job, "layer1.0..2"), peak_of(network, &job, "layer1"));
    assert_int_equal(peak_of(network, &job, "layer?.0..2, layer2.3, layer3.3..5"), peak_of(network, &job, "layer*"));
    assert_true(peak_of(network, &job, "layer1.0..1") != peak_of(network, &job, "layer1.0, layer1.1"));
    memmodel_network_unref(network);
}

static void
groups_that_are_none_are_refused(void **state)
{
    static const char *const none[] = {"layer1.2..0", "layer1.0..7", "layer1.0..", "..2", "layer1.0..layer1.2"};
    memmodel_network *network = resnet50(*state);
    const struct memmodel_job job = training(images);

    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_error(*state, try_checkpoint(network, &job, none[i]), MEMMODEL_ERROR_INVALID_ARGUMENT, "no group");
    assert_error(*state, try_checkpoint(network, &job, "layer1.0..1, layer1.1..2"), MEMMODEL_ERROR_INVALID_ARGUMENT,
                 "overlap");
    memmodel_network_unref(network);
}

static bool
is_the_normalisation(const memmodel_recomputation *search, size_t point, size_t scope)
{
    static const char *const modules[] = {"layer1.0.batch_norm_2", "layer1.0.activation_2", "layer1.0.conv_3"};

    if (strcmp(memmodel_recomputation_segment(search, point, scope), "layer1.0.batch_norm_2..conv_3") != 0)
        return false;
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(memmodel_recomputation_segment_module(search, point, scope, i), modules[i]);
    assert_null(memmodel_recomputation_segment_module(search, point, scope, 3));
    return true;
}

/* A batch norm and a ReLU, whose result the convolution behind them would keep. */
static void
a_normalisation_is_recomputed_without_the_convolution_behind_it(void **state)
{
    memmodel_network *network = resnet50(*state);
    const struct memmodel_job job = training(images);
    memmodel_recomputation *search = search_of(network, &job, 0, 500);
    bool found = false;

    for (size_t i = 0; i < memmodel_recomputation_point_count(search) && !found; i++)
        for (size_t k = 0; k < point_of(search, i).segment_count && !found; k++)
            found = is_the_normalisation(search, i, k);
    assert_null(memmodel_recomputation_segment_module(search, 0, 0, 0));
    assert_true(found);
    memmodel_recomputation_unref(search);
    memmodel_network_unref(network);
}

/* ---- all sets ---- */

enum { BLOCKS = 3, WAYS = 5, SETS = WAYS * WAYS * WAYS };

/* A block as it is, or wrapped; its attention, its perceptron, or both. */
static const char *const ways[WAYS][2] = {{NULL}, {""}, {".attn"}, {".mlp"}, {".attn", ".mlp"}};

/* Multiply-adds and elements made in the scopes whose names begin so. */
static double
operations_in(const memmodel_report *report, const char *scope)
{
    double sum = 0;

    for (size_t i = 0; i < memmodel_report_layer_count(report); i++) {
        struct memmodel_report_layer layer = {.size = sizeof layer};

        assert_int_equal(memmodel_report_get_layer(report, i, &layer), 0);
        if (strncmp(layer.name, scope, strlen(scope)) == 0)
            sum += (double)layer.multiply_adds + (double)layer.activation_count;
    }
    return sum;
}

static double
extra_of_way(const memmodel_report *report, int block, int way)
{
    double sum = 0;

    for (int part = 0; part < 2 && ways[way][part]; part++) {
        char scope[64];

        snprintf(scope, sizeof scope, "h.%d%s.", block, ways[way][part]);
        sum += operations_in(report, scope);
    }
    return sum / (3 * operations_in(report, ""));
}

static void
write_set(int set, char *names, size_t bytes)
{
    size_t length = 0;

    names[0] = '\0';
    for (int block = 0; block < BLOCKS; block++, set /= WAYS)
        for (int part = 0; part < 2 && ways[set % WAYS][part]; part++)
            length += (size_t)snprintf(names + length, bytes - length, "%sh.%d%s", length ? "," : "", block,
                                       ways[set % WAYS][part]);
}

static double
extra_of_set(const memmodel_report *report, int set)
{
    double extra = 0;

    for (int block = 0; block < BLOCKS; block++, set /= WAYS)
        extra += extra_of_way(report, block, set % WAYS);
    return extra;
}

/* Every set of scopes of three blocks: for each peak among them nothing costs less than the advice. */
static void
small_networks_are_advised_as_well_as_any_set_does(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = training(tokens);
    memmodel_recomputation *search = search_of(network, &job, 0, 0);
    static int64_t peaks[SETS];
    static double extras[SETS];
    memmodel_report *report;

    assert_int_equal(memmodel_estimate(network, &job, NULL, &report), 0);
    for (int set = 0; set < SETS; set++) {
        char names[256];

        write_set(set, names, sizeof names);
        peaks[set] = peak_of(network, &job, names);
        extras[set] = extra_of_set(report, set);
    }
    for (int set = 0; set < SETS; set++) {
        double best = INFINITY;

        for (size_t i = 0; i < memmodel_recomputation_point_count(search); i++)
            if (point_of(search, i).peak <= peaks[set])
                best = fmin(best, point_of(search, i).overhead);
        if (best > extras[set] + 1e-9)
            fail_msg("set %d: %lld bytes for %g, advised %g", set, (long long)peaks[set], extras[set], best);
    }
    memmodel_report_unref(report);
    memmodel_recomputation_unref(search);
    memmodel_network_unref(network);
}

/* ---- budgets, costs, simulations ---- */

static void
a_budget_below_the_least_gets_the_least_and_is_reported(void **state)
{
    memmodel_network *network = small_unet(*state);
    const struct memmodel_job job = training(voxels);
    struct memmodel_recomputation_result all = solve(network, &job, 0, 0), below;
    memmodel_recomputation *search = search_of(network, &job, all.min_peak / 2, 0);

    assert_int_equal(all.verdict, MEMMODEL_VERDICT_NONE);
    below = result_of(search);
    assert_int_equal(below.verdict, MEMMODEL_VERDICT_EXCEEDS);
    assert_int_equal(below.peak, below.min_peak);
    assert_int_equal(below.selected_point, memmodel_recomputation_point_count(search) - 1);
    memmodel_recomputation_unref(search);
    memmodel_network_unref(network);
}

static void
a_budget_that_is_met_already_wraps_nothing(void **state)
{
    memmodel_network *network = small_unet(*state);
    const struct memmodel_job job = training(voxels);
    memmodel_recomputation *search = search_of(network, &job, peak_of(network, &job, NULL), 0);
    struct memmodel_recomputation_result result = result_of(search);

    assert_int_equal(result.selected_point, 0);
    assert_int_equal(result.verdict, MEMMODEL_VERDICT_FITS);
    assert_true(result.overhead == 0);
    assert_string_equal(point_of(search, 0).checkpoint, "");
    assert_int_equal(point_of(search, 0).segment_count, 0);
    memmodel_recomputation_unref(search);
    memmodel_network_unref(network);
}

/* What the job names already is what is sought for. */
static void
checkpoints_of_the_job_are_left_out(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    struct memmodel_job job = training(tokens);

    job.checkpoint = "h.*";
    assert_int_equal(solve(network, &job, 0, 50).peak_baseline, peak_of(network, &job, NULL));
    memmodel_network_unref(network);
}

/* The first point of the curve that takes any time; what has no cost comes before. */
static size_t
first_with_a_cost(const memmodel_recomputation *search)
{
    size_t point = 0;

    while (!(point_of(search, point).overhead > 0))
        point++;
    return point;
}

/* Attention for nothing, then perceptrons for nothing. */
static void
given_costs_decide_what_is_wrapped(void **state)
{
    static const char *const parts[] = {"attn", "mlp"};
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = training(tokens);

    for (int cheap = 0; cheap < 2; cheap++) {
        struct memmodel_layer_cost costs[2 * BLOCKS];
        struct memmodel_recompute_options options = at_most(0);
        char names[2 * BLOCKS][16], all[4096];
        memmodel_recomputation *search;
        size_t point;

        for (int i = 0; i < 2 * BLOCKS; i++) {
            snprintf(names[i], sizeof names[i], "h.%d.%s", i / 2, parts[i % 2]);
            costs[i] = (struct memmodel_layer_cost){names[i], i % 2 == cheap ? 1 : 1000};
        }
        options.costs = costs;
        options.cost_count = 2 * BLOCKS;
        assert_int_equal(memmodel_recompute(network, &job, &options, NULL, &search), 0);
        point = first_with_a_cost(search);
        write_names(search, point, SIZE_MAX, all, sizeof all);
        assert_non_null(strstr(all, parts[cheap]));
        assert_true(point_of(search, point).overhead <= 1 / (3 * 3003.0) + 1e-9);
        memmodel_recomputation_unref(search);
    }
    memmodel_network_unref(network);
}

static void
the_same_search_gives_the_same_answer_within_its_simulations(void **state)
{
    memmodel_network *network = small_unet(*state);
    const struct memmodel_job job = training(voxels);

    for (int64_t simulations = 2; simulations < 300; simulations *= 3) {
        memmodel_recomputation *one = search_of(network, &job, 0, simulations);
        memmodel_recomputation *other = search_of(network, &job, 0, simulations);
        char *text, *again;

        assert_in_range(result_of(one).simulation_count, 1, simulations);
        assert_int_equal(memmodel_recomputation_to_json(one, NULL, &text), 0);
        assert_int_equal(memmodel_recomputation_to_json(other, NULL, &again), 0);
        assert_string_equal(text, again);
        memmodel_free(text);
        memmodel_free(again);
        memmodel_recomputation_unref(one);
        memmodel_recomputation_unref(other);
    }
    memmodel_network_unref(network);
}

/* All blocks, as people wrap them, is one of the first sets that are tried; a search step by step would not get there. */
static void
a_few_simulations_are_enough_to_recompute_every_block(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = training(tokens);

    assert_true(solve(network, &job, 0, 6).min_peak <= peak_of(network, &job, "h.0,h.1,h.2"));
    memmodel_network_unref(network);
}

struct seen {
    int64_t calls, until;
    double best;
};

static int
stop_after(void *user, const struct memmodel_progress *progress)
{
    struct seen *seen = user;

    assert_true(progress->done > 0 && (seen->calls == 0 || progress->best <= seen->best));
    assert_string_equal(progress->stage, "simulations");
    seen->best = progress->best;
    return ++seen->calls >= seen->until;
}

static void
a_watcher_sees_the_peak_fall_and_can_stop_the_search(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = training(tokens);
    struct seen seen = {.until = 3};
    struct memmodel_recomputation_result result;

    memmodel_context_set_progress(*state, stop_after, &seen);
    result = solve(network, &job, 0, 0);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(result.status, MEMMODEL_SEARCH_STATUS_CANCELLED);
    assert_true(result.min_peak <= (int64_t)seen.best);
    memmodel_context_set_progress(*state, NULL, NULL);
    assert_int_equal(solve(network, &job, 0, 10000).status, MEMMODEL_SEARCH_STATUS_CONVERGED);
    assert_int_equal(seen.calls, 3);
    memmodel_network_unref(network);
}

/* ---- files ---- */

static size_t
count_in(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

static void
files_have_all_points(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = training(tokens);
    memmodel_recomputation *search = search_of(network, &job, 0, 0);
    size_t count;
    char *text;

    count = memmodel_recomputation_point_count(search);
    assert_int_equal(memmodel_recomputation_to_svg(search, NULL, &text), 0);
    assert_int_equal(count_in(text, "<circle"), count);
    memmodel_free(text);
    assert_int_equal(memmodel_recomputation_to_json(search, NULL, &text), 0);
    assert_int_equal(count_in(text, "\"segments\""), count);
    memmodel_free(text);
    memmodel_recomputation_unref(search);
    memmodel_network_unref(network);
}

/* x [6, 4] of float32 -> what has no rule: 6 * 4 * 4 bytes, once whatever is recomputed. */
static void
files_name_what_is_not_modelled(void **state)
{
    const struct memmodel_job job = {.size = sizeof job, .metric = MEMMODEL_METRIC_LIVE, .gradient_accumulation = 1};
    const struct memmodel_shape shape = {.dims = {6, 4}, .rank = 2};
    memmodel_recomputation *search;
    memmodel_network *network;
    memmodel_tensor x, classes;
    char *text;

    assert_int_equal(memmodel_network_new(*state, &network), 0);
    x = memmodel_network_input(network, "x", MEMMODEL_DTYPE_FLOAT32, 2, (int64_t[]){6, 4});
    classes = memmodel_network_input(network, "classes", MEMMODEL_DTYPE_INT64, 1, (int64_t[]){6});
    memmodel_network_push_scope(network, "block");
    x = memmodel_network_linear(network, x, MEMMODEL_LINEAR(.units = 4));
    x = memmodel_network_custom(
        network, &x, 1, MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .operation = "aten.none_such.default"));
    memmodel_network_pop_scope(network);
    memmodel_network_loss(network, x, classes, NULL);
    search = search_of(network, &job, 0, 0);
    memmodel_network_unref(network);
    assert_int_equal(memmodel_recomputation_to_json(search, *state, &text), 0);
    assert_int_equal(count_in(text, "none_such"), 1);
    assert_non_null(strstr(text, "\"op\": \"aten.none_such.default\",\n      \"bytes\": 96\n"));
    memmodel_free(text);
    memmodel_recomputation_unref(search);
}

static size_t
count_patterns(const struct memmodel_recomputation_point *point)
{
    return point->segment_count ? count_in(point->checkpoint, ",") + 1 : 0;
}

/* All blocks of a kind are one pattern, and so are groups of them. */
static void
alike_scopes_are_one_pattern(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = training(tokens);
    memmodel_recomputation *search = search_of(network, &job, 0, 0);
    bool found = false;

    for (size_t i = 0; i < memmodel_recomputation_point_count(search); i++) {
        struct memmodel_recomputation_point point = point_of(search, i);

        assert_true(count_patterns(&point) <= point.segment_count);
        found |= point.segment_count >= count_patterns(&point) + BLOCKS - 1 && strstr(point.checkpoint, "..");
    }
    assert_true(found);
    memmodel_recomputation_unref(search);
    memmodel_network_unref(network);
}

/* ---- bad input ---- */

static int
try_within(const memmodel_network *network, struct memmodel_job job, int64_t budget, int64_t simulations)
{
    struct memmodel_recompute_options options = at_most(simulations);
    memmodel_recomputation *search = NULL;
    int status;

    job.budget = budget;
    status = memmodel_recompute(network, &job, &options, NULL, &search);
    assert_null(search);
    return status;
}

static void
what_cannot_be_recomputed_says_why(void **state)
{
    memmodel_network *network = small_unet(*state);
    struct memmodel_job job = training(voxels);
    memmodel_recomputation *search = NULL;

    assert_error(*state, try_within(network, job, -1, 0), MEMMODEL_ERROR_INVALID_ARGUMENT, "budget");
    assert_error(*state, try_within(network, job, 0, 1), MEMMODEL_ERROR_INVALID_ARGUMENT, "2 to");
    assert_error(*state, try_within(network, job, 0, 1000001), MEMMODEL_ERROR_INVALID_ARGUMENT, "1000000");
    assert_error(*state, memmodel_recompute(network, NULL, NULL, NULL, &search), MEMMODEL_ERROR_UNBOUND, "value");
    assert_int_equal(memmodel_recompute(NULL, &job, NULL, NULL, &search), MEMMODEL_ERROR_INVALID_ARGUMENT);
    job.mode = MEMMODEL_MODE_INFERENCE;
    assert_error(*state, try_within(network, job, 0, 0), MEMMODEL_ERROR_UNSUPPORTED, "mode");
    job.mode = MEMMODEL_MODE_TRAINING;
    job.framework = "tensorflow";
    assert_error(*state, try_within(network, job, 0, 0), MEMMODEL_ERROR_UNSUPPORTED, "pytorch");
    assert_null(search);
    assert_int_equal(memmodel_recomputation_point_count(NULL), 0);
    assert_null(memmodel_recomputation_segment(NULL, 0, 0));
    memmodel_network_unref(network);
}

static void
an_answer_outlives_the_context_of_its_call(void **state)
{
    memmodel_network *network = small_gpt2(*state);
    const struct memmodel_job job = training(tokens);
    const struct memmodel_recompute_options options = at_most(10);
    memmodel_recomputation *search;
    memmodel_context *own;

    assert_int_equal(memmodel_context_new(NULL, &own), 0);
    assert_int_equal(memmodel_recompute(network, &job, &options, own, &search), 0);
    memmodel_context_unref(own);
    assert_string_equal(point_of(search, 0).checkpoint, "");
    memmodel_recomputation_unref(search);
    memmodel_network_unref(network);
}

static int
try_cost(const memmodel_network *network, const char *name, double cost)
{
    const struct memmodel_layer_cost costs[] = {{name, cost}};
    struct memmodel_recompute_options options = at_most(0);
    struct memmodel_job job = training(voxels);
    memmodel_recomputation *search = NULL;
    int status;

    options.costs = costs;
    options.cost_count = 1;
    status = memmodel_recompute(network, &job, &options, NULL, &search);
    memmodel_recomputation_unref(search);
    return status;
}

static void
bad_costs_are_refused(void **state)
{
    memmodel_network *network = small_unet(*state);

    assert_error(*state, try_cost(network, "encoder.0", -1), MEMMODEL_ERROR_INVALID_ARGUMENT, "encoder.0");
    assert_error(*state, try_cost(network, "encoder.0", NAN), MEMMODEL_ERROR_INVALID_ARGUMENT, "finite");
    assert_error(*state, try_cost(network, "encoder.77", 1), MEMMODEL_ERROR_INVALID_ARGUMENT, "encoder.77");
    assert_int_equal(try_cost(network, NULL, 1), MEMMODEL_ERROR_INVALID_ARGUMENT);
    memmodel_network_unref(network);
}

static int
search_a_small_network(memmodel_context *context)
{
    static const struct memmodel_symbol_value one[] = {{"batch", 2}, {"dim", 16}};
    static const struct memmodel_layer_cost cost = {"encoder.0", 1};
    const struct memmodel_recompute_options options = {
        .size = sizeof options, .costs = &cost, .cost_count = 1, .max_simulations = 8};
    struct memmodel_job job = training(one);
    memmodel_recomputation *search = NULL;
    memmodel_network *network;
    int status = network_unet3d(context, &(struct unet3d){.filters = 1, .depth = 1, .loss = true}, &network);
    char *text;

    if (status)
        return status;
    job.steps = 1;
    status = memmodel_recompute(network, &job, &options, NULL, &search);
    if (!status)
        status = memmodel_recomputation_to_svg(search, NULL, &text);
    if (!status)
        memmodel_free(text);
    memmodel_recomputation_unref(search);
    memmodel_network_unref(network);
    return status;
}

static void
a_failing_allocation_anywhere_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    assert_survives_failing_allocations(search_a_small_network);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_WITH_CONTEXT(each_point_is_what_an_estimate_with_its_checkpoint_says),
        LONG_WITH_CONTEXT(the_advice_is_within_its_budget_and_nothing_cheaper_is),
        LONG_WITH_CONTEXT(no_scope_of_the_advice_can_be_left_out),
        LONG_WITH_CONTEXT(small_networks_are_advised_as_well_as_any_set_does),
        LONG_WITH_CONTEXT(a_budget_below_the_least_gets_the_least_and_is_reported),
        LONG_WITH_CONTEXT(a_budget_that_is_met_already_wraps_nothing),
        WITH_CONTEXT(checkpoints_of_the_job_are_left_out),
        LONG_WITH_CONTEXT(given_costs_decide_what_is_wrapped),
        WITH_CONTEXT(the_same_search_gives_the_same_answer_within_its_simulations),
        WITH_CONTEXT(a_few_simulations_are_enough_to_recompute_every_block),
        LONG_WITH_CONTEXT(a_watcher_sees_the_peak_fall_and_can_stop_the_search),
        WITH_CONTEXT(a_group_of_all_that_a_scope_holds_is_the_scope),
        WITH_CONTEXT(groups_that_are_none_are_refused),
        LONG_WITH_CONTEXT(a_normalisation_is_recomputed_without_the_convolution_behind_it),
        LONG_WITH_CONTEXT(files_have_all_points),
        WITH_CONTEXT(files_name_what_is_not_modelled),
        LONG_WITH_CONTEXT(alike_scopes_are_one_pattern),
        WITH_CONTEXT(what_cannot_be_recomputed_says_why),
        WITH_CONTEXT(an_answer_outlives_the_context_of_its_call),
        WITH_CONTEXT(bad_costs_are_refused),
        WITH_CONTEXT(a_failing_allocation_anywhere_is_reported_and_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
