/* Stored tensors: shape and type of all, numbers of the small ones. Source: onnx/onnx.proto, TensorProto. */
#include "base/checked.h"
#include "import/onnx_model.h"

#include <math.h>
#include <string.h>

/* ---- types ---- */

enum { FLOAT = 1, INT32 = 6, INT64 = 7, BOOL = 9, DOUBLE = 11, UINT64 = 13 };

static const struct {
    const char *name;
    int32_t dtype; /* enum memmodel_dtype of as many bytes; 0: none */
} types[] = {
    {"UNDEFINED", 0},
    {"FLOAT", MEMMODEL_DTYPE_FLOAT32},
    {"UINT8", MEMMODEL_DTYPE_UINT8},
    {"INT8", MEMMODEL_DTYPE_INT8},
    {"UINT16", 0},
    {"INT16", 0},
    {"INT32", MEMMODEL_DTYPE_INT32},
    {"INT64", MEMMODEL_DTYPE_INT64},
    {"STRING", 0},
    {"BOOL", MEMMODEL_DTYPE_BOOL},
    {"FLOAT16", MEMMODEL_DTYPE_FLOAT16},
    {"DOUBLE", MEMMODEL_DTYPE_FLOAT64},
    {"UINT32", MEMMODEL_DTYPE_INT32},
    {"UINT64", MEMMODEL_DTYPE_INT64},
    {"COMPLEX64", 0},
    {"COMPLEX128", 0},
    {"BFLOAT16", MEMMODEL_DTYPE_BFLOAT16},
    {"FLOAT8E4M3FN", MEMMODEL_DTYPE_UINT8},
    {"FLOAT8E4M3FNUZ", MEMMODEL_DTYPE_UINT8},
    {"FLOAT8E5M2", MEMMODEL_DTYPE_UINT8},
    {"FLOAT8E5M2FNUZ", MEMMODEL_DTYPE_UINT8},
    {"UINT4", 0},
    {"INT4", 0},
};

int32_t
onnx_dtype(int64_t onnx_type)
{
    return onnx_type >= 0 && (size_t)onnx_type < sizeof types / sizeof types[0] ? types[onnx_type].dtype : 0;
}

const char *
onnx_type_name(int64_t onnx_type)
{
    return onnx_type >= 0 && (size_t)onnx_type < sizeof types / sizeof types[0] ? types[onnx_type].name : "unknown";
}

/* ---- numbers ---- */

/* A tensor while it is read. */
struct content {
    struct onnx_tensor *tensor;
    struct onnx_list values; /* uint64_t, of the typed fields */
    struct wire_message raw; /* raw_data */
    bool external, too_many, has_raw;
};

/* The fraction that a finite double is, if it fits. */
static bool
fraction(double real, struct onnx_number *number)
{
    const double limit = 9007199254740992.0; /* 2^53 */
    int64_t denominator = 1;

    if (!isfinite(real))
        return false;
    while (real != floor(real) && denominator < INT64_C(1) << 60) {
        real *= 2;
        denominator *= 2;
    }
    if (real != floor(real) || fabs(real) > limit)
        return false;
    *number = (struct onnx_number){(int64_t)real, denominator};
    return true;
}

static bool
number_of(int32_t type, uint64_t bits, struct onnx_number *number)
{
    uint32_t narrow = (uint32_t)bits;
    float real;
    double wide;

    switch (type) {
    case FLOAT:
        memcpy(&real, &narrow, sizeof real);
        return fraction((double)real, number);
    case DOUBLE:
        memcpy(&wide, &bits, sizeof wide);
        return fraction(wide, number);
    case INT32:
        *number = (struct onnx_number){(int32_t)narrow, 1};
        return true;
    case BOOL:
        *number = (struct onnx_number){(bits & 0xff) != 0, 1};
        return true;
    default:
        *number = (struct onnx_number){(int64_t)bits, 1};
        return true;
    }
}

static size_t
type_bytes(int32_t type)
{
    return type == FLOAT || type == INT32 ? 4 : type == BOOL ? 1 : type == INT64 || type == DOUBLE ? 8 : 0;
}

/* The bits of number `i`, from wherever they are. */
static int
next_bits(struct content *content, size_t i, uint64_t *bits)
{
    unsigned char bytes[8] = {0};
    size_t length = type_bytes(content->tensor->onnx_type);
    int status;

    if (!content->has_raw) {
        *bits = *ONNX_ITEM(content->values, uint64_t, i);
        return 0;
    }
    status = wire_bytes(&content->raw, bytes, length);
    *bits = 0;
    while (length-- > 0)
        *bits = *bits << 8 | bytes[length];
    return status;
}

static int
keep_numbers(struct onnx_reader *reader, struct content *content, size_t count)
{
    struct onnx_tensor *tensor = content->tensor;
    struct onnx_number *numbers = arena_allocate(reader->arena, (count + 1) * sizeof *numbers);

    if (!numbers)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        int status = next_bits(content, i, &bits);

        if (status)
            return status;
        if (!number_of(tensor->onnx_type, bits, &numbers[i]))
            return 0;
    }
    tensor->numbers = numbers;
    tensor->count = count;
    return 0;
}

/* ---- fields ---- */

static int
read_dim(struct content *content, struct onnx_reader *reader, uint64_t value, int64_t at)
{
    struct memmodel_shape *shape = &content->tensor->shape;

    if ((int64_t)value < 0)
        return wire_error(reader->source, at, "a dimension of %lld", (long long)value);
    if (shape->rank == MEMMODEL_MAX_RANK)
        return context_error(reader->source->context, MEMMODEL_ERROR_UNSUPPORTED, reader->source->name,
                             "byte %lld: a tensor with more than %d dimensions", (long long)at, MEMMODEL_MAX_RANK);
    shape->dims[shape->rank++] = (int64_t)value;
    return 0;
}

