/* bindings/cuda: what the stand-ins of NVIDIA's libraries return, where that is a size, a handle or a choice. */
#include "devices.h"

enum { RANKS = 8, FLOAT = 0, HALF = 2, INT8 = 3, COMPLEX = 4 };

static int64_t
taken(void)
{
    return h100.memory - device_free_bytes(0);
}

/* ---- cuBLAS and cuBLASLt ---- */

enum { BLAS_NOT_INITIALIZED = 1, BLAS_INVALID_VALUE = 7 };

int
cublasCreate_v2(void **handle);
int
cublasDestroy_v2(void *handle);
int
cublasSetMathMode(void *handle, int mode);
int
cublasGetMathMode(void *handle, int *mode);
int
cublasIsamax_v2(void *handle, int n, const void *x, int step, void *result);
int
cublasSgetrsBatched(void *handle, int op, int n, int columns, const void *a, int lda, const int *pivots, void *b,
                    int ldb, int *info, int count);
int
cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns, int64_t ld);
int
cublasLtMatrixLayoutGetAttribute(void *layout, int attribute, void *value, size_t bytes, size_t *written);
int
cublasLtMatrixLayoutDestroy(void *layout);
int
cublasLtMatmulDescCreate(void **product, int compute, int scale);
int
cublasLtMatmulDescDestroy(void *product);
int
cublasLtMatmulPreferenceCreate(void **preference);
int
cublasLtMatmulPreferenceDestroy(void *preference);
int
cublasLtMatmulAlgoGetHeuristic(void *handle, void *product, void *a, void *b, void *c, void *d, void *preference,
                               int wanted, void *results, int *count);

static void
a_setting_reads_back(void **state)
{
    void *handle;
    int mode = 0;

    (void)state;
    assert_int_equal(cublasCreate_v2(&handle), 0);
    assert_int_equal(cublasSetMathMode(handle, 3), 0);
    assert_int_equal(cublasGetMathMode(handle, &mode), 0);
    assert_int_equal(mode, 3);
    assert_int_equal(cublasDestroy_v2(handle), 0);
}

static void
a_dead_handle_is_refused(void **state)
{
    void *handle;
    int mode;

    (void)state;
    assert_int_equal(cublasCreate_v2(&handle), 0);
    assert_int_equal(cublasGetMathMode(handle, NULL), BLAS_INVALID_VALUE);
    cublasDestroy_v2(handle);
    assert_int_equal(cublasGetMathMode(handle, &mode), BLAS_NOT_INITIALIZED);
    assert_int_equal(cublasGetMathMode(NULL, &mode), BLAS_NOT_INITIALIZED);
    assert_int_equal(cublasDestroy_v2(handle), BLAS_NOT_INITIALIZED);
    assert_int_equal(cublasCreate_v2(NULL), BLAS_INVALID_VALUE);
}

static void
results_on_the_host_are_set(void **state)
{
    void *handle;
    int index = -7, info = -7;

    (void)state;
    cublasCreate_v2(&handle);
    assert_int_equal(cublasIsamax_v2(handle, 5, &index, 1, &index), 0);
    assert_int_equal(index, 1); /* cuBLAS counts from 1 */
    assert_int_equal(cublasSgetrsBatched(handle, 0, 2, 1, NULL, 2, NULL, NULL, 2, &info, 1), 0);
    assert_int_equal(info, 0);
    cublasDestroy_v2(handle);
}

static void
a_layout_says_what_it_was_made_with(void **state)
{
    enum { ROWS = 2, BATCHES = 5 };
    void *layout;
    uint64_t rows = 0;
    int32_t batches = 0;
    size_t written = 0;

    (void)state;
    assert_int_equal(cublasLtMatrixLayoutCreate(&layout, HALF, 640, 32, 640), 0);
    assert_int_equal(cublasLtMatrixLayoutGetAttribute(layout, ROWS, &rows, sizeof rows, &written), 0);
    assert_int_equal(rows, 640);
    assert_int_equal(written, sizeof rows);
    assert_int_equal(cublasLtMatrixLayoutGetAttribute(layout, BATCHES, &batches, sizeof batches, NULL), 0);
    assert_int_equal(batches, 1);
    assert_int_equal(cublasLtMatrixLayoutDestroy(layout), 0);
    assert_int_equal(cublasLtMatrixLayoutDestroy(layout), BLAS_INVALID_VALUE);
}

