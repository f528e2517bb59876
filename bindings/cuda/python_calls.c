/* What the hook in Python (python/memmodel_cuda) calls. */
#include "device.h"

#include "ledger_of_process.h"

#include <unistd.h>

/* The device of an address, or -1. */
ANSWER(int, memmodel_cuda_device, const void *address)
{
    return memory_device(address);
}

/* What PyTorch says is the most that its tensors took of a device. */
ANSWER(void, memmodel_cuda_allocated, int device, int64_t bytes)
{
    if (device >= 0 && device < device_count() && ledger_of_process() >= 0)
        ledger_allocated(device_ledger(), ledger_of_process(), device_place(device), bytes);
}

/* `kind`: enum ledger_note_kind. */
ANSWER(void, memmodel_cuda_note, int kind, const char *text)
{
    if (device_ledger() && text && kind >= LEDGER_UNANSWERED && kind <= LEDGER_PROFILE)
        ledger_note(device_ledger(), (enum ledger_note_kind)kind, (int)getpid(), text);
}

/* Whether the hook itself notes what this thread reads from a device. */
ANSWER(void, memmodel_cuda_followed, int yes)
{
    note_followed(yes != 0);
}
