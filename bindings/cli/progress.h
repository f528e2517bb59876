/* How far a call of the library is: one line on a terminal, written over again and again, with the time that is left. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "command.h"

/* From now on, if standard error is a terminal, calls that take longer than half a second show how far they are. */
void
progress_show(memmodel_context *context);

/* Clears the line, before anything else is printed; returns `status`, of the call. */
int
progress_clear(memmodel_context *context, int status);

#endif