static void
a_product_has_one_algorithm_without_workspace(void **state)
{
    struct {
        uint64_t algorithm[8];
        size_t workspace;
        int status;
        float waves;
        int reserved[4];
    } result = {.workspace = 1};
    void *handle, *product, *layout, *preference;
    int count = 0;

    (void)state;
    cublasCreate_v2(&handle);
    cublasLtMatmulDescCreate(&product, 68, FLOAT);
    cublasLtMatrixLayoutCreate(&layout, HALF, 8, 8, 8);
    cublasLtMatmulPreferenceCreate(&preference);
    assert_int_equal(
        cublasLtMatmulAlgoGetHeuristic(handle, product, layout, layout, layout, layout, preference, 1, &result, &count),
        0);
    assert_int_equal(count, 1);
    assert_int_equal(result.workspace, 0);
    assert_int_equal(result.status, 0);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(product);
    cublasDestroy_v2(handle);
}

/* ---- cuFFT ---- */

int
cufftCreate(int *plan);
int
cufftDestroy(int plan);
int
cufftSetAutoAllocation(int plan, int automatic);
int
cufftMakePlan1d(int plan, int n, int type, int batch, size_t *work);
int
cufftXtMakePlanMany(int plan, int rank, long long *n, long long *input, long long input_step, long long input_distance,
                    int input_type, long long *output, long long output_step, long long output_distance,
                    int output_type, long long batch, size_t *work, int execution_type);

enum { C2C = 0x29 };

static void
a_plan_works_in_the_bytes_of_its_values(void **state)
{
    size_t work = 0;
    int plan;

    (void)state;
    assert_int_equal(cufftCreate(&plan), 0);
    cufftSetAutoAllocation(plan, 0);
    assert_int_equal(cufftMakePlan1d(plan, 1024, C2C, 4, &work), 0);
    assert_int_equal(work, 1024 * 4 * 8); /* complex values of 8 bytes */
    assert_int_equal(cufftMakePlan1d(plan, 1021, C2C, 1, &work), 0);
    assert_int_equal(work, 1021 * 8 * 8); /* 1021 is prime: eight times as much */
    assert_int_equal(taken(), 0);
    assert_int_equal(cufftDestroy(plan), 0);
}

/* CuPy's page on its cache of plans: 4 transforms of 64 x 64 double complex values, memory usage 262144. */
static void
a_plan_works_in_what_cupy_shows(void **state)
{
    enum { DOUBLE_COMPLEX = 5 };
    long long n[] = {64, 64};
    size_t work = 0;
    int plan;

    (void)state;
    cufftCreate(&plan);
    cufftSetAutoAllocation(plan, 0);
    assert_int_equal(cufftXtMakePlanMany(plan, 2, n, NULL, 1, 1, DOUBLE_COMPLEX, NULL, 1, 1, DOUBLE_COMPLEX, 4, &work,
                                         DOUBLE_COMPLEX),
                     0);
    assert_int_equal(work, 262144);
    cufftDestroy(plan);
}

static void
a_plan_of_real_values_works_in_half_of_them(void **state)
{
    long long n[] = {16, 64};
    size_t work = 0;
    int plan;

    (void)state;
    cufftCreate(&plan);
    cufftSetAutoAllocation(plan, 0);
    assert_int_equal(cufftXtMakePlanMany(plan, 2, n, NULL, 1, 1, FLOAT, NULL, 1, 1, COMPLEX, 3, &work, COMPLEX), 0);
    assert_int_equal(work, 16 * 33 * 3 * 8); /* 64 / 2 + 1 complex values in each row */
    cufftDestroy(plan);
}

static void
a_plan_holds_its_own_work_area(void **state)
{
    size_t work;
    int plan;

    (void)state;
    cufftCreate(&plan);
    assert_int_equal(cufftMakePlan1d(plan, 1 << 20, C2C, 1, &work), 0);
    assert_int_equal(taken(), 8 * MIB);
    cufftDestroy(plan);
    assert_int_equal(taken(), 0);
}

