/* Modules of a network, by their names: its scopes, or, where no scope is called so, layers with parameters of their own. */
#ifndef PYTORCH_MODULES_H
#define PYTORCH_MODULES_H

#include "base/call.h"
#include "network/network.h"

/* A module's run in the forward pass. */
struct module_run {
    const char *name;
    int32_t first, end; /* layers */
};

size_t
module_count(const struct memmodel_network *network);

/* Scopes come first; false of a layer that is no module. */
bool
module_at(const struct memmodel_network *network, size_t index, struct module_run *module);

/* Whether a pattern such as "layers.*.(q|k)" names a module: what is between points is compared by itself. */
bool
module_is_named(struct text_part pattern, const char *name);

/* MEMMODEL_ERROR_INVALID_ARGUMENT: the pattern of `who`, such as "fsdp: ", names no module; with one that lies deeper. */
int
module_missing(const struct memmodel_network *network, memmodel_context *context, const char *object, const char *who,
               struct text_part pattern);

#endif
