/*
 * What a search has found so far, in a file: format "memmodel-fit-checkpoint" (doc/guide/formats.md). A search
 * consists of parts, each of which begins from what the archive has and the seed; the file has the archive of every
 * part that is done. What goes on from it comes to the same bits as what was never interrupted.
 */
#ifndef SEARCH_CHECKPOINT_H
#define SEARCH_CHECKPOINT_H

#include "base/json.h"
#include "regression/search/archive.h"

struct checkpoint {
    memmodel_context *context;
    const char *path; /* NULL: none is kept, and nothing below does anything */
    json_t *parts;    /* done so far */
    size_t next;      /* of those that the file had, the first not taken yet */
    uint64_t key;     /* of the table and the options */
};

/* Reads the file if there is one. 0, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_VERSION,
 * MEMMODEL_ERROR_NO_MEMORY; MEMMODEL_ERROR_DATA if it is of another fit. Release it in any case. */
int
checkpoint_open(memmodel_context *context, const char *path, uint64_t key, struct checkpoint *checkpoint);

/* The same from text: what the file's reader does. */
int
checkpoint_parse(const char *name, const char *text, size_t length, struct checkpoint *checkpoint);

void
checkpoint_release(struct checkpoint *checkpoint);

/* Offers the archive the formulas of the file's next part, fitted to the fitter's aim. false if it has none. */
bool
checkpoint_take(struct checkpoint *checkpoint, struct fitter *fitter, size_t input_count, size_t *tried,
                struct archive *archive);

/* Adds a part and writes the file. 0, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_NO_MEMORY */
int
checkpoint_add(struct checkpoint *checkpoint, size_t tried, const struct archive *archive);

/* The fit has ended: the file goes away. */
void
checkpoint_remove(const struct checkpoint *checkpoint);

#endif
