#ifndef MEMMODEL_JOB_H
#define MEMMODEL_JOB_H
#include "memmodel/context.h"
#endif
