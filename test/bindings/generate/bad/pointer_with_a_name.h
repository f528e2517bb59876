/* Pointers have no names of their own. */
#include "memmodel/box.h"

/** A text. @since 0.1 */
typedef const char *memmodel_text;

// refused: memmodel/bad.h:5: memmodel_text: a pointer that has a name; allowed: typedefs of objects, of functions and of integers
