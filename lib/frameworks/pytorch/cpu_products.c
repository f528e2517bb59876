/*
 * What matrix products take on a CPU: nothing, but where oneDNN computes in bfloat16. PyTorch:
 * aten/src/ATen/native/mkldnn/Matmul.cpp, CPUBlas.cpp, LinearAlgebra.cpp.
 */
#include "base/checked.h"
#include "frameworks/onednn/matmul.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operands.h"
#include "frameworks/pytorch/tensor.h"

/* use_mkldnn_bf16_matmul, checksize */
static bool
suits_onednn(const struct step *step, int dtype, int64_t multiplications)
{
    enum { MKLDNN_GEMM_MIN_SIZE = 16 * 16 * 16 };

    return dtype == MEMMODEL_DTYPE_BFLOAT16 && step->machine.isa == CPU_ISA_AVX512 &&
           multiplications > MKLDNN_GEMM_MIN_SIZE;
}

static bool
runs_on_onednn(const struct step *step, const struct matrix_product *product)
{
    return product->kind != PRODUCT_UNSUMMED &&
           suits_onednn(step, product->result->shape.dtype,
                        multiply_saturating(value_elements(product->result), product->summed));
}

static bool
is_blas(const struct matrix_product *product)
{
    return product->kind == PRODUCT || product->kind == PRODUCT_WITH_BIAS;
}

/* Rows or columns lie one behind the other: is_mkldnn_optimized_format. */
static bool
is_plain(const struct value *x)
{
    int64_t rows, columns;

    if (value_is_contiguous(x))
        return true;
    if (x->shape.rank < 2)
        return false;
    rows = x->shape.dims[x->shape.rank - 2];
    columns = x->shape.dims[x->shape.rank - 1];
    return x->strides[x->shape.rank - 2] == 1 && x->strides[x->shape.rank - 1] == rows &&
           (x->shape.rank == 2 || x->strides[0] == rows * columns);
}

/*
 * BLAS reads a matrix by its strides, and PyTorch hands it a result of one column as a row: the operands change places. In
 * a batch, or beside a vector, what is contiguous has the strides of row-major order.
 */
static struct matmul
matmul_of(const struct step *step, const struct matrix_product *product)
{
    const struct value *first = product->first;
    int rank = first->shape.rank;
    bool blas = is_blas(product);
    int64_t rows = rank < 2 ? 1 : first->shape.dims[rank - 2];
    int64_t columns = product->kind == PRODUCT_OF_VECTOR ? 1 : product->second->shape.dims[rank - 1];
    struct matmul matmul = {.batch = rank == 3 ? first->shape.dims[0] : 1,
                            .rows = blas && columns == 1 ? 1 : rows,
                            .columns = blas && columns == 1 ? rows : columns,
                            .summed = product->summed,
                            .threads = step->machine.threads};

    if (matmul.rows == 1)
        matmul.column_major = true;
    else if (blas)
        matmul.column_major = first->strides[0] == 1 && first->strides[1] != 1;
    else
        matmul.column_major = is_plain(first) && !value_is_contiguous(first);
    return matmul;
}

static bool
is_same(const struct matmul *a, const struct matmul *b)
{
    return a->batch == b->batch && a->rows == b->rows && a->columns == b->columns && a->summed == b->summed &&
           a->column_major == b->column_major && a->threads == b->threads;
}

/* Layers repeat each other, and steps: what was found is kept, of two that fall on one place the later. */
static void
take_scratchpad(struct step *step, const struct matmul *matmul)
{
    const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (uint64_t)matmul->rows * prime + (uint64_t)matmul->columns;
    struct matmul_recalled *recalled;

    hash = (hash * prime + (uint64_t)matmul->summed) * prime + (uint64_t)matmul->batch * 2 + matmul->column_major;
    recalled = &step->products[(hash ^ hash >> 32) * prime >> 32 & (PRODUCT_SLOTS - 1)];
    if (recalled->bytes == 0 || !is_same(&recalled->matmul, matmul))
        *recalled = (struct matmul_recalled){*matmul, matmul_scratchpad(matmul)};
    value_drop(step, value_buffer(step, recalled->bytes));
}

static void
onednn_product(struct step *step, const struct matrix_product *product)
{
    bool blas = is_blas(product);
    struct value *first = blas || is_plain(product->first) ? NULL : value_copy(step, product->first);
    struct value *second = blas || is_plain(product->second) ? NULL : value_copy(step, product->second);
    struct matmul matmul = matmul_of(step, product);

    take_scratchpad(step, &matmul);
    value_drop(step, second);
    value_drop(step, first);
}

/* The scratchpads of products with AMX are not listed: those with AVX-512, of the same kind, stand for them. */
void
cpu_product(struct step *step, const struct matrix_product *product)
{
    if (step->status || !runs_on_onednn(step, product))
        return;
    if (step->machine.tiles || product->kind == PRODUCT_OF_GROUPS)
        step_unmodelled(step, "product of bfloat16", product->result->storage->bytes);
    if (product->kind != PRODUCT_OF_GROUPS)
        onednn_product(step, product);
}

bool
cpu_runs_tile_on_onednn(const struct step *step, int dtype, const int64_t sizes[3])
{
    int64_t multiplications = multiply_saturating(multiply_saturating(sizes[0], sizes[1]), sizes[2]);

    return !step->status && !step->machine.tiles && suits_onednn(step, dtype, multiplications);
}

void
cpu_tile_product(struct step *step, int dtype, const int64_t sizes[3], bool column_major)
{
    struct matmul matmul = {.batch = 1,
                            .rows = sizes[0],
                            .summed = sizes[1],
                            .columns = sizes[2],
                            .column_major = column_major || sizes[0] == 1,
                            .threads = step->machine.threads};

    if (cpu_runs_tile_on_onednn(step, dtype, sizes))
        take_scratchpad(step, &matmul);
}
