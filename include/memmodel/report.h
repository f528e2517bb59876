#ifndef MEMMODEL_REPORT_H
#define MEMMODEL_REPORT_H
#include "memmodel/context.h"
#endif
