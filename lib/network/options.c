/* Options of a layer: taken over from the caller and checked field by field, the same for every operator. */
#include "base/choice.h"
#include "network/builder.h"

#include <string.h>

enum { MAX_LISTED = 65536 }; /* elements of a list in options */

struct options {
    struct builder *builder;
    const struct op_description *description;
    char *own;
};

static int
refuse(const struct options *options, const struct field *field, const char *why)
{
    return context_error(options->builder->network.context, MEMMODEL_ERROR_INVALID_ARGUMENT, options->description->name,
                         "%s %s", field->name, why);
}

static int
check_choice(const struct options *options, const struct field *field)
{
    static const char *const none[] = {"it is no option of this operator", NULL};
    memmodel_context *context = options->builder->network.context;
    int32_t number = option_number(options->own, field->offset);

    if (field->kind == FIELD_RESERVED)
        return choice_check(context, options->description->name, field->name, number, none);
    if (field->kind == FIELD_FLAG)
        return flag_check(context, options->description->name, field->name, number);
    return choice_check(context, options->description->name, field->name, number,
                        field->kind == FIELD_LAYOUT ? layout_names : field->names);
}

static int
check_number(const struct options *options, const struct field *field)
{
    int32_t number = option_number(options->own, field->offset);

    return number < 0 ? refuse(options, field, "is negative") : 0;
}

static int
check_sizes(const struct options *options, const struct field *field)
{
    for (size_t i = 0; i < field->count; i++) {
        int64_t size;

        memcpy(&size, options->own + field->offset + i * sizeof size, sizeof size);
        if (size < 0)
            return refuse(options, field, "is negative");
    }
    return 0;
}

static int
check_rate(const struct options *options, const struct field *field)
{
    double rate;

    memcpy(&rate, options->own + field->offset, sizeof rate);
    return rate >= 0 && rate <= 1 ? 0 : refuse(options, field, "is not between 0 and 1");
}

/* A constant, or an expression of the network's pool. */
static int
check_dims(const struct options *options, const struct field *field, const memmodel_dim *dims, int32_t count)
{
    int32_t expressions = (int32_t)expression_count(options->builder->network.pool);

    for (int32_t i = 0; i < count; i++)
        if (dims[i] < -(memmodel_dim)expressions && dims[i] != MEMMODEL_DIM_INFER)
            return refuse(options, field, "has a dimension that is no symbol or expression of this network");
    return 0;
}

static int
check_dim(const struct options *options, const struct field *field)
{
    memmodel_dim dim;

    memcpy(&dim, options->own + field->offset, sizeof dim);
    return dim == MEMMODEL_DIM_INFER ? refuse(options, field, "cannot be MEMMODEL_DIM_INFER")
                                     : check_dims(options, field, &dim, 1);
}

static int
check_length(const struct options *options, const struct field *field, int32_t max)
{
    int32_t length = option_number(options->own, field->length);

    return length < 0 || length > max ? refuse(options, field, "has too many or a negative number of elements") : 0;
}

static int
check_array(const struct options *options, const struct field *field)
{
    int status = check_length(options, field, MEMMODEL_MAX_RANK);

    if (status || field->kind == FIELD_AXES)
        return status;
    return check_dims(options, field, (const memmodel_dim *)(const void *)(options->own + field->offset),
                      option_number(options->own, field->length));
}

/* ---- what a pointer points to ---- */

/* Copies `bytes` into the arena and lets the pointer at `field` point there. */
static int
keep(const struct options *options, const struct field *field, const void *from, size_t bytes)
{
    void *copy = arena_copy(&options->builder->network.arena, from, bytes);

    if (!copy)
        return MEMMODEL_ERROR_NO_MEMORY;
    memcpy(options->own + field->offset, &copy, sizeof copy);
    return 0;
}

static int
check_shape(const struct options *options, const struct field *field, const struct memmodel_shape *shape)
{
    if (shape->rank < 0 || shape->rank > MEMMODEL_MAX_RANK)
        return refuse(options, field, "has a shape of an impossible rank");
    if (choice_check(options->builder->network.context, options->description->name, "dtype", shape->dtype, dtype_names))
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < shape->rank; i++)
        if (shape->dims[i] == MEMMODEL_DIM_INFER)
            return refuse(options, field, "cannot have MEMMODEL_DIM_INFER");
    return check_dims(options, field, shape->dims, shape->rank);
}

