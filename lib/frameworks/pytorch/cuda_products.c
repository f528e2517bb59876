/*
 * What matrix products work in on a GPU. PyTorch: aten/src/ATen/cuda/CublasHandlePool.cpp, CUDABlas.cpp,
 * native/cuda/Blas.cpp. Each thread has a handle of its own, so that the forward and the backward pass have two workspaces.
 */
#include "frameworks/framework.h"
#include "frameworks/pytorch/device.h"
#include "frameworks/pytorch/operators.h"

/* cublasLt, which adds a bias on the way: CUDABlas.cpp, _parseChosenWorkspaceSize */
enum { CUBLASLT_WORKSPACE = 1024 * 1024 };

enum workspace {
    OF_CALL,   /* allocated for each product */
    OF_HANDLE, /* when the handle is first used, and kept */
    SHARED     /* cublasLt works in that of cuBLAS */
};

/* By the first version that does so. What changed it: pull requests 194311, 175879, 156495. */
static const struct workspace_rule {
    int since;
    enum workspace cublas, cublaslt;
} workspace_rules[] = {
    {VERSION(2, 15), OF_CALL, OF_CALL},
    {VERSION(2, 12), OF_HANDLE, SHARED},
    {VERSION(2, 9), OF_HANDLE, OF_HANDLE},
    {0, OF_HANDLE, OF_CALL},
};

static const struct workspace_rule *
workspaces_of(const struct step *step)
{
    const struct workspace_rule *rule = workspace_rules;

    while (step->version < rule->since)
        rule++;
    return rule;
}

static void
keep(struct step *step, struct value **workspace, int64_t bytes)
{
    if (!*workspace)
        *workspace = value_buffer(step, bytes);
}

static void
keep_cublas(struct step *step)
{
    bool backward = step->trace->phase == MEMMODEL_PHASE_BACKWARD;

    keep(step, &step->cuda.workspaces[backward], step->cuda.workspace_bytes);
}

/* What is made for the call alone is there before the handle is. */
static void
product_with_bias(struct step *step, const struct workspace_rule *rule)
{
    bool backward = step->trace->phase == MEMMODEL_PHASE_BACKWARD;
    struct value *own = rule->cublaslt == OF_CALL ? value_buffer(step, CUBLASLT_WORKSPACE) : NULL;

    if (rule->cublas == OF_HANDLE)
        keep_cublas(step);
    if (rule->cublaslt == OF_HANDLE)
        keep(step, &step->cuda.lt_workspaces[backward], CUBLASLT_WORKSPACE);
    value_drop(step, own);
}

void
cuda_product(struct step *step, const struct matrix_product *product)
{
    const struct workspace_rule *rule = workspaces_of(step);

    if (product->kind == PRODUCT_WITH_BIAS)
        product_with_bias(step, rule);
    else if (rule->cublas == OF_HANDLE)
        keep_cublas(step);
    else
        value_drop(step, value_buffer(step, step->cuda.workspace_bytes));
}
