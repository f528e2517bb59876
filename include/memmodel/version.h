/* Version of the library, at compile time and at run time. */
#ifndef MEMMODEL_VERSION_H
#define MEMMODEL_VERSION_H

#include "memmodel/context.h"

/** First number of the headers' version. @since 0.1 */
#define MEMMODEL_VERSION_MAJOR 0

/** Second number of the headers' version. @since 0.1 */
#define MEMMODEL_VERSION_MINOR 1

/** Third number of the headers' version. @since 0.1 */
#define MEMMODEL_VERSION_MICRO 0

/** Version of the headers, as text. @since 0.1 */
#define MEMMODEL_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Version of the library that is running, such as "0.1.0".
 *
 * @returns a static string, never NULL
 * @threads any
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_version(void);

#ifdef __cplusplus
}
#endif

#endif
