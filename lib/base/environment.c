#define _GNU_SOURCE /* fegetexcept() */

#include "base/environment.h"

/* Asked before each evaluation of a formula, which takes less time than to set an environment. */
static bool
is_usual(void)
{
#if defined(__GLIBC__)
    return fegetround() == FE_TONEAREST && fegetexcept() == 0;
#else
    return false;
#endif
}

struct environment
environment_of_numbers(void)
{
    struct environment host = {.changed = !is_usual()};

    if (host.changed) {
        fegetenv(&host.numbers);
        fesetenv(FE_DFL_ENV);
    }
    return host;
}

struct environment
environment_of_all(void)
{
    struct environment host = environment_of_numbers();

    host.own_texts = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (host.own_texts)
        host.texts = uselocale(host.own_texts);
    return host;
}

void
environment_leave(struct environment *host)
{
    if (host->own_texts) {
        uselocale(host->texts);
        freelocale(host->own_texts);
    }
    if (host->changed)
        fesetenv(&host->numbers);
}
