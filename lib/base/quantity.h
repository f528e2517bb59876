/* Sizes as people write them: "1.2 GiB", "908,136,448", and units in names such as "peak_MiB" or "mem (GB)". */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include <stdbool.h>

/* A unit of sizes; those with an "i", and single letters, are powers of 1024. */
struct byte_unit {
    const char *name; /* such as "MiB" */
    double bytes;
};

/* The unit of that name in any case, as in "GiB", "gb" or "bytes"; NULL if there is none. */
const struct byte_unit *
byte_unit_find(const char *name);

/* The unit that a name is, or that stands at its end behind '_', '-', a blank, '(' or '['; NULL if there is none. */
const struct byte_unit *
byte_unit_of_name(const char *name);

/* A number with a unit, in bytes: "1.2 GiB", "512M". */
bool
parse_quantity(const char *text, double *bytes);

/* A word for a number that is not there: "nan", "NA", "null", "none" or "-", in any case. */
bool
is_missing_word(const char *text);

/* A word for a run that ended well: "ok", "COMPLETED", "success", in any case. */
bool
is_success_word(const char *text);

/*
 * How a run is reported that ended for lack of memory, in any case: "oom", Slurm's "OUT_OF_MEMORY", Kubernetes'
 * "OOMKilled", a shell's "Killed", and all texts with "out of memory" in them, as PyTorch's.
 */
bool
is_out_of_memory_word(const char *text);

/* The unit of such a number; NULL if it has none, or a single letter. */
const struct byte_unit *
quantity_unit(const char *text);

/* A number whose digits stand in groups of three, set apart by commas: "908,136,448". */
bool
parse_grouped(const char *text, double *number);

/* A number, perhaps with a unit, whose comma can only be one of decimals: "0,846", "1,5 GiB". */
bool
has_decimal_comma(const char *text);

#endif
