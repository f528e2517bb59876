/* What PYTORCH_ALLOC_CONF (formerly PYTORCH_CUDA_ALLOC_CONF) says, as far as it decides about bytes. */
#ifndef CUDA_CACHING_SETTINGS_H
#define CUDA_CACHING_SETTINGS_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

#define MEBIBYTE (INT64_C(1) << 20)

enum { ROUNDUP_INTERVALS = 16 }; /* powers of two from 1 MiB to 32 GiB and above */

struct cuda_settings {
    int64_t large_segment_size;
    int64_t max_split_size;         /* INT64_MAX: every block may be split */
    int64_t max_non_split_rounding; /* 0 until it is given: then the large segment size */
    double garbage_collection_threshold;
    double memory_fraction; /* 1: no limit besides the device */
    int64_t divisions[ROUNDUP_INTERVALS];
    bool expandable_segments;
};

/*
 * Reads a text such as "max_split_size_mb:128,expandable_segments:True"; NULL or "" is PyTorch's defaults.
 * 0, MEMMODEL_ERROR_PARSE with the column, MEMMODEL_ERROR_UNSUPPORTED, MEMMODEL_ERROR_NO_MEMORY. Untouched on error.
 */
int
cuda_settings_parse(memmodel_context *context, const char *text, struct cuda_settings *settings);

#endif
