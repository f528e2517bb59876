/* What the public headers use of <stdint.h>: in place of a system's own, so that every machine generates the same. */
#ifndef GENERATE_STDINT_H
#define GENERATE_STDINT_H

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

#define INT64_MAX __INT64_MAX__
#define INT64_MIN (-INT64_MAX - 1)

#endif
