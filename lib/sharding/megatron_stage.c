/*
 * Layers of the last stage of a pipeline by Megatron-LM. Megatron-LM: megatron/core/transformer/transformer_block.py,
 * get_num_layers_to_build(); pipeline_parallel_layer_layout.py, parse_str_to_list(); training/arguments.py, moe_freq_type().
 */
#include "sharding/megatron.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTED = 8 };

/* Kinds of layers, one letter each. */
struct pattern {
    const char *name, *letters; /* the argument's, and which may be */
    int64_t length;
    char text[MEGATRON_MAX_PATTERN + 1];
};

/* ---- patterns: (tt|)*6, [0]*3+[1]*12 ---- */

static int
pattern_error(const struct megatron *model, const struct pattern *pattern, const char *at)
{
    return context_error(
        model->context, MEMMODEL_ERROR_INVALID_ARGUMENT, pattern->name,
        "'%.16s' is not understood: write letters of \"%s\", (groups) and *repetitions, of at most %d letters", at,
        pattern->letters, MEGATRON_MAX_PATTERN);
}

/* What began at `first` stands there so many times, as the number at `*at` says. */
static bool
pattern_repeat(struct pattern *pattern, int64_t first, const char **at)
{
    int64_t unit = pattern->length - first, count = 0;

    if (**at < '0' || **at > '9')
        return false;
    for (; **at >= '0' && **at <= '9' && count <= MEGATRON_MAX_PATTERN; (*at)++)
        count = 10 * count + (**at - '0');
    if (count > MEGATRON_MAX_PATTERN || first + multiply_saturating(unit, count) > MEGATRON_MAX_PATTERN)
        return false;
    for (int64_t i = 1; i < count; i++)
        memcpy(pattern->text + first + i * unit, pattern->text + first, (size_t)unit);
    pattern->length = first + unit * count;
    return true;
}

static int
pattern_read(const struct megatron *model, const char *text, struct pattern *pattern)
{
    int64_t open[MAX_NESTED], last = 0;
    int depth = 0;

    for (const char *at = text; *at;) {
        char letter = *at++;
        bool read = true;

        if (letter == '(' || letter == '[') {
            read = depth < MAX_NESTED;
            if (read)
                open[depth++] = pattern->length;
        } else if (letter == ')' || letter == ']') {
            read = depth > 0;
            last = read ? open[--depth] : 0;
        } else if (letter == '*') {
            read = pattern_repeat(pattern, last, &at);
        } else if (strchr(pattern->letters, letter)) {
            read = pattern->length < MEGATRON_MAX_PATTERN;
            last = pattern->length;
            if (read)
                pattern->text[pattern->length++] = letter;
        } else {
            read = strchr(",+ ", letter) != NULL;
        }
        if (!read)
            return pattern_error(model, pattern, at - 1);
    }
    return depth ? pattern_error(model, pattern, text) : 0;
}

/* ---- which layers have experts ---- */

/* Of so many layers from `first` on: all, every so many-th from the first on, or as a pattern says. */
static int64_t
experts_among(const struct megatron *model, const struct pattern *pattern, int64_t every, int64_t first, int64_t count)
{
    int64_t found = 0;

    if (!model->given.num_experts)
        return 0;
    if (pattern->length == 0)
        return ceil_divide(first + count, every) - ceil_divide(first, every);
    for (int64_t i = first; i < first + count && i < pattern->length; i++)
        found += pattern->text[i] == '1';
    return found;
}

static int
read_experts(struct megatron *model, struct pattern *pattern, int64_t *every)
{
    const char *text = model->given.moe_layer_freq ? model->given.moe_layer_freq : "1";
    char *end;
    int status;

    *every = strtoll(text, &end, 10);
    if (end != text && !*end && *every > 0)
        return 0;
    *every = 1;
    status = pattern_read(model, text, pattern);
    if (!status && pattern->length != model->given.num_layers)
        return context_error(model->context, MEMMODEL_ERROR_INVALID_ARGUMENT, pattern->name,
                             "it is of %" PRId64 " layers, where num_layers is %" PRId64, pattern->length,
                             model->given.num_layers);
    return status;
}

/* ---- stages ---- */

/* Layers of all stages but the last; `per` are those of the last with what is accounted for as one. */
static int
split_layers(struct megatron *model, int64_t *all, int64_t *per)
{
    const struct memmodel_megatron_options *given = &model->given;
    int64_t first = given->decoder_first_pipeline_num_layers, last = given->decoder_last_pipeline_num_layers;
    int64_t stages = given->pipeline_model_parallel_size, left = given->num_layers - first - last, middle = 0;
    int64_t others = stages - (first > 0) - (last > 0);
    const char *name = first ? "decoder_first_pipeline_num_layers" : "decoder_last_pipeline_num_layers";
    int status;

    *all =
        given->num_layers + given->account_for_embedding_in_pipeline_split + given->account_for_loss_in_pipeline_split;
    if (first == 0 && last == 0)
        return megatron_divide(model, "num_layers", *all, stages, per);
    if (*all != given->num_layers || left < 0 || others < 0 || (others == 0 && left > 0))
        return context_error(model->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name,
                             "%" PRId64 " layers are not shared out so over %" PRId64
                             " stages, nor together with what is accounted for in the split",
                             given->num_layers, stages);
    status = others ? megatron_divide(model, name, left, others, &middle) : 0;
    *per = last ? last : middle;
    return status;
}

