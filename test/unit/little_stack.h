/* A thread with as little stack as any call of the library needs (memmodel/context.h). */
#ifndef TEST_LITTLE_STACK_H
#define TEST_LITTLE_STACK_H

#include "check.h"

#include <pthread.h>
#include <unistd.h>

/* AddressSanitizer keeps room around each variable: its frames are many times as large. */
#ifdef __SANITIZE_ADDRESS__
enum { STACK_BYTES = 2048 * 1024 };
#else
enum { STACK_BYTES = 64 * 1024 };
#endif

/* No system gives a thread less than it says. */
static inline size_t
stack_bytes(void)
{
    long least = sysconf(_SC_THREAD_STACK_MIN);

    return least > STACK_BYTES ? (size_t)least : STACK_BYTES;
}

struct errand {
    int (*run)(const void *argument);
    const void *argument;
    int status;
};

static inline void *
run_errand(void *argument)
{
    struct errand *errand = argument;

    errand->status = errand->run(errand->argument);
    return NULL;
}

static inline int
run_on_little_stack(int (*run)(const void *argument), const void *argument)
{
    struct errand errand = {run, argument, 1};
    pthread_attr_t attributes;
    pthread_t thread;

    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, stack_bytes()), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run_errand, &errand), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    return errand.status;
}

#endif
