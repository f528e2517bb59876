/* A lock of a file. */
#ifndef CUDA_LOCK_H
#define CUDA_LOCK_H

#include <pthread.h>

/* In a child it is open: another thread of the parent may have held it, and the child has no such thread. */
#define LOCK_OF_FILE(lock)                                                                                             \
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;                                                           \
                                                                                                                       \
    static void lock##_opens(void)                                                                                     \
    {                                                                                                                  \
        lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;                                                             \
    }                                                                                                                  \
                                                                                                                       \
    __attribute__((constructor)) static void lock##_follows_forks(void)                                                \
    {                                                                                                                  \
        pthread_atfork(NULL, NULL, lock##_opens);                                                                      \
    }

#endif
