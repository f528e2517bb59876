/* Types of values by cudaDataType. */
#include "value_type.h"

/* R real, C complex; F floating point, BF bfloat16, I and U integers. */
static const unsigned char bits[] = {
    [0] = 32,  [1] = 64,   [2] = 16,  [4] = 64,   [5] = 128, [6] = 32, /* R_32F, R_64F, R_16F and complex */
    [3] = 8,   [7] = 16,   [8] = 8,   [9] = 16,                        /* R_8I, C_8I, R_8U, C_8U */
    [10] = 32, [11] = 64,  [12] = 32, [13] = 64,                       /* R_32I, C_32I, R_32U, C_32U */
    [14] = 16, [15] = 32,                                              /* R_16BF, C_16BF */
    [16] = 4,  [17] = 8,   [18] = 4,  [19] = 8,                        /* R_4I, C_4I, R_4U, C_4U */
    [20] = 16, [21] = 32,  [22] = 16, [23] = 32,                       /* R_16I, C_16I, R_16U, C_16U */
    [24] = 64, [25] = 128, [26] = 64, [27] = 128,                      /* R_64I, C_64I, R_64U, C_64U */
    [28] = 8,  [29] = 8,   [30] = 8,  [31] = 6,   [32] = 6,  [33] = 4, /* R_8F_E4M3 to R_4F_E2M1 */
};

int
value_type_bits(int type)
{
    return type >= 0 && (size_t)type < sizeof bits ? bits[type] : 0;
}

size_t
value_type_bytes(int type)
{
    return (size_t)(value_type_bits(type) + 7) / 8;
}
