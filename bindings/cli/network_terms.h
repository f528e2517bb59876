/* A network's own closed formula as a term of a fit. */
#ifndef CLI_NETWORK_TERMS_H
#define CLI_NETWORK_TERMS_H

#include "command.h"

/*
 * Bytes of all layer outputs of the network in the file `path`, as a formula in its symbols, which must be columns of
 * the samples. The text belongs to *report. EXIT_OK, or EXIT_FAILED after a message.
 */
int
network_term(const struct command *command, memmodel_context *context, const char *path,
             const memmodel_samples *samples, memmodel_report **report, const char **term);

#endif
