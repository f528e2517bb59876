/*
 * Functions of NVIDIA's mathematical libraries and of NCCL that only compute, or only set what cannot be seen here:
 * patterns of fnmatch(3). S, D, C and Z are the types of values that the libraries' names have.
 */
#ifndef CUDA_LAUNCHES_LIBRARIES_H
#define CUDA_LAUNCHES_LIBRARIES_H

#include <stddef.h>

static const char *const library_launches[] = {
    /* cuBLAS: products, solvers and updates of vectors and matrices; results stay on the device */
    "cublas?gemm*", "cublasGemm*Ex*", "cublasUint8gemmBias", "cublas*gemv*", "cublas[SDCZ]gbmv*",
    "cublas[SDCZ]ger*_v2*", "cublas[SDCZ]sy[mr]*", "cublas[CZ]he[mr]*", "cublas[SDCZ]s[bp][mr]*",
    "cublas[CZ]h[bp][mr]*", "cublas[SDCZ]tr[ms][mv]*", "cublas[SDCZ]t[bp][ms]v*", "cublas[SDCZ]axpy*", "cublasAxpyEx*",
    "cublas[SDCZ]copy*", "cublasCopyEx*", "cublas[SDCZ]swap*", "cublasSwapEx*", "cublas[SDCZ]scal*", "cublasCsscal*",
    "cublasZdscal*", "cublasScalEx*", "cublas[SDCZ]rot*", "cublasCsrot*", "cublasZdrot*", "cublasRot*Ex*",
    "cublas[SDCZ]dgmm*", "cublas[SDCZ]geam*", "cublas[SDCZ]tpttr*", "cublas[SDCZ]trttp*", "cublas[SDCZ]getrfBatched",
    "cublas[SDCZ]getriBatched", "cublas[SDCZ]matinvBatched", "cublasLtMatmul", "cublasLtMatrixTransform",
    /* cuFFT: transforms */
    "cufftExec[CRDZ]2[CRDZ]", "cufftXtExec",
    /* cuSPARSE: those whose results have a size that is known before */
    "cusparseSpMV", "cusparseSpMV_preprocess", "cusparseSpMM", "cusparseSpMM_preprocess", "cusparseSDDMM",
    "cusparseSDDMM_preprocess", "cusparseSpSV_*analysis", "cusparseSpSV_solve", "cusparseSpSV_updateMatrix",
    "cusparseSpSM_*analysis", "cusparseSpSM_solve", "cusparseSpSM_updateMatrix", "cusparseSpGEMM_copy",
    "cusparseSparseToDense", "cusparseDenseToSparse_convert", "cusparseAxpby", "cusparseGather", "cusparseScatter",
    "cusparseRot", "cusparseCreateIdentityPermutation", "cusparseXcoo2csr", "cusparseXcsr2coo", "cusparseXcoosortBy*",
    "cusparseXcsrsort", "cusparseXcscsort", "cusparseCsr2cscEx2", "cusparse[SDCZ]bsrm[mv]",
    "cusparse[SDCZ]bsrs[mv]2_solve", "cusparse[SDCZ]bsrs[mv]2_analysis", "cusparse[SDCZ]csrgeam2",
    "cusparse[SDCZ]csrilu02", "cusparse[SDCZ]csrilu02_analysis", "cusparse[SDCZ]csric02",
    "cusparse[SDCZ]csric02_analysis", "cusparse[SDCZ]gtsv2", "cusparse[SDCZ]gtsv2_nopivot",
    "cusparse[SDCZ]gtsv2StridedBatch", "cusparse[SDCZ]gemvi", "cusparse[SDCZ]gebsr2gebsc",
    /* cuSPARSELt */
    "cusparseLtMatmul", "cusparseLtMatmulSearch", "cusparseLtSpMMAPrune", "cusparseLtSpMMAPrune2",
    "cusparseLtSpMMACompress", "cusparseLtSpMMACompress2",
    /* cuSOLVER: factorisations and what follows them; their status stays on the device */
    "cusolverDn[SDCZX]potr[fsi]", "cusolverDn[SDCZ]potr[fs]Batched", "cusolverDn[SDCZX]getr[fs]",
    "cusolverDn[SDCZX]geqrf", "cusolverDn[SD]or[gm][qbt]r", "cusolverDn[CZ]un[gm][qbt]r", "cusolverDn[SDCZ]sytr[fi]",
    "cusolverDnXsytrs", "cusolverDn[SD]sytrd", "cusolverDn[CZ]hetrd", "cusolverDn[SDCZ]gebrd",
    "cusolverDn[SDCZX]gesvd", "cusolverDn[SDCZ]gesvdj", "cusolverDn[SDCZ]gesvdjBatched",
    "cusolverDn[SDCZ]gesvdaStridedBatched", "cusolverDn[SDX]syevd", "cusolverDn[CZ]heevd", "cusolverDn[SD]syevj",
    "cusolverDn[CZ]heevj", "cusolverDn[SD]syevjBatched", "cusolverDn[CZ]heevjBatched", "cusolverDn[SDX]sygvd",
    "cusolverDn[CZ]hegvd", "cusolverDn[SD]sygvj", "cusolverDn[CZ]hegvj", "cusolverDnXsyevBatched", "cusolverDnXgeev",
    "cusolverDnXgesvdr", "cusolverDnXtrtri", "cusolverDnXlarft", "cusolverDnXstedc", "cusolverDnXpolar",
    "cusolverDn[SDCZ]lauum", "cusolverDn[SDCZ]laswp",
    /* NCCL: what moves data without a place that the caller reads */
    "ncclPutSignal", "ncclSignal", "ncclWaitSignal", NULL,
};

static const char *const library_settings[] = {
    "cublasLoggerConfigure", "cublasSetLoggerCallback", "cublasLtLogger*", "cublasLtHeuristicsCacheSetCapacity",
    "cublasSetEnvironmentMode", "cublasLtSetEnvironmentMode", "cusparseLogger*", "cusolverDnLogger*",
    "cusolverDnSetAdvOptions", "cusolverDnSetEmulation*", "cusolverDnSetFixedPoint*", "cusolverDnX*SetTolerance",
    "cusolverDnX*SetMaxSweeps", "cusolverDnX*SetSortEig", "cusolverDnIRSParamsSet*",
    "cusolverDnIRSParams*ableFallback", "cusolverDnIRSInfosRequestResidual", "cufftSetPlanPropertyInt64",
    "cufftResetPlanProperty", NULL,
};

static const char *const library_creates[] = {
    "cusparseCreateMatDescr", "cusparseCreate*Info", "cusparseSp[SG]*_createDescr", "cusolverDnCreateParams",
    "cusolverDnCreateSyevjInfo", "cusolverDnCreateGesvdjInfo", "cusolverDnIRSParamsCreate", "cusolverDnIRSInfosCreate",
    NULL,
};

static const char *const library_destroys[] = {
    "cusparseDestroyMatDescr", "cusparseDestroy*Info", "cusparseSp[SG]*_destroyDescr", "cusolverDnDestroyParams",
    "cusolverDnDestroySyevjInfo", "cusolverDnDestroyGesvdjInfo", "cusolverDnIRSParamsDestroy",
    "cusolverDnIRSInfosDestroy", NULL,
};

#endif
