/*
 * The CUDA runtime: the properties of a device, in a structure whose layout changed with CUDA 12 and 13.
 *
 * A field is where the layouts have it; what is not in the table reads as zero.
 */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 256, UUID_PLACE = 256, MEMORY_PLACE = 288 };
enum { BYTES_12 = 1032, BYTES_13 = 1008 };

struct field {
    short place_12, place_13;
    short bytes;
    short attribute; /* of device_attribute(), or 0: `value` */
    int64_t value;
};

static const struct field fields[] = {
    {296, 296, 8, 8, 0},                                                  /* sharedMemPerBlock */
    {304, 304, 4, 12, 0},                                                 /* regsPerBlock */
    {308, 308, 4, 10, 0},                                                 /* warpSize */
    {312, 312, 8, 11, 0},                                                 /* memPitch */
    {320, 320, 4, 1, 0},                                                  /* maxThreadsPerBlock */
    {324, 324, 4, 2, 0},                                                  /* maxThreadsDim */
    {328, 328, 4, 3, 0},      {332, 332, 4, 4, 0},   {336, 336, 4, 5, 0}, /* maxGridSize */
    {340, 340, 4, 6, 0},      {344, 344, 4, 7, 0},   {352, 352, 8, 9, 0}, /* totalConstMem */
    {360, 360, 4, 75, 0},                                                 /* major */
    {364, 364, 4, 76, 0},                                                 /* minor */
    {368, 368, 8, 14, 0},                                                 /* textureAlignment */
    {376, 376, 8, 0, 32},                                                 /* texturePitchAlignment */
    {388, 384, 4, 16, 0},                                                 /* multiProcessorCount */
    {400, 392, 4, 19, 0},                                                 /* canMapHostMemory */
    {408, 396, 4, 0, 131072},                                             /* maxTexture1D */
    {420, 404, 4, 0, 131072},                                             /* maxTexture2D */
    {424, 408, 4, 0, 65536},  {568, 552, 8, 0, 512},                      /* surfaceAlignment */
    {576, 560, 4, 31, 0},                                                 /* concurrentKernels */
    {580, 564, 4, 32, 0},                                                 /* ECCEnabled */
    {584, 568, 4, 33, 0},                                                 /* pciBusID */
    {600, 584, 4, 40, 0},                                                 /* asyncEngineCount */
    {604, 588, 4, 41, 0},                                                 /* unifiedAddressing */
    {612, 592, 4, 37, 0},                                                 /* memoryBusWidth */
    {616, 596, 4, 38, 0},                                                 /* l2CacheSize */
    {624, 604, 4, 39, 0},                                                 /* maxThreadsPerMultiProcessor */
    {628, 608, 4, 78, 0},                                                 /* streamPrioritiesSupported */
    {632, 612, 4, 79, 0},                                                 /* globalL1CacheSupported */
    {636, 616, 4, 80, 0},                                                 /* localL1CacheSupported */
    {640, 624, 8, 81, 0},                                                 /* sharedMemPerMultiprocessor */
    {648, 632, 4, 82, 0},                                                 /* regsPerMultiprocessor */
    {652, 636, 4, 83, 0},                                                 /* managedMemory */
    {676, 656, 4, 89, 0},                                                 /* concurrentManagedAccess */
    {680, 660, 4, 90, 0},                                                 /* computePreemptionSupported */
    {684, 664, 4, 91, 0},                                                 /* canUseHostPointerForRegisteredMem */
    {688, 668, 4, 95, 0},                                                 /* cooperativeLaunch */
    {696, 672, 8, 97, 0},                                                 /* sharedMemPerBlockOptin */
    {712, 688, 4, 106, 0},                                                /* maxBlocksPerMultiProcessor */
    {720, 696, 8, 111, 0},                                                /* reservedSharedMemPerBlock */
    {728, 704, 4, 99, 0},                                                 /* hostRegisterSupported */
    {744, 720, 4, 115, 0},                                                /* memoryPoolsSupported */
    {772, 748, 4, 120, 0},                                                /* clusterLaunch */
};

static int
write_properties(unsigned char *properties, int device, bool is_13)
{
    int64_t memory;

    if (!properties)
        return runtime_fail(RUNTIME_INVALID_VALUE);
    if (device < 0 || device >= device_count())
        return runtime_fail(RUNTIME_INVALID_DEVICE);
    memory = device_capacity(device);
    memset(properties, 0, is_13 ? BYTES_13 : BYTES_12);
    snprintf((char *)properties, NAME_BYTES, "%s", device_gpu()->name);
    device_uuid(device_place(device), properties + UUID_PLACE);
    memcpy(properties + MEMORY_PLACE, &memory, sizeof memory);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct field *field = &fields[i];
        int64_t value = field->attribute ? device_attribute(field->attribute, device) : field->value;

        memcpy(properties + (is_13 ? field->place_13 : field->place_12), &value, (size_t)field->bytes);
    }
    return RUNTIME_SUCCESS;
}

ANSWER(int, cudaGetDeviceProperties, void *properties, int device)
{
    return write_properties(properties, device, runtime_version() >= RUNTIME_13);
}

/* CUDA 12's. */
ANSWER(int, cudaGetDeviceProperties_v2, void *properties, int device)
{
    return write_properties(properties, device, false);
}
