/* A clock that only goes forward. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds since some fixed time. */
double
seconds_now(void);

#endif
