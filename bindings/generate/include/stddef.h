/* What the public headers use of <stddef.h>: in place of a system's own, so that every machine generates the same. */
#ifndef GENERATE_STDDEF_H
#define GENERATE_STDDEF_H

typedef __SIZE_TYPE__ size_t;

#define NULL ((void *)0)

#endif