static int
take_shapes(const struct options *options, const struct field *field, const struct memmodel_shape *shapes,
            int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        int status = check_shape(options, field, &shapes[i]);

        if (status)
            return status;
    }
    return keep(options, field, shapes, (size_t)count * sizeof *shapes);
}

static int
take_dims(const struct options *options, const struct field *field, const memmodel_dim *dims, int32_t count)
{
    int status = check_dims(options, field, dims, count);

    for (int32_t i = 0; i < count && !status; i++)
        if (dims[i] == MEMMODEL_DIM_INFER)
            status = refuse(options, field, "cannot have MEMMODEL_DIM_INFER");
    return status ? status : keep(options, field, dims, (size_t)count * sizeof *dims);
}

static int
take_pointer(const struct options *options, const struct field *field)
{
    const void *pointer;
    int status;

    memcpy(&pointer, options->own + field->offset, sizeof pointer);
    if (!pointer)
        return 0;
    if (field->kind == FIELD_LAYER)
        return keep(options, field, pointer, strlen(pointer) + 1);
    status = check_length(options, field, MAX_LISTED);
    if (status)
        return status;
    if (field->kind == FIELD_SHAPES)
        return take_shapes(options, field, pointer, option_number(options->own, field->length));
    return take_dims(options, field, pointer, option_number(options->own, field->length));
}

static int
take_text(const struct options *options, const struct field *field)
{
    const char *text;

    memcpy(&text, options->own + field->offset, sizeof text);
    if (!text)
        return 0;
    for (const char *at = text; *at; at++)
        if (*at < ' ' || *at > '~')
            return refuse(options, field, "has a character that is not printable ASCII");
    return keep(options, field, text, strlen(text) + 1);
}

/* ---- all fields ---- */

static int
take_field(const struct options *options, const struct field *field)
{
    static int (*const takers[])(const struct options *, const struct field *) = {
        [FIELD_SIZES] = check_sizes,   [FIELD_NUMBER] = check_number,   [FIELD_AXES] = check_array,
        [FIELD_FLAG] = check_choice,   [FIELD_ENUM] = check_choice,     [FIELD_LAYOUT] = check_choice,
        [FIELD_RATE] = check_rate,     [FIELD_LAYER] = take_pointer,    [FIELD_DIM] = check_dim,
        [FIELD_TEXT] = take_text,      [FIELD_DIMS] = check_array,      [FIELD_DIM_LIST] = take_pointer,
        [FIELD_SHAPES] = take_pointer, [FIELD_RESERVED] = check_choice,
    };

    return takers[field->kind] ? takers[field->kind](options, field) : 0;
}

/* A layout that is not named is the builder's at this time. */
static void
resolve_layout(const struct options *options, const struct field *field)
{
    int32_t layout = (int32_t)options->builder->layout;

    if (option_number(options->own, field->offset) == MEMMODEL_LAYOUT_DEFAULT)
        memcpy(options->own + field->offset, &layout, sizeof layout);
}

int
options_take(struct builder *builder, const struct op_description *description, const void *given, void **own)
{
    struct options options = {.builder = builder, .description = description};
    int status;

    if (!given && description->needs_options)
        return context_error(builder->network.context, MEMMODEL_ERROR_INVALID_ARGUMENT, description->name,
                             "options are needed");
    options.own = arena_allocate(&builder->network.arena, description->options_size);
    if (!options.own)
        return MEMMODEL_ERROR_NO_MEMORY;
    status =
        options_copy(builder->network.context, description->struct_name, given, options.own, description->options_size);
    for (const struct field *field = description->fields; !status && field->kind != FIELD_END; field++) {
        status = take_field(&options, field);
        if (field->kind == FIELD_LAYOUT)
            resolve_layout(&options, field);
    }
    if (!status)
        *own = options.own;
    return status;
}