/* How many parts the last stage has, of `per` layers; where none are interleaved, 1. */
static int
count_parts(struct megatron *model, int64_t per, int64_t *count)
{
    const struct memmodel_megatron_options *given = &model->given;
    int64_t rest;

    *count = 1;
    if (given->pipeline_model_parallel_size == 1)
        return 0;
    if (given->num_virtual_stages_per_pipeline_rank) {
        *count = given->num_virtual_stages_per_pipeline_rank;
        return megatron_divide(model, "num_virtual_stages_per_pipeline_rank", per, *count, &rest);
    }
    if (given->num_layers_per_virtual_pipeline_stage == 0)
        return 0;
    return megatron_divide(model, "num_layers_per_virtual_pipeline_stage", per,
                           given->num_layers_per_virtual_pipeline_stage, count);
}

static int
check_part_count(const struct megatron *model)
{
    if (model->part_count <= MEGATRON_MAX_PARTS)
        return 0;
    return context_error(model->context, MEMMODEL_ERROR_INVALID_ARGUMENT, "num_virtual_stages_per_pipeline_rank",
                         "a stage has %" PRId64 " parts, of at most %d", model->part_count, MEGATRON_MAX_PARTS);
}

/* Layers `first` and so on are those of a part; where it has none, only its predictors may be. */
static void
fill_part(struct megatron *model, const struct pattern *experts, int64_t every, int64_t part, int64_t first,
          int64_t count)
{
    int64_t with = experts_among(model, experts, every, first, count);

    model->parts[part].experts = with;
    model->parts[part].dense = count - with;
}

static int
split_evenly(struct megatron *model, const struct pattern *experts, int64_t every)
{
    const struct memmodel_megatron_options *given = &model->given;
    int64_t all, per, part;
    int status = split_layers(model, &all, &per);

    if (!status)
        status = count_parts(model, per, &model->part_count);
    if (!status)
        status = check_part_count(model);
    if (status)
        return status;
    part = per / model->part_count;
    for (int64_t i = 0; i < model->part_count; i++) {
        int64_t end = all / model->part_count * (i + 1) - given->account_for_embedding_in_pipeline_split;
        int64_t first = max_i64(end - part, 0);
        bool last = i + 1 == model->part_count;

        fill_part(model, experts, every, i, first,
                  max_i64(end - first - (last ? given->account_for_loss_in_pipeline_split : 0), 0));
    }
    model->parts[model->part_count - 1].predictors = given->mtp_num_layers;
    return 0;
}

/* Stages as letters say, with | between them: of every so many, the last one is this rank's. */
static int
split_by_layout(struct megatron *model, const struct pattern *experts, int64_t every, struct pattern *layout)
{
    int64_t stages = model->given.pipeline_model_parallel_size, stage = 0, first = 0, layers = 0, predictors = 0;
    int status = pattern_read(model, model->given.pipeline_model_parallel_layout, layout);

    if (status)
        return status;
    layout->text[layout->length++] = '|';
    for (int64_t i = 0; i < layout->length; i++) {
        layers += layout->text[i] == 't';
        predictors += layout->text[i] == 'm';
        if (layout->text[i] != '|')
            continue;
        if (stage % stages == stages - 1) {
            model->part_count = stage / stages + 1;
            status = check_part_count(model);
            if (status)
                return status;
            fill_part(model, experts, every, model->part_count - 1, first, layers - first);
            model->parts[model->part_count - 1].predictors = predictors;
        }
        first = layers;
        predictors = 0;
        stage++;
    }
    if (layers == model->given.num_layers && stage % stages == 0)
        return 0;
    return context_error(model->context, MEMMODEL_ERROR_INVALID_ARGUMENT, layout->name,
                         "it has %" PRId64 " layers in %" PRId64 " parts, where num_layers is %" PRId64
                         " and there are %" PRId64 " stages",
                         layers, stage, model->given.num_layers, stages);
}

int
megatron_find_parts(struct megatron *model)
{
    struct pattern experts = {.name = "moe_layer_freq", .letters = "01"};
    struct pattern layout = {.name = "pipeline_model_parallel_layout", .letters = "EtmL|"};
    const char *text = model->given.pipeline_model_parallel_layout;
    int64_t every, last = model->given.num_layers - 1;
    int status = read_experts(model, &experts, &every);

    if (!status)
        status =
            text && *text ? split_by_layout(model, &experts, every, &layout) : split_evenly(model, &experts, every);
    model->predicts_experts = experts_among(model, &experts, every, last, 1) > 0;
    for (int64_t i = 0; i < model->part_count && !status; i++) {
        model->stage.dense += model->parts[i].dense;
        model->stage.experts += model->parts[i].experts;
        model->stage.predictors += model->parts[i].predictors;
    }
    return status;
}
