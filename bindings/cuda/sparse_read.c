/* cuSPARSE: what the descriptions of matrices and vectors say. */
#include "sparse.h"

/* A function that reads one field of an object of that sort. */
#define GET(name, object_sort, value_type, field)                                                                      \
    ANSWER(int, cusparse##name, void *object, value_type *value)                                                       \
    {                                                                                                                  \
        const struct sparse *found = sparse_of(object, object_sort);                                                   \
                                                                                                                       \
        if (!found || !value)                                                                                          \
            return SPARSE_INVALID_VALUE;                                                                               \
        *value = found->field;                                                                                         \
        return SPARSE_SUCCESS;                                                                                         \
    }

#define SET_VALUES(name, object_sort)                                                                                  \
    ANSWER(int, cusparse##name##SetValues, void *object, void *values)                                                 \
    {                                                                                                                  \
        struct sparse *found = sparse_of(object, object_sort);                                                         \
                                                                                                                       \
        if (!found)                                                                                                    \
            return SPARSE_INVALID_VALUE;                                                                               \
        found->values = values;                                                                                        \
        return SPARSE_SUCCESS;                                                                                         \
    }

GET(SpMatGetValues, SPARSE_MATRIX, void *, values)
GET(ConstSpMatGetValues, SPARSE_MATRIX, void *, values)
GET(SpVecGetValues, SPARSE_VECTOR, void *, values)
GET(ConstSpVecGetValues, SPARSE_VECTOR, void *, values)
GET(DnVecGetValues, SPARSE_DENSE_VECTOR, void *, values)
GET(ConstDnVecGetValues, SPARSE_DENSE_VECTOR, void *, values)
GET(DnMatGetValues, SPARSE_DENSE, void *, values)
GET(ConstDnMatGetValues, SPARSE_DENSE, void *, values)
SET_VALUES(SpMat, SPARSE_MATRIX)
SET_VALUES(SpVec, SPARSE_VECTOR)
SET_VALUES(DnVec, SPARSE_DENSE_VECTOR)
SET_VALUES(DnMat, SPARSE_DENSE)

ANSWER(int, cusparseSpMatGetSize, void *matrix, int64_t *rows, int64_t *columns, int64_t *count)
{
    const struct sparse *found = sparse_of(matrix, SPARSE_MATRIX);

    if (!found || !rows || !columns || !count)
        return SPARSE_INVALID_VALUE;
    *rows = found->rows;
    *columns = found->columns;
    *count = found->count;
    return SPARSE_SUCCESS;
}

GET(SpMatGetFormat, SPARSE_MATRIX, int, format)
GET(SpMatGetIndexBase, SPARSE_MATRIX, int, base)
GET(SpMatGetStridedBatch, SPARSE_MATRIX, int, batches)
GET(SpVecGetIndexBase, SPARSE_VECTOR, int, base)

#define GET_OFFSETS(name)                                                                                              \
    ANSWER(int, cusparse##name##Get, void *matrix, int64_t *rows, int64_t *columns, int64_t *count, void **offsets,    \
           void **numbers, void **values, int *offset_type, int *number_type, int *base, int *type)                    \
    {                                                                                                                  \
        const struct sparse *found = sparse_of(matrix, SPARSE_MATRIX);                                                 \
                                                                                                                       \
        if (!found || !rows || !columns || !count || !offsets || !numbers || !values || !offset_type ||                \
            !number_type || !base || !type)                                                                            \
            return SPARSE_INVALID_VALUE;                                                                               \
        *rows = found->rows;                                                                                           \
        *columns = found->columns;                                                                                     \
        *count = found->count;                                                                                         \
        *offsets = found->first;                                                                                       \
        *numbers = found->second;                                                                                      \
        *values = found->values;                                                                                       \
        *offset_type = found->first_type;                                                                              \
        *number_type = found->second_type;                                                                             \
        *base = found->base;                                                                                           \
        *type = found->type;                                                                                           \
        return SPARSE_SUCCESS;                                                                                         \
    }

GET_OFFSETS(Csr)
GET_OFFSETS(ConstCsr)
GET_OFFSETS(Csc)
GET_OFFSETS(ConstCsc)

#define GET_COORDINATES(name)                                                                                          \
    ANSWER(int, cusparse##name##Get, void *matrix, int64_t *rows, int64_t *columns, int64_t *count,                    \
           void **row_numbers, void **column_numbers, void **values, int *number_type, int *base, int *type)           \
    {                                                                                                                  \
        const struct sparse *found = sparse_of(matrix, SPARSE_MATRIX);                                                 \
                                                                                                                       \
        if (!found || !rows || !columns || !count || !row_numbers || !column_numbers || !values || !number_type ||     \
            !base || !type)                                                                                            \
            return SPARSE_INVALID_VALUE;                                                                               \
        *rows = found->rows;                                                                                           \
        *columns = found->columns;                                                                                     \
        *count = found->count;                                                                                         \
        *row_numbers = found->first;                                                                                   \
        *column_numbers = found->second;                                                                               \
        *values = found->values;                                                                                       \
        *number_type = found->first_type;                                                                              \
        *base = found->base;                                                                                           \
        *type = found->type;                                                                                           \
        return SPARSE_SUCCESS;                                                                                         \
    }

GET_COORDINATES(Coo)
GET_COORDINATES(ConstCoo)

#define GET_DENSE_MATRIX(name)                                                                                         \
    ANSWER(int, cusparse##name##Get, void *matrix, int64_t *rows, int64_t *columns, int64_t *ld, void **values,        \
           int *type, int *order)                                                                                      \
    {                                                                                                                  \
        const struct sparse *found = sparse_of(matrix, SPARSE_DENSE);                                                  \
                                                                                                                       \
        if (!found || !rows || !columns || !ld || !values || !type || !order)                                          \
            return SPARSE_INVALID_VALUE;                                                                               \
        *rows = found->rows;                                                                                           \
        *columns = found->columns;                                                                                     \
        *ld = found->count;                                                                                            \
        *values = found->values;                                                                                       \
        *type = found->type;                                                                                           \
        *order = found->order;                                                                                         \
        return SPARSE_SUCCESS;                                                                                         \
    }

GET_DENSE_MATRIX(DnMat)
GET_DENSE_MATRIX(ConstDnMat)

#define GET_DENSE_VECTOR(name)                                                                                         \
    ANSWER(int, cusparse##name##Get, void *vector, int64_t *size, void **values, int *type)                            \
    {                                                                                                                  \
        const struct sparse *found = sparse_of(vector, SPARSE_DENSE_VECTOR);                                           \
                                                                                                                       \
        if (!found || !size || !values || !type)                                                                       \
            return SPARSE_INVALID_VALUE;                                                                               \
        *size = found->rows;                                                                                           \
        *values = found->values;                                                                                       \
        *type = found->type;                                                                                           \
        return SPARSE_SUCCESS;                                                                                         \
    }

GET_DENSE_VECTOR(DnVec)
GET_DENSE_VECTOR(ConstDnVec)

#define GET_SPARSE_VECTOR(name)                                                                                        \
    ANSWER(int, cusparse##name##Get, void *vector, int64_t *size, int64_t *count, void **numbers, void **values,       \
           int *number_type, int *base, int *type)                                                                     \
    {                                                                                                                  \
        const struct sparse *found = sparse_of(vector, SPARSE_VECTOR);                                                 \
                                                                                                                       \
        if (!found || !size || !count || !numbers || !values || !number_type || !base || !type)                        \
            return SPARSE_INVALID_VALUE;                                                                               \
        *size = found->rows;                                                                                           \
        *count = found->count;                                                                                         \
        *numbers = found->first;                                                                                       \
        *values = found->values;                                                                                       \
        *number_type = found->first_type;                                                                              \
        *base = found->base;                                                                                           \
        *type = found->type;                                                                                           \
        return SPARSE_SUCCESS;                                                                                         \
    }

GET_SPARSE_VECTOR(SpVec)
GET_SPARSE_VECTOR(ConstSpVec)