/* ---- cuSPARSE and cuSPARSELt ---- */

int
cusparseCreate(void **handle);
int
cusparseDestroy(void *handle);
int
cusparseCreateCsr(void **matrix, int64_t rows, int64_t columns, int64_t count, void *offsets, void *numbers,
                  void *values, int offset_type, int number_type, int base, int type);
int
cusparseDestroySpMat(void *matrix);
int
cusparseSpMatGetSize(void *matrix, int64_t *rows, int64_t *columns, int64_t *count);
int
cusparseSpMV_bufferSize(void *handle, int op, const void *alpha, void *a, void *x, const void *beta, void *y, int type,
                        int algorithm, size_t *size);
int
cusparseXcsrgeam2Nnz(void *handle, int m, int n, void *a, int a_count, const int *a_offsets, const int *a_columns,
                     void *b, int b_count, const int *b_offsets, const int *b_columns, void *c, int *c_offsets,
                     int *count, void *work);
int
cusparseLtInit(void *handle);
int
cusparseLtStructuredDescriptorInit(const void *handle, void *matrix, int64_t rows, int64_t columns, int64_t ld,
                                   uint32_t alignment, int type, int order, int sparsity);
int
cusparseLtSpMMACompressedSize2(const void *handle, const void *matrix, size_t *compressed, size_t *work);

static void
a_sparse_matrix_says_its_size(void **state)
{
    void *matrix;
    int64_t rows, columns, count;

    (void)state;
    assert_int_equal(cusparseCreateCsr(&matrix, 30, 40, 50, NULL, NULL, NULL, 2, 2, 0, FLOAT), 0);
    assert_int_equal(cusparseSpMatGetSize(matrix, &rows, &columns, &count), 0);
    assert_int_equal(rows, 30);
    assert_int_equal(columns, 40);
    assert_int_equal(count, 50);
    assert_int_equal(cusparseDestroySpMat(matrix), 0);
    assert_int_not_equal(cusparseSpMatGetSize(matrix, &rows, &columns, &count), 0);
}

static void
a_sum_of_sparse_matrices_has_at_most_all_places(void **state)
{
    void *handle;
    int count = 0;

    (void)state;
    cusparseCreate(&handle);
    assert_int_equal(
        cusparseXcsrgeam2Nnz(handle, 10, 10, NULL, 20, NULL, NULL, NULL, 30, NULL, NULL, NULL, NULL, &count, NULL), 0);
    assert_int_equal(count, 50);
    cusparseXcsrgeam2Nnz(handle, 5, 5, NULL, 20, NULL, NULL, NULL, 20, NULL, NULL, NULL, NULL, &count, NULL);
    assert_int_equal(count, 25);
    cusparseDestroy(handle);
}

static void
a_buffer_has_a_size(void **state)
{
    void *handle, *matrix;
    size_t size = SIZE_MAX;

    (void)state;
    cusparseCreate(&handle);
    cusparseCreateCsr(&matrix, 30, 40, 50, NULL, NULL, NULL, 2, 2, 0, FLOAT);
    assert_int_equal(cusparseSpMV_bufferSize(handle, 0, NULL, matrix, NULL, NULL, NULL, FLOAT, 0, &size), 0);
    assert_int_equal(size, 31 * 4);
    assert_int_not_equal(cusparseSpMV_bufferSize(handle, 0, NULL, matrix, NULL, NULL, NULL, FLOAT, 0, NULL), 0);
    cusparseDestroySpMat(matrix);
    cusparseDestroy(handle);
}

