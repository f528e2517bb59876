/* What every fuzzer includes: the entry point that libFuzzer and replay.c call. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include "memmodel.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refusal must say why; a fuzzer stops the program where a contract is broken. */
static inline void
expect_explained(const memmodel_context *context, int status)
{
    const struct memmodel_error *error = memmodel_context_error(context);

    if (status < 0 && (error->status != status || !*error->message))
        abort();
}

#endif
