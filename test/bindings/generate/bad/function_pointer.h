/* Functions that are handed over have a name. */
#include "memmodel/box.h"

/**
 * Does it.
 *
 * @param[in] act  called
 * @threads any
 * @since 0.1
 */
MEMMODEL_API void
memmodel_box_do(void (*act)(void));

// refused: memmodel/bad.h:12: act: the type void (void); allowed: void, int, int32_t, int64_t, uint64_t, size_t, double, _Bool, const char *, handles, callbacks, aliases of integers, pointers to these and to structs, and in structs arrays of fixed length