/* PyTorch allocates 9/16 of the elements of 16 bits, 10/16 of those of 8: torch/sparse, semi-structured. */
static void
two_of_four_values_are_kept_with_their_places(void **state)
{
    static _Alignas(16) unsigned char handle[512], matrix[512];
    size_t compressed, work;

    (void)state;
    assert_int_equal(cusparseLtInit(handle), 0);
    assert_int_equal(cusparseLtStructuredDescriptorInit(handle, matrix, 128, 256, 256, 16, HALF, 1, 0), 0);
    assert_int_equal(cusparseLtSpMMACompressedSize2(handle, matrix, &compressed, &work), 0);
    assert_int_equal(compressed, 128 * 256 * 9 / 16 * 2);
    assert_int_equal(cusparseLtStructuredDescriptorInit(handle, matrix, 128, 256, 256, 16, INT8, 1, 0), 0);
    assert_int_equal(cusparseLtSpMMACompressedSize2(handle, matrix, &compressed, &work), 0);
    assert_int_equal(compressed, 128 * 256 * 10 / 16);
}

/* ---- what JAX asks the driver ---- */

int
cuPointerGetAttributes(unsigned count, const int *attributes, void **values, void *address);
int
cuLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int
cuDeviceGetPCIBusId(char *text, int length, int device);
int
cuMemAlloc_v2(void **address, size_t bytes);
int
cuMemFree_v2(void *address);

static void
note_call(void *data)
{
    ++*(int *)data;
}

/* The interface's page: of an address that is none of CUDA's each value is 0, the number of the device -2. */
static void
attributes_of_any_address_are_given_at_once(void **state)
{
    enum { MEMORY_TYPE = 2, ORDINAL = 9, OF_DEVICE = 2 };
    int attributes[] = {MEMORY_TYPE, ORDINAL}, type = -1, device = -1, on_host = 0;
    void *values[] = {&type, &device}, *address = NULL;

    (void)state;
    assert_int_equal(cuMemAlloc_v2(&address, 100), 0);
    assert_int_equal(cuPointerGetAttributes(2, attributes, values, address), 0);
    assert_int_equal(type, OF_DEVICE);
    assert_int_equal(device, 0);
    cuMemFree_v2(address);
    assert_int_equal(cuPointerGetAttributes(2, attributes, values, &on_host), 0);
    assert_int_equal(type, 0);
    assert_int_equal(device, -2);
}

/* vLLM's own reduction asks so for what its graphs use. */
static void
an_address_knows_the_allocation_that_it_is_in(void **state)
{
    enum { RANGE_START = 11, RANGE_SIZE = 12 };
    const int attributes[] = {RANGE_START, RANGE_SIZE};
    void *address, *first = NULL;
    size_t bytes = 0;
    void *values[] = {&first, &bytes};

    (void)state;
    assert_int_equal(cuMemAlloc_v2(&address, 1000), 0);
    assert_int_equal(cuPointerGetAttributes(2, attributes, values, (char *)address + 300), 0);
    assert_ptr_equal(first, address);
    assert_int_equal(bytes, 1000);
    cuMemFree_v2(address);
}

static void
a_function_of_the_host_is_called_once(void **state)
{
    char text[16];
    int calls = 0;

    (void)state;
    assert_int_equal(cuLaunchHostFunc(NULL, note_call, &calls), 0);
    assert_int_equal(calls, 1);
    assert_int_equal(cuDeviceGetPCIBusId(text, sizeof text, 0), 0);
    assert_string_equal(text, "0000:01:00.0");
}

/* ---- NCCL ---- */

struct unique_id {
    char bytes[128];
};

int
ncclGetUniqueId(struct unique_id *id);
int
ncclCommInitRank(void **communicator, int size, struct unique_id id, int rank);
int
ncclCommDestroy(void *communicator);
int
ncclCommCount(const void *communicator, int *value);
int
ncclCommUserRank(const void *communicator, int *value);
int
ncclAllReduce(const void *from, void *to, size_t count, int type, int operation, void *communicator, void *stream);
int
ncclAllGather(const void *from, void *to, size_t count, int type, void *communicator, void *stream);
int
ncclBroadcast(const void *from, void *to, size_t count, int type, int root, void *communicator, void *stream);
int
ncclGroupStart(void);
int
ncclGroupEnd(void);
int
ncclSend(const void *from, size_t count, int type, int peer, void *communicator, void *stream);

enum { NCCL_INT32 = 2, NCCL_SUM = 0, NCCL_INVALID_ARGUMENT = 4 };

