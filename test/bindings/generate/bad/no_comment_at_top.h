#include "memmodel/box.h"

// refused: memmodel/bad.h:1: does not say what it is about; allowed: a comment at its top
