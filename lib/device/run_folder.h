/* The folder of one run: it is locked while the run goes on, so that the next run knows what a killed one has left. */
#ifndef DEVICE_RUN_FOLDER_H
#define DEVICE_RUN_FOLDER_H

#include "base/text.h"

struct run_folder {
    memmodel_context *context;
    char *path;
    int lock; /* descriptor of the folder */
};

/* Makes one in TMPDIR, else /tmp, and removes those that killed runs have left there. 0 or MEMMODEL_ERROR_IO. */
int
run_folder_new(struct run_folder *folder, memmodel_context *context);

/* Removes it with the files in it. A zeroed one is fine. */
void
run_folder_remove(struct run_folder *folder);

#endif
