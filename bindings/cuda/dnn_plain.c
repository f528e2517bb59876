/*
 * cuDNN's graph interface where no real library answers it: descriptors keep what they are given, the heuristics know one
 * engine, and its workspace is by rule. Each descriptor has the workspace of those that it was given.
 */
#include "dnn.h"

#include <stdlib.h>
#include <string.h>

struct plain_attribute {
    struct plain_attribute *next;
    int name, type;
    int64_t count;
    unsigned char elements[];
};

static size_t
bytes_of(int type)
{
    switch (type) {
    case TYPE_HANDLE:
    case TYPE_INT64:
    case TYPE_DOUBLE:
    case TYPE_POINTER:
    case TYPE_PART:
        return sizeof(int64_t);
    case TYPE_BOOLEAN:
    case TYPE_CHAR:
        return 1;
    case TYPE_FRACTION:
        return 2 * sizeof(int64_t);
    default:
        return sizeof(int);
    }
}

static const struct plain_attribute *
find(const struct dnn_graph_part *part, int name)
{
    const struct plain_attribute *attribute = part->attributes;

    while (attribute && attribute->name != name)
        attribute = attribute->next;
    return attribute;
}

static void
forget(struct dnn_graph_part *part, int name)
{
    struct plain_attribute **place = &part->attributes, *found;

    while (*place && (*place)->name != name)
        place = &(*place)->next;
    found = *place;
    if (found)
        *place = found->next;
    free(found);
}

void
plain_free(struct dnn_graph_part *part)
{
    while (part->attributes)
        forget(part, part->attributes->name);
}

/* False where one is no living descriptor. */
static bool
take_workspaces(struct dnn_graph_part *part, int64_t count, const void *elements)
{
    void *const *given = elements;

    for (int64_t i = 0; i < count; i++) {
        const struct dnn_graph_part *other = dnn_get(given[i], DNN_GRAPH_PART);

        if (!other)
            return false;
        if (other->workspace > part->workspace)
            part->workspace = other->workspace;
    }
    return true;
}

int
plain_set(struct dnn_graph_part *part, int name, int type, int64_t count, const void *elements)
{
    size_t bytes = (size_t)count * bytes_of(type);
    struct plain_attribute *attribute;

    if (part->finalized)
        return DNN_NOT_SUPPORTED;
    if (type == TYPE_PART && !take_workspaces(part, count, elements))
        return DNN_BAD_PARAM;
    attribute = malloc(sizeof *attribute + bytes);
    if (!attribute)
        return DNN_NO_HOST_MEMORY;
    forget(part, name);
    attribute->next = part->attributes;
    attribute->name = name;
    attribute->type = type;
    attribute->count = count;
    if (bytes > 0)
        memcpy(attribute->elements, elements, bytes);
    part->attributes = attribute;
    return DNN_SUCCESS;
}

/* ---- what is asked ---- */

static int
give(const void *from, int type, int64_t has, int64_t wanted, int64_t *count, void *elements)
{
    if (count)
        *count = has;
    if (wanted > 0 && has > 0)
        memcpy(elements, from, (size_t)(wanted < has ? wanted : has) * bytes_of(type));
    return DNN_SUCCESS;
}

static int
give_number(int64_t number, int64_t wanted, int64_t *count, void *elements)
{
    return give(&number, TYPE_INT64, 1, wanted, count, elements);
}

/* Fills in the one descriptor that the program has made for the answer. */
static int
give_part(const struct dnn_graph_part *part, int type, int64_t wanted, int64_t *count, void *elements)
{
    struct dnn_graph_part *result = wanted > 0 ? dnn_get(*(void *const *)elements, DNN_GRAPH_PART) : NULL;

    if (wanted > 0 && (!result || result->type != type || result->real))
        return DNN_BAD_PARAM;
    if (result) {
        result->workspace = part->workspace;
        result->finalized = true;
    }
    if (count)
        *count = 1;
    return DNN_SUCCESS;
}

