#ifndef MEMMODEL_MONITOR_H
#define MEMMODEL_MONITOR_H
#include "memmodel/context.h"
#endif
