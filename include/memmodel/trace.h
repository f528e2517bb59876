#ifndef MEMMODEL_TRACE_H
#define MEMMODEL_TRACE_H
#include "memmodel/context.h"
#endif
