/*
 * Arguments of an operator by its framework's name that are no tensors: "dim=1 size=2,3 mode=reflect". Those at their
 * default are absent.
 */
#ifndef NETWORK_ATTRIBUTES_H
#define NETWORK_ATTRIBUTES_H

#include "network/network.h"

#define ALL_AXES (~UINT64_C(0))

bool
attribute_present(const struct layer *layer, const char *name);

int64_t
attribute_integer(const struct layer *layer, const char *name, int64_t otherwise);

double
attribute_number(const struct layer *layer, const char *name, double otherwise);

/* True unless it is written with a decimal point or an exponent. */
bool
attribute_is_whole(const struct layer *layer, const char *name);

/* True if it is that word. */
bool
attribute_is(const struct layer *layer, const char *name, const char *word);

/* Up to `max` numbers of a list; how many there are, 0 if it is absent or empty. */
int
attribute_list(const struct layer *layer, const char *name, int64_t *numbers, int max);

/* The text itself, cut after `max` - 1 characters; "" if it is absent. */
void
attribute_text(const struct layer *layer, const char *name, char *text, size_t max);

/* An axis of a tensor of `rank` dims; negative ones count from the end. 0 for one that is none. */
int
attribute_axis(const struct layer *layer, const char *name, int rank, int otherwise);

/* A bit per axis of a list; ALL_AXES if it is absent or empty. */
uint64_t
attribute_axes(const struct layer *layer, const char *name, int rank);

#endif
