/* libmemmodel: how much memory a deep-learning job will need. This is the one supported include. */
#ifndef MEMMODEL_H
#define MEMMODEL_H

#include "memmodel/version.h"

#include "memmodel/advise.h"
#include "memmodel/builder.h"
#include "memmodel/context.h"
#include "memmodel/device.h"
#include "memmodel/function.h"
#include "memmodel/job.h"
#include "memmodel/layers.h"
#include "memmodel/llm.h"
#include "memmodel/mesh.h"
#include "memmodel/model.h"
#include "memmodel/monitor.h"
#include "memmodel/network.h"
#include "memmodel/onnx.h"
#include "memmodel/optimize.h"
#include "memmodel/plan.h"
#include "memmodel/recompute.h"
#include "memmodel/recording.h"
#include "memmodel/replay.h"
#include "memmodel/report.h"
#include "memmodel/samples.h"
#include "memmodel/schedule.h"
#include "memmodel/search.h"
#include "memmodel/tiling.h"
#include "memmodel/trace.h"

#endif
