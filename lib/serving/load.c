/* memmodel_llm: a model from its config.json. */
#include "serving/llm.h"

#include "base/checked.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "serving/config.h"
#include "serving/weights.h"

#include <string.h>

/* ---- life ---- */

static memmodel_llm *
llm_new(memmodel_context *context)
{
    memmodel_llm *llm = memory_allocate_zeroed(context, 1, sizeof *llm);

    if (!llm)
        return NULL;
    llm->context = memmodel_context_ref(context);
    llm->arena = ARENA_INIT(context);
    atomic_init(&llm->references, 1);
    return llm;
}

DEFINE_REF(memmodel_llm)

void
memmodel_llm_unref(memmodel_llm *llm)
{
    memmodel_context *context;

    if (!llm || atomic_fetch_sub(&llm->references, 1) > 1)
        return;
    context = llm->context;
    arena_release(&llm->arena);
    memory_release(context, llm);
    memmodel_context_unref(context);
}

/* ---- reading ---- */

static int
count_parameters(memmodel_llm *llm)
{
    static const struct quantization none = {.packing = PACKING_NONE};
    const struct weights_options options = {.element = llm->dtype, .quantization = &none, .shares = true};
    const struct place place = place_whole(llm);
    int64_t bytes;

    return weights_measure(llm->context, llm, &place, &options, &bytes, &llm->parameter_count);
}

static int
fill(memmodel_llm *llm, const char *name, const char *text, size_t length)
{
    struct config config = {.llm = llm};
    int status = json_document_parse(&config.document, llm->context, name, text, length);

    if (status)
        return status;
    status = family_read(&config);
    json_document_release(&config.document);
    return status ? status : count_parameters(llm);
}

static int
parse(memmodel_context *context, const char *name, const char *text, size_t length, void *made)
{
    memmodel_llm *llm = llm_new(context);
    int status;

    if (!llm)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = fill(llm, name, text, length);
    if (status)
        memmodel_llm_unref(llm);
    else
        *(memmodel_llm **)made = llm;
    return status;
}

int
memmodel_llm_from_json(memmodel_context *context, const char *name, const char *text, size_t length, memmodel_llm **llm)
{
    return file_parse_text(context, name, text, length, parse, llm);
}

static bool
is_file_name(const char *path)
{
    size_t length = strlen(path);

    return (length >= 5 && strcmp(path + length - 5, ".json") == 0) || file_is_there(path);
}

int
memmodel_llm_load(memmodel_context *context, const char *path, memmodel_llm **llm)
{
    struct text file = TEXT_INIT(context);
    int status;

    if (!context || !path || !llm)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    text_printf(&file, "%s%s", path, is_file_name(path) ? "" : "/config.json");
    status =
        file.failed ? context_status(context, MEMMODEL_ERROR_NO_MEMORY) : file_parse(context, file.bytes, parse, llm);
    text_release(&file);
    return status;
}

/* ---- asking ---- */

static int64_t
count_caches(const memmodel_llm *llm)
{
    int64_t count = 0;

    for (size_t i = 0; i < llm->layer_count; i++)
        count += layer_has_cache(&llm->layers[i]);
    return count;
}

int
memmodel_llm_get_result(const memmodel_llm *llm, struct memmodel_llm_result *result)
{
    struct memmodel_llm_result own;

    if (!llm || !result)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    own = (struct memmodel_llm_result){.size = sizeof own,
                                       .model_type = llm->model_type,
                                       .dtype = element_name(llm->dtype),
                                       .quantization = llm->quantization.name,
                                       .layer_count = (int64_t)llm->layer_count,
                                       .attention_count = count_caches(llm),
                                       .hidden_size = llm->hidden,
                                       .vocabulary_size = llm->vocabulary,
                                       .parameter_count = llm->parameter_count,
                                       .max_length = llm->max_length};
    return result_copy(&own, sizeof own, result);
}