int
plain_get(const struct dnn_graph_part *part, int name, int type, int64_t wanted, int64_t *count, void *elements)
{
    const struct plain_attribute *attribute = find(part, name);

    switch (name) {
    case HEURISTIC_RESULTS:
        return give_part(part, PART_ENGINE_CONFIG, wanted, count, elements);
    case CONFIG_ENGINE:
        return give_part(part, PART_ENGINE, wanted, count, elements);
    case CONFIG_WORKSPACE:
    case PLAN_WORKSPACE:
        return give_number(part->workspace, wanted, count, elements);
    case GRAPH_ENGINE_COUNT:
        return give_number(1, wanted, count, elements);
    case ENGINE_INDEX:
        return give_number(0, wanted, count, elements);
    case CONFIG_SHARED_MEMORY:
        return give(&(int){0}, TYPE_INT32, 1, wanted, count, elements);
    case PLAN_JSON:
        return give("{}", TYPE_CHAR, sizeof "{}", wanted, count, elements);
    default:
        break;
    }
    if (attribute && attribute->type != type)
        return DNN_BAD_PARAM;
    return attribute ? give(attribute->elements, type, attribute->count, wanted, count, elements)
                     : give(NULL, type, 0, wanted, count, elements);
}

/* ---- convolutions ---- */

/* Input, weight and output of the three operations. */
static const struct operands {
    int type, input, weight, output;
} convolutions[] = {
    {PART_CONVOLUTION_FORWARD, 704, 703, 705},
    {PART_CONVOLUTION_WEIGHT, 716, 715, 717},
    {PART_CONVOLUTION_INPUT, 710, 709, 711},
};

enum { INPUT, WEIGHT, OUTPUT, OPERANDS };

#define MAX_ELEMENTS (INT64_C(1) << 48)

const struct dnn_graph_part *
plain_operand(const struct dnn_graph_part *part, int name)
{
    const struct plain_attribute *attribute = find(part, name);
    void *handle = NULL;

    if (!attribute || attribute->type != TYPE_PART || attribute->count != 1)
        return NULL;
    memcpy(&handle, attribute->elements, sizeof handle);
    return dnn_get(handle, DNN_GRAPH_PART);
}

/* As many as `dims` has room for; how many there are. */
static int
numbers(const struct dnn_graph_part *tensor, int name, int64_t dims[DNN_MAX_DIMS])
{
    const struct plain_attribute *attribute = tensor ? find(tensor, name) : NULL;

    if (!attribute || attribute->type != TYPE_INT64 || attribute->count > DNN_MAX_DIMS)
        return 0;
    memcpy(dims, attribute->elements, (size_t)attribute->count * sizeof *dims);
    return (int)attribute->count;
}

static int
type_of(const struct dnn_graph_part *tensor)
{
    const struct plain_attribute *attribute = find(tensor, TENSOR_TYPE);
    int type = DNN_FLOAT;

    if (attribute && attribute->type == TYPE_DATA_TYPE && attribute->count == 1)
        memcpy(&type, attribute->elements, sizeof type);
    return type;
}

static int64_t
product(const int64_t *numbers_given, int count)
{
    int64_t result = 1;

    for (int i = 0; i < count; i++)
        if (__builtin_mul_overflow(result, numbers_given[i], &result))
            return 0;
    return result;
}

/* False where an operand has no shape, or one that no device could hold. */
static bool
measure(const struct dnn_graph_part *part, const struct operands *names, struct dnn_convolution_sizes *sizes)
{
    const int each[OPERANDS] = {names->input, names->weight, names->output};
    int64_t dims[OPERANDS][DNN_MAX_DIMS] = {{0}}, strides[DNN_MAX_DIMS] = {0};
    const struct dnn_graph_part *input = plain_operand(part, names->input);
    int64_t elements;
    int rank = 0;

    for (int i = 0; i < OPERANDS; i++) {
        rank = numbers(plain_operand(part, each[i]), TENSOR_DIMENSIONS, dims[i]);
        elements = rank > 2 ? product(dims[i], rank) : 0;
        if (elements <= 0 || elements > MAX_ELEMENTS)
            return false;
        sizes->elements += elements;
    }
    numbers(input, TENSOR_STRIDES, strides);
    sizes->in_channels = dims[INPUT][1];
    sizes->out_channels = dims[WEIGHT][0];
    sizes->group_channels = dims[WEIGHT][1];
    sizes->kernel_points = product(dims[WEIGHT] + 2, rank - 2);
    sizes->type = type_of(input);
    sizes->channels_last = strides[1] == 1 && dims[INPUT][1] > 1;
    return true;
}

int
plain_finalize(struct dnn_graph_part *part)
{
    part->finalized = true;
    for (size_t i = 0; i < sizeof convolutions / sizeof *convolutions; i++) {
        struct dnn_convolution_sizes sizes = {0};

        if (convolutions[i].type == part->type && measure(part, &convolutions[i], &sizes))
            part->workspace = dnn_convolution_workspace(&sizes);
    }
    return DNN_SUCCESS;
}
