/* The ledger from within a process of the run. */
#ifndef CUDA_LEDGER_OF_PROCESS_H
#define CUDA_LEDGER_OF_PROCESS_H

#include "device/ledger.h"

/* NULL where the process belongs to no run. */
struct ledger *
device_ledger(void);

/* This process's number in the ledger; -1 where it cannot have one. */
int
ledger_of_process(void);

#endif
