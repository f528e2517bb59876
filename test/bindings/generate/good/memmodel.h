/* A small interface in which everything occurs once. */
#ifndef MEMMODEL_H
#define MEMMODEL_H

#include "memmodel/box.h"

#endif