static int
read_dims(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct wire_message dims = field->message;
    uint64_t value;
    int status = 0;

    (void)rule;
    if (field->type == WIRE_VARINT)
        return read_dim(target, reader, field->value, field->at);
    if (field->type != WIRE_BYTES)
        return wire_error(dims.source, field->at, "dimensions have wire type %d", (int)field->type);
    while (!status && dims.position < dims.end) {
        status = wire_next_packed(&dims, WIRE_VARINT, &value);
        if (!status)
            status = read_dim(target, reader, value, field->at);
    }
    return status;
}

static int
read_tensor_type(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct content *content = target;

    (void)reader;
    (void)rule;
    content->tensor->onnx_type = field->value > INT16_MAX ? INT16_MAX : (int32_t)field->value;
    return 0;
}

static int
read_tensor_name(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    (void)rule;
    return wire_text(field->message, ((struct onnx_reader *)reader)->arena, &((struct content *)target)->tensor->name);
}

static int
add_value(struct onnx_reader *reader, struct content *content, uint64_t value)
{
    uint64_t *item;

    if (content->values.count > ONNX_MAX_NUMBERS)
        content->too_many = true;
    if (content->too_many)
        return 0;
    item = onnx_list_add(reader->arena, &content->values, sizeof *item);
    if (!item)
        return MEMMODEL_ERROR_NO_MEMORY;
    *item = value;
    return 0;
}

/* The rule's offset is the wire type of its numbers. A list that cannot be small is skipped. */
static int
read_values(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct content *content = target;
    struct wire_message values = field->message;
    enum wire_type type = (enum wire_type)rule->offset;
    uint64_t value;
    int status = 0;

    if (field->type == type)
        return add_value(reader, content, field->value);
    if (field->type != WIRE_BYTES)
        return wire_error(values.source, field->at, "numbers have wire type %d", (int)field->type);
    if (values.end - values.position > 10 * ONNX_MAX_NUMBERS)
        content->too_many = true;
    while (!status && !content->too_many && values.position < values.end) {
        status = wire_next_packed(&values, type, &value);
        if (!status)
            status = add_value(reader, content, value);
    }
    return status;
}

static int
read_raw(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    struct content *content = target;

    (void)reader;
    (void)rule;
    content->raw = field->message;
    content->has_raw = true;
    return 0;
}

static int
read_external(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target)
{
    (void)reader;
    (void)rule;
    if (field->type == WIRE_BYTES || field->value == 1)
        ((struct content *)target)->external = true;
    return 0;
}

static const struct wire_rule tensor_rules[] = {
    {1, WIRE_ANY, read_dims, 0},
    {2, WIRE_VARINT, read_tensor_type, 0},
    {4, WIRE_ANY, read_values, WIRE_FIXED32}, /* float_data */
    {5, WIRE_ANY, read_values, WIRE_VARINT},  /* int32_data */
    {7, WIRE_ANY, read_values, WIRE_VARINT},  /* int64_data */
    {8, WIRE_BYTES, read_tensor_name, 0},
    {9, WIRE_BYTES, read_raw, 0},
    {10, WIRE_ANY, read_values, WIRE_FIXED64}, /* double_data */
    {13, WIRE_BYTES, read_external, 0},        /* external_data */
    {14, WIRE_VARINT, read_external, 0},       /* data_location */
    {0},
};

/* ---- the tensor ---- */

static int
count_elements(struct onnx_reader *reader, const struct onnx_tensor *tensor, int64_t *count)
{
    *count = 1;
    for (int i = 0; i < tensor->shape.rank; i++)
        if (!checked_multiply(*count, tensor->shape.dims[i], count))
            return wire_error(reader->source, tensor->at, "\"%s\" has more elements than 63 bits can count",
                              tensor->name);
    return 0;
}

/* What is stored in the file itself fills the shape. */
static int
check_content(struct onnx_reader *reader, const struct content *content, int64_t count)
{
    const struct onnx_tensor *tensor = content->tensor;
    int64_t bytes = (int64_t)type_bytes(tensor->onnx_type), have = content->raw.end - content->raw.position;

    if (content->external || content->too_many || bytes == 0)
        return 0;
    if (content->has_raw && (count > INT64_MAX / bytes || have != count * bytes))
        return wire_error(reader->source, tensor->at, "\"%s\" has %lld bytes for %lld elements", tensor->name,
                          (long long)have, (long long)count);
    if (!content->has_raw && content->values.count != (uint64_t)count)
        return wire_error(reader->source, tensor->at, "\"%s\" has %zu numbers for %lld elements", tensor->name,
                          content->values.count, (long long)count);
    return 0;
}

int
onnx_tensor_read(struct onnx_reader *reader, struct wire_message message, struct onnx_tensor *tensor)
{
    struct content content = {.tensor = tensor};
    int64_t count = 0;
    size_t bytes;
    int status;

    *tensor = (struct onnx_tensor){.name = "", .at = message.position};
    status = wire_read(message, tensor_rules, reader, &content);
    if (!status)
        status = count_elements(reader, tensor, &count);
    if (!status)
        status = check_content(reader, &content, count);
    tensor->shape.dtype = onnx_dtype(tensor->onnx_type);
    bytes = type_bytes(tensor->onnx_type);
    if (status || content.external || content.too_many || bytes == 0 || count > ONNX_MAX_NUMBERS ||
        (size_t)count * bytes > ONNX_MAX_NUMBER_BYTES)
        return status;
    return keep_numbers(reader, &content, (size_t)count);
}
