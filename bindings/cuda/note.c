/* What the reader of the ledger is to know, and where it came from. */
#define _GNU_SOURCE
#include "device.h"

#include "ledger_of_process.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Thread_local bool followed;

void
note_followed(bool yes)
{
    followed = yes;
}

const char *
note_module(const void *address)
{
    const char *slash;
    Dl_info found;

    if (!dladdr(address, &found) || !found.dli_fname)
        return "the program";
    slash = strrchr(found.dli_fname, '/');
    return slash ? slash + 1 : found.dli_fname;
}

/* Whether it is said for the first time. */
static bool
note(enum ledger_note_kind kind, const char *text)
{
    struct ledger *ledger = device_ledger();

    return !ledger || ledger_note(ledger, kind, (int)getpid(), text);
}

void
note_unanswered(const char *library, const char *name, const void *caller)
{
    char text[LEDGER_NOTE_BYTES];

    snprintf(text, sizeof text, "%s of %s, called by %s", name, library, note_module(caller));
    if (note(LEDGER_UNANSWERED, text))
        fprintf(stderr, "memmodel: the simulated GPU has no %s (%s, called by %s): it returns an error\n", name,
                library, note_module(caller));
}

void
note_made_up(size_t bytes, const void *caller)
{
    char text[LEDGER_NOTE_BYTES];

    if (followed)
        return;
    snprintf(text, sizeof text, "%zu bytes read from the device by %s", bytes, note_module(caller));
    note(LEDGER_MADE_UP, text);
}

void
note_profile(const char *what)
{
    note(LEDGER_PROFILE, what);
}
