/* Functions of the runtime and the driver that change nothing that can be seen here: patterns of fnmatch(3). */
#ifndef CUDA_LAUNCHES_RUNTIME_H
#define CUDA_LAUNCHES_RUNTIME_H

static const char *const runtime_launches[] = {
    "cudaProfilerStart", "cudaProfilerStop", "cudaFuncSet*", "cudaKernelSetAttributeForDevice", "cudaMemcpyToSymbol*",
    "cudaMemPoolSet*", "cudaMemPoolTrimTo", "cudaMemPrefetch*", "cudaMemAdvise*", "cudaMemDiscard*",
    "cudaStreamSetAttribute*", "cudaStreamCopyAttributes*", "cudaStreamAttachMemAsync*",
    "cudaStreamUpdateCaptureDependencies*", "cudaGraphRetainUserObject", "cudaGraphReleaseUserObject",
    "cudaUserObjectRetain", "cudaUserObjectRelease", "cudaGraphUpload*", "cudaGraphDebugDotPrint",
    "cudaGraph*SetParams*", "cudaGraphExec*SetParams*", "cudaGraphAddDependencies*", "cudaDeviceSet*",
    "cudaDeviceGraphMemTrim", "cudaDeviceReset", "cudaCtxResetPersistingL2Cache", "cudaDeviceFlushGPUDirectRDMAWrites",
    "cudaThreadExit", "cudaThreadSet*", "cudaMemset2D*", "cudaMemset3D*", "cudaLogs*", "cuLogs*",
    "cuFuncSet*", "cuKernelSet*", "cuLinkAdd*", "cuLinkDestroy", "cuStreamSynchronize*", "cuStreamWaitEvent*",
    "cuStreamQuery*", "cuStreamWaitValue*", "cuEventSynchronize", "cuEventQuery", "cuCtxSetLimit", "cuCtxSetCacheConfig",
    "cuCtxSetSharedMemConfig", "cuMemPrefetch*", "cuMemAdvise*", "cuProfiler*", "cuCtxEnablePeerAccess",
    "cuCtxDisablePeerAccess", "cuMemHostRegister*", "cuMemHostUnregister", "cuDevicePrimaryCtxSetFlags*",
    "cuDevicePrimaryCtxReset*", NULL,
};

#endif