static void *
communicator(int size, int rank)
{
    struct unique_id id;
    void *made;

    assert_int_equal(ncclGetUniqueId(&id), 0);
    assert_int_equal(ncclCommInitRank(&made, size, id, rank), 0);
    return made;
}

static void
a_communicator_knows_its_size_and_rank(void **state)
{
    void *made = communicator(RANKS, 3);
    int value = 0;

    (void)state;
    assert_int_equal(ncclCommCount(made, &value), 0);
    assert_int_equal(value, RANKS);
    assert_int_equal(ncclCommUserRank(made, &value), 0);
    assert_int_equal(value, 3);
    assert_int_equal(ncclCommDestroy(made), 0);
    assert_int_equal(ncclCommCount(made, &value), NCCL_INVALID_ARGUMENT);
}

static void
other_ranks_are_taken_to_hold_the_same(void **state)
{
    void *made = communicator(RANKS, 0);
    int own = 5, sum = 0, all[RANKS] = {0};

    (void)state;
    assert_int_equal(ncclAllReduce(&own, &sum, 1, NCCL_INT32, NCCL_SUM, made, NULL), 0);
    assert_int_equal(sum, 5 * RANKS);
    assert_int_equal(ncclAllGather(&own, all, 1, NCCL_INT32, made, NULL), 0);
    assert_int_equal(all[RANKS - 1], 5);
    ncclCommDestroy(made);
}

/* As PyTorch gathers parts of different sizes: by one broadcast from each rank. */
static void
a_group_of_broadcasts_brings_what_this_rank_has(void **state)
{
    void *made = communicator(3, 1);
    int own = 5, all[3] = {0};

    (void)state;
    ncclGroupStart();
    for (int root = 0; root < 3; root++)
        assert_int_equal(ncclBroadcast(root == 1 ? &own : &all[root], &all[root], 1, NCCL_INT32, root, made, NULL), 0);
    assert_int_equal(ncclGroupEnd(), 0);
    assert_int_equal(all[0], 5);
    assert_int_equal(all[1], 5);
    assert_int_equal(all[2], 5);
    ncclCommDestroy(made);
}

static void
a_small_broadcast_reaches_the_rank_that_joined(void **state)
{
    struct unique_id id;
    void *first, *second;
    int value = 7, other = 0;

    (void)state;
    ncclGetUniqueId(&id);
    assert_int_equal(ncclCommInitRank(&first, 2, id, 0), 0);
    assert_int_equal(ncclCommInitRank(&second, 2, id, 1), 0);
    assert_int_equal(ncclBroadcast(&value, &value, 1, NCCL_INT32, 0, first, NULL), 0);
    assert_int_equal(ncclBroadcast(NULL, &other, 1, NCCL_INT32, 0, second, NULL), 0);
    assert_int_equal(other, 7);
    ncclCommDestroy(first);
    ncclCommDestroy(second);
}

/* github.com/NVIDIA/nccl/issues/1685: 32 channels of 14 MiB with a peer; 24 with a neighbour in a ring. */
static void
connections_take_memory_until_the_end(void **state)
{
    void *made = communicator(RANKS, 0);
    int64_t before = taken();
    int value = 0, all[RANKS];

    (void)state;
    ncclAllGather(&value, all, 1, NCCL_INT32, made, NULL);
    assert_int_equal(taken() - before, 24 * 14 * MIB);
    ncclAllGather(&value, all, 1, NCCL_INT32, made, NULL);
    assert_int_equal(taken() - before, 24 * 14 * MIB);
    ncclSend(&value, 1, NCCL_INT32, 5, made, NULL);
    assert_int_equal(taken() - before, (24 + 32) * 14 * MIB);
    ncclCommDestroy(made);
    assert_int_equal(taken(), 0);
}

static void
one_rank_alone_takes_nothing(void **state)
{
    void *made = communicator(1, 0);
    int value = 7, sum = 0;

    (void)state;
    assert_int_equal(ncclAllReduce(&value, &sum, 1, NCCL_INT32, NCCL_SUM, made, NULL), 0);
    assert_int_equal(sum, 7);
    assert_int_equal(taken(), 0);
    ncclCommDestroy(made);
}

/* ---- the driver ---- */

