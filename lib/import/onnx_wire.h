/*
 * The wire format of protocol buffers, read where it lies: messages are ranges of a file or of memory, and what nobody
 * asks for is skipped without being read. Source: protobuf.dev, "Encoding".
 */
#ifndef IMPORT_ONNX_WIRE_H
#define IMPORT_ONNX_WIRE_H

#include "base/arena.h"
#include "base/context.h"

#include <stdint.h>

enum { WIRE_WINDOW = 4096 };

/* The bytes of a message of any size, of which one window is in memory. */
struct wire_source {
    memmodel_context *context;
    const char *name;            /* of the file, in errors */
    int file;                    /* open, where `memory` is NULL */
    const unsigned char *memory; /* all bytes; NULL: they are in the file */
    int64_t size, read;          /* bytes that it has, and that were read of it */
    unsigned char window[WIRE_WINDOW];
    int64_t window_start, window_length;
};

/* 0, MEMMODEL_ERROR_IO, also for what is no regular file */
int
wire_open(struct wire_source *source, memmodel_context *context, const char *path);

void
wire_open_memory(struct wire_source *source, memmodel_context *context, const char *name, const void *bytes,
                 size_t length);

void
wire_close(struct wire_source *source);

/* What is left of a message. */
struct wire_message {
    struct wire_source *source;
    int64_t position, end;
};

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5, WIRE_ANY = 8 };

struct wire_field {
    uint32_t number;
    enum wire_type type;
    int64_t at;                  /* byte where it begins */
    uint64_t value;              /* of a number, as it stands */
    struct wire_message message; /* WIRE_BYTES */
};

/* MEMMODEL_ERROR_PARSE with the byte where it is wrong. */
int
wire_error(const struct wire_source *source, int64_t at, const char *format, ...) BASE_PRINTF(3, 4);

/* A number of a packed list, which the message is. */
int
wire_next_packed(struct wire_message *message, enum wire_type type, uint64_t *value);

/* `length` bytes, not beyond the end. */
int
wire_bytes(struct wire_message *message, void *bytes, size_t length);

/* The message as a text in the arena. Not more than 65536 bytes, none of them 0. */
int
wire_text(struct wire_message message, struct arena *arena, const char **text);

/* ---- messages by table ---- */

/* What a field of that number is for. A field that no rule names is skipped. */
struct wire_rule {
    uint32_t number; /* 0: the end of the table */
    enum wire_type type;
    int (*read)(void *reader, const struct wire_rule *rule, const struct wire_field *field, void *target);
    size_t offset; /* of the member of the target */
};

int
wire_read(struct wire_message message, const struct wire_rule *rules, void *reader, void *target);

#endif
