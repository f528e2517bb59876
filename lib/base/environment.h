/*
 * What a host program may have changed around a call: how numbers are rounded, which of their exceptions are signals, and
 * how the locale writes them. Calls that compute, read or write numbers do so in an environment of their own, so that the
 * same inputs give the same bytes in every program; the host's is back when they return. Callbacks run in the call's.
 */
#ifndef BASE_ENVIRONMENT_H
#define BASE_ENVIRONMENT_H

#include <fenv.h>
#include <locale.h>
#include <stdbool.h>

/* The host's. */
struct environment {
    fenv_t numbers;
    locale_t texts, own_texts; /* own_texts is (locale_t)0 where texts are not changed */
    bool changed;              /* `numbers` is to be put back */
};

/* Rounds to nearest, and no exception is a signal. */
struct environment
environment_of_numbers(void);

/* The same, with the C locale for this thread. */
struct environment
environment_of_all(void);

void
environment_leave(struct environment *host);

/* The first declaration of a function: from here to its return it runs in an environment of its own. */
#define OWN_ENVIRONMENT                                                                                                \
    __attribute__((cleanup(environment_leave), unused)) struct environment host_environment = environment_of_all()
#define OWN_NUMBERS                                                                                                    \
    __attribute__((cleanup(environment_leave), unused)) struct environment host_environment = environment_of_numbers()

#endif