enum { DRIVER_INVALID = 1, ON_DEVICE = 1, DESCRIPTOR = 1 };

int
cuMemCreate(void **handle, size_t bytes, const void *allocation, unsigned long long flags);
int
cuMemRelease(void *handle);
int
cuMemExportToShareableHandle(void *out, void *handle, int type, unsigned long long flags);
int
cuMemImportFromShareableHandle(void **handle, void *shared, int type);
int
cuLibraryLoadFromFile(void **library, const char *path);
int
cuLibraryGetKernelCount(unsigned *count, void *library);
int
cuLibraryEnumerateKernels(void **kernels, unsigned count, void *library);

static void
memory_handed_on_is_taken_once(void **state)
{
    const int allocation[] = {1, DESCRIPTOR, ON_DEVICE, 0};
    void *made, *got;
    int file = -1;

    (void)state;
    assert_int_equal(cuMemCreate(&made, (size_t)(64 * MIB), allocation, 0), 0);
    assert_int_equal(cuMemExportToShareableHandle(&file, made, DESCRIPTOR, 0), 0);
    assert_int_equal(cuMemImportFromShareableHandle(&got, (void *)(intptr_t)file, DESCRIPTOR), 0);
    assert_int_equal(taken(), 64 * MIB);
    assert_int_equal(cuMemRelease(got), 0);
    assert_int_equal(taken(), 64 * MIB);
    assert_int_equal(cuMemRelease(made), 0);
    assert_int_equal(taken(), 0);
    assert_int_equal(cuMemExportToShareableHandle(&file, made, DESCRIPTOR, 0), DRIVER_INVALID);
    assert_int_equal(cuMemImportFromShareableHandle(&got, (void *)(intptr_t)-1, DESCRIPTOR), DRIVER_INVALID);
}

static void
a_library_from_a_file_has_one_kernel(void **state)
{
    void *library, *kernel = NULL;
    unsigned count = 0;

    (void)state;
    assert_int_equal(cuLibraryLoadFromFile(&library, "kernel.cubin"), 0);
    assert_int_equal(cuLibraryGetKernelCount(&count, library), 0);
    assert_int_equal(count, 1);
    assert_int_equal(cuLibraryEnumerateKernels(&kernel, 1, library), 0);
    assert_non_null(kernel);
    assert_int_equal(cuLibraryGetKernelCount(&count, NULL), DRIVER_INVALID);
}

/* ---- functions on the default stream of each thread ---- */

int
cudaMemcpy_ptds(void *to, const void *from, size_t bytes, int kind);
int
memmodel_cuda_generic(void *first, void *record, const char *library);

static void
a_default_stream_of_each_thread_is_answered(void **state)
{
    enum { TO_DEVICE = 1, TO_HOST = 2, NOT_SUPPORTED = 801 };
    struct {
        int32_t state, status;
        char name[32];
    } fills = {.name = "cudaMemset2DAsync_ptsz"}, nobody = {.name = "cudaNobody_ptsz"};
    int sent = 7, got = 0;
    void *memory = memory_allocate(0, sizeof sent, NULL);

    (void)state;
    assert_int_equal(cudaMemcpy_ptds(memory, &sent, sizeof sent, TO_DEVICE), 0);
    assert_int_equal(cudaMemcpy_ptds(&got, memory, sizeof got, TO_HOST), 0);
    assert_int_equal(got, sent);
    assert_int_equal(memmodel_cuda_generic(NULL, &fills, "libcudart.so.13"), 0);
    assert_int_equal(memmodel_cuda_generic(NULL, &nobody, "libcudart.so.13"), NOT_SUPPORTED);
    assert_true(memory_release(memory));
}

/* ---- contents ---- */

int
cudaMemset(void *memory, int value, size_t bytes);

/* From the middle of one page to the middle of another: those between are given back, their neighbours stay. */
static void
zeros_leave_what_lies_beside_them(void **state)
{
    enum { BYTES = 1 << 18, START = 5000, LENGTH = 100000, VALUE = 7 };
    unsigned char *memory = memory_allocate(0, BYTES, NULL);

    (void)state;
    assert_non_null(memory);
    assert_int_equal(cudaMemset(memory, VALUE, BYTES), 0);
    assert_int_equal(cudaMemset(memory + START, 0, LENGTH), 0);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(memory[i], i >= START && i < START + LENGTH ? 0 : VALUE);
    assert_true(memory_release(memory));
}

