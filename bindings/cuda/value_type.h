/* Types of values by cudaDataType, which NVIDIA's mathematical libraries share: CUDA, library_types.h. */
#ifndef CUDA_VALUE_TYPE_H
#define CUDA_VALUE_TYPE_H

#include <stddef.h>

/* Bits of a value; 0 for types that are not known. */
int
value_type_bits(int type);

/* Bytes of a value; 0 for types that are not known. */
size_t
value_type_bytes(int type);

#endif
