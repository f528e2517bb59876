/* The words of a job as people write them, in PyTorch, Lightning, Accelerate or a shell, and those that rules know. */
#ifndef FRAMEWORKS_SPELLING_H
#define FRAMEWORKS_SPELLING_H

/* Each returns a static word, such as "pytorch" for "PyTorch", or `text` itself where no other spelling is known. */

const char *
spelling_framework(const char *text);

/* "cuda" for "cuda:0", for the index makes no difference to memory. */
const char *
spelling_device(const char *text);

/* "bfloat16" for "bf16", "torch.bfloat16" and "bf16-mixed". */
const char *
spelling_precision(const char *text);

#endif