/* ---- devices that are not there ---- */

int
cudaGetDeviceProperties_v2(void *properties, int device);

static void
a_device_beyond_the_last_has_no_properties(void **state)
{
    enum { INVALID_DEVICE = 101, BYTES = 2048 };
    char properties[BYTES];

    (void)state;
    assert_int_equal(cudaGetDeviceProperties_v2(properties, 1), 0);
    assert_int_equal(cudaGetDeviceProperties_v2(properties, 1 << 28), INVALID_DEVICE);
    assert_int_equal(cudaGetDeviceProperties_v2(properties, -(1 << 28)), INVALID_DEVICE);
}

/* ---- what the hook in Python follows ---- */

unsigned char *
memmodel_cuda_marks(uintptr_t *from, size_t *places);
void
_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE(void *address, int64_t bytes, size_t allocated, size_t reserved,
                                                      uint16_t device);

static void
a_mark_is_cleared_when_its_place_is_handed_out(void **state)
{
    enum { BYTES = 1 << 20, BLOCK = 4096 };
    uintptr_t from;
    size_t places, place;
    char *memory = memory_allocate(0, BYTES, NULL);
    unsigned char *marks = memmodel_cuda_marks(&from, &places);

    (void)state;
    assert_non_null(memory);
    assert_non_null(marks);
    place = ((uintptr_t)memory + BLOCK - from) / MEMORY_ALIGNMENT;
    assert_true(place < places);
    marks[place] = marks[place + 1] = 1;
    _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE(memory + BLOCK, BLOCK, BLOCK, BYTES, 0);
    assert_int_equal(marks[place], 0);
    assert_int_equal(marks[place + 1], 1);
    assert_true(memory_release(memory));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_reads_back),
        cmocka_unit_test(a_dead_handle_is_refused),
        cmocka_unit_test(results_on_the_host_are_set),
        cmocka_unit_test(a_layout_says_what_it_was_made_with),
        cmocka_unit_test(a_product_has_one_algorithm_without_workspace),
        cmocka_unit_test(a_plan_works_in_the_bytes_of_its_values),
        cmocka_unit_test(a_plan_works_in_what_cupy_shows),
        cmocka_unit_test(a_plan_of_real_values_works_in_half_of_them),
        cmocka_unit_test(a_plan_holds_its_own_work_area),
        cmocka_unit_test(a_sparse_matrix_says_its_size),
        cmocka_unit_test(a_sum_of_sparse_matrices_has_at_most_all_places),
        cmocka_unit_test(a_buffer_has_a_size),
        cmocka_unit_test(two_of_four_values_are_kept_with_their_places),
        cmocka_unit_test(attributes_of_any_address_are_given_at_once),
        cmocka_unit_test(an_address_knows_the_allocation_that_it_is_in),
        cmocka_unit_test(a_function_of_the_host_is_called_once),
        cmocka_unit_test(a_communicator_knows_its_size_and_rank),
        cmocka_unit_test(other_ranks_are_taken_to_hold_the_same),
        cmocka_unit_test(a_group_of_broadcasts_brings_what_this_rank_has),
        cmocka_unit_test(a_small_broadcast_reaches_the_rank_that_joined),
        cmocka_unit_test(connections_take_memory_until_the_end),
        cmocka_unit_test(one_rank_alone_takes_nothing),
        cmocka_unit_test(memory_handed_on_is_taken_once),
        cmocka_unit_test(a_library_from_a_file_has_one_kernel),
        cmocka_unit_test(a_default_stream_of_each_thread_is_answered),
        cmocka_unit_test(zeros_leave_what_lies_beside_them),
        cmocka_unit_test(a_device_beyond_the_last_has_no_properties),
        cmocka_unit_test(a_mark_is_cleared_when_its_place_is_handed_out),
    };

    return cmocka_run_group_tests_name("libraries", tests, make_devices, NULL);
}
