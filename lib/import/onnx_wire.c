#include "import/onnx_wire.h"
#include "base/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_LIMIT = 65536 };

/* ---- bytes ---- */

int
wire_open(struct wire_source *source, memmodel_context *context, const char *path)
{
    int status;

    *source = (struct wire_source){.context = context, .name = path};
    status = file_open(context, path, &source->file, &source->size);
    if (status)
        return status;
    if (source->size >= 0)
        return 0;
    wire_close(source); /* what has no size cannot be stepped through */
    return context_error(context, MEMMODEL_ERROR_IO, path, "is no regular file");
}

void
wire_open_memory(struct wire_source *source, memmodel_context *context, const char *name, const void *bytes,
                 size_t length)
{
    *source =
        (struct wire_source){.context = context, .name = name, .memory = length ? bytes : "", .size = (int64_t)length};
}

void
wire_close(struct wire_source *source)
{
    if (!source->memory)
        close(source->file);
}

int
wire_error(const struct wire_source *source, int64_t at, const char *format, ...)
{
    char message[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return context_error(source->context, MEMMODEL_ERROR_PARSE, source->name, "byte %lld: %s", (long long)at, message);
}

/* Brings the byte at `position` into the window. */
static int
move_window(struct wire_source *source, int64_t position)
{
    ssize_t got = pread(source->file, source->window, WIRE_WINDOW, (off_t)position);

    source->window_start = position;
    source->window_length = got > 0 ? (int64_t)got : 0;
    source->read += source->window_length;
    if (got > 0)
        return context_check_input(source->context, source->name, source->read);
    if (got < 0)
        return context_error(source->context, MEMMODEL_ERROR_IO, source->name, "cannot read: %s", strerror(errno));
    return wire_error(source, position, "the file ends");
}

/* The bytes from `position` on that are in memory, at least one. `position` is within the source. */
static int
bytes_at(struct wire_source *source, int64_t position, const unsigned char **bytes, int64_t *length)
{
    int status = 0;

    if (source->memory) {
        *bytes = source->memory + position;
        *length = source->size - position;
        return 0;
    }
    if (position < source->window_start || position >= source->window_start + source->window_length)
        status = move_window(source, position);
    *bytes = source->window + (position - source->window_start);
    *length = source->window_start + source->window_length - position;
    return status;
}

int
wire_bytes(struct wire_message *message, void *bytes, size_t length)
{
    unsigned char *to = bytes;

    if ((uint64_t)(message->end - message->position) < length)
        return wire_error(message->source, message->position, "%zu bytes are needed, %lld are left", length,
                          (long long)(message->end - message->position));
    while (length > 0) {
        const unsigned char *from;
        int64_t some;
        int status = bytes_at(message->source, message->position, &from, &some);

        if (status)
            return status;
        if ((uint64_t)some > length)
            some = (int64_t)length;
        memcpy(to, from, (size_t)some);
        to += some;
        length -= (size_t)some;
        message->position += some;
    }
    return 0;
}

/* ---- numbers ---- */

static int
read_varint(struct wire_message *message, uint64_t *value)
{
    int64_t at = message->position;

    *value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const unsigned char *byte;
        int64_t length;
        int status;

        if (message->position >= message->end)
            return wire_error(message->source, at, "a number does not end");
        status = bytes_at(message->source, message->position, &byte, &length);
        if (status)
            return status;
        message->position++;
        if (shift == 63 && *byte > 1)
            break;
        *value |= (uint64_t)(*byte & 0x7f) << shift;
        if (!(*byte & 0x80))
            return 0;
    }
    return wire_error(message->source, at, "a number is longer than 64 bits");
}

/* Little endian. */
static int
read_fixed(struct wire_message *message, size_t length, uint64_t *value)
{
    unsigned char bytes[8] = {0};
    int status = wire_bytes(message, bytes, length);

    *value = 0;
    for (size_t i = length; i-- > 0;)
        *value = *value << 8 | bytes[i];
    return status;
}

int
wire_next_packed(struct wire_message *message, enum wire_type type, uint64_t *value)
{
    int status = context_check(message->source->context, 1);

    if (status)
        return status;
    if (type == WIRE_VARINT)
        return read_varint(message, value);
    return read_fixed(message, type == WIRE_FIXED64 ? 8 : 4, value);
}

/* ---- fields ---- */

/* Skips `length` bytes and leaves them in `inner`. */
static int
enter(struct wire_message *message, uint64_t length, int64_t at, struct wire_message *inner)
{
    if (length > (uint64_t)(message->end - message->position))
        return wire_error(message->source, at, "a length of %llu, but %lld bytes are left", (unsigned long long)length,
                          (long long)(message->end - message->position));
    *inner = (struct wire_message){message->source, message->position, message->position + (int64_t)length};
    message->position = inner->end;
    return 0;
}

static int
read_value(struct wire_message *message, struct wire_field *field)
{
    int status;

    switch (field->type) {
    case WIRE_VARINT:
    case WIRE_FIXED64:
    case WIRE_FIXED32:
        return wire_next_packed(message, field->type, &field->value);
    case WIRE_BYTES:
        status = read_varint(message, &field->value);
        return status ? status : enter(message, field->value, field->at, &field->message);
    default:
        return wire_error(message->source, field->at, "wire type %d is none of ONNX", (int)field->type);
    }
}

/* The next field, and 1; 0 at the end of the message; or a negative status. */
static int
wire_next(struct wire_message *message, struct wire_field *field)
{
    uint64_t tag;
    int status;

    if (message->position >= message->end)
        return 0;
    *field = (struct wire_field){.at = message->position};
    status = context_check(message->source->context, 1);
    if (!status)
        status = read_varint(message, &tag);
    if (status)
        return status;
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
        return wire_error(message->source, field->at, "a field cannot have the number %llu",
                          (unsigned long long)(tag >> 3));
    field->number = (uint32_t)(tag >> 3);
    field->type = (enum wire_type)(tag & 7);
    status = read_value(message, field);
    return status ? status : 1;
}

int
wire_text(struct wire_message message, struct arena *arena, const char **text)
{
    size_t length = (size_t)(message.end - message.position);
    int64_t at = message.position;
    char *own;
    int status;

    if (message.end - message.position > TEXT_LIMIT)
        return wire_error(message.source, at, "a name of %lld bytes", (long long)(message.end - message.position));
    own = arena_allocate(arena, length + 1);
    if (!own)
        return MEMMODEL_ERROR_NO_MEMORY;
    own[length] = '\0';
    status = wire_bytes(&message, own, length);
    if (!status && memchr(own, '\0', length))
        status = wire_error(message.source, at, "a name has a zero byte");
    if (!status)
        *text = own;
    return status;
}

/* ---- by table ---- */

static int
apply(const struct wire_rule *rules, void *reader, const struct wire_field *field, void *target)
{
    for (const struct wire_rule *rule = rules; rule->number; rule++) {
        if (rule->number != field->number)
            continue;
        if (rule->type != WIRE_ANY && rule->type != field->type)
            return wire_error(field->message.source, field->at, "field %u has wire type %d, not %d", rule->number,
                              (int)field->type, (int)rule->type);
        return rule->read(reader, rule, field, target);
    }
    return 0;
}

int
wire_read(struct wire_message message, const struct wire_rule *rules, void *reader, void *target)
{
    struct wire_field field;
    int status;

    while ((status = wire_next(&message, &field)) > 0) {
        field.message.source = message.source;
        status = apply(rules, reader, &field, target);
        if (status)
            return status;
    }
    return status;
}
