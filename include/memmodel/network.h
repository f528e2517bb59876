#ifndef MEMMODEL_NETWORK_H
#define MEMMODEL_NETWORK_H
#include "memmodel/context.h"
#endif
