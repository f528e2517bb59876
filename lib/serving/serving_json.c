/* An answer as JSON: its members are the fields of struct memmodel_serving_result. */
#include "base/file.h"
#include "base/json.h"
#include "memmodel/job.h"
#include "serving/serve.h"

static json_t *
pools_json(const struct answer *answer)
{
    json_t *pools = json_array();

    for (size_t i = 0; i < answer->pool_count; i++) {
        const struct memmodel_serving_pool *pool = &answer->pools[i];

        json_array_append_new(
            pools, json_pack("{ss sI sI sI sI sI}", "kind", pool->kind, "layer_count", (json_int_t)pool->layer_count,
                             "token_count", (json_int_t)pool->token_count, "key_bytes", (json_int_t)pool->key_bytes,
                             "value_bytes", (json_int_t)pool->value_bytes, "block_size", (json_int_t)pool->block_size));
    }
    return pools;
}

static json_t *
notes_json(const struct answer *answer)
{
    json_t *notes = json_array();

    for (size_t i = 0; i < answer->note_count; i++)
        json_array_append_new(notes, json_string(answer->notes[i]));
    return notes;
}

static json_t *
numbers_json(const struct memmodel_serving_result *result)
{
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {
        {"gpu_bytes", result->gpu_bytes},
        {"budget", result->budget},
        {"weight_bytes", result->weight_bytes},
        {"activation_bytes", result->activation_bytes},
        {"context_bytes", result->context_bytes},
        {"cache_bytes", result->cache_bytes},
        {"token_bytes", result->token_bytes},
        {"request_bytes", result->request_bytes},
        {"block_count", result->block_count},
        {"block_size", result->block_size},
        {"group_count", result->group_count},
        {"token_count", result->token_count},
        {"request_count", result->request_count},
        {"max_length", result->max_length},
        {"longest", result->longest},
        {"max_sequences", result->max_sequences},
        {"batched_tokens", result->batched_tokens},
    };
    json_t *numbers = json_object();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        json_object_set_new(numbers, rows[i].name, json_integer((json_int_t)rows[i].value));
    return numbers;
}

static int
json_of_serving(const void *object, memmodel_context *context, char **text)
{
    const memmodel_serving *serving = object;
    const struct answer *answer = &serving->answer;
    json_t *root = json_pack("{ss si ss ss}", "format", "memmodel-serving", "version", 1, "engine", serving->engine,
                             "verdict", memmodel_verdict_name(answer->result.verdict));

    if (!root)
        return json_write(context, NULL, text);
    json_object_update_new(root, numbers_json(&answer->result));
    json_object_set_new(root, "concurrency", json_real(answer->result.concurrency));
    json_object_set_new(root, "pools", pools_json(answer));
    json_object_set_new(root, "unmodelled", notes_json(answer));
    return json_write(context, root, text);
}

int
memmodel_serving_to_json(const memmodel_serving *serving, memmodel_context *context, char **text)
{
    return file_hand_out(serving, context || !serving ? context : serving->context, json_of_serving, text);
}
