/* The functions of the CUDA runtime that PyTorch's allocator library links to, and that driver.c need not answer. */
#define NOTHING(name)                                                                                                  \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return 0;                                                                                                      \
    }

NOTHING(cudaDeviceCanAccessPeer)
NOTHING(cudaDeviceEnablePeerAccess)
NOTHING(cudaDeviceGetDefaultMemPool)
NOTHING(cudaDeviceSynchronize)
NOTHING(cudaDriverGetVersion)
NOTHING(cudaEventDestroy)
NOTHING(cudaEventElapsedTime)
NOTHING(cudaEventSynchronize)
NOTHING(cudaFreeAsync)
NOTHING(cudaGetLastError)
NOTHING(cudaGraphNodeGetDependencies)
NOTHING(cudaIpcCloseMemHandle)
NOTHING(cudaIpcGetMemHandle)
NOTHING(cudaIpcOpenMemHandle)
NOTHING(cudaMallocAsync)
NOTHING(cudaMemPoolGetAttribute)
NOTHING(cudaMemPoolSetAccess)
NOTHING(cudaMemPoolSetAttribute)
NOTHING(cudaMemPoolTrimTo)
NOTHING(cudaMemcpy)
NOTHING(cudaMemcpyAsync)
NOTHING(cudaMemcpyPeerAsync)
NOTHING(cudaSetDevice)
NOTHING(cudaStreamCreateWithPriority)
NOTHING(cudaStreamGetCaptureInfo)
NOTHING(cudaStreamQuery)
NOTHING(cudaStreamSynchronize)
NOTHING(cudaStreamWaitEvent)
NOTHING(cudaThreadExchangeStreamCaptureMode)
