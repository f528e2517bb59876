/* Members of a config.json that some families have besides. Each: 0, or an error with its key. */
#ifndef SERVING_FAMILY_H
#define SERVING_FAMILY_H

#include "serving/config.h"

/* Latent attention (DeepSeek V2 and later). */
int
family_read_latent(struct config *config);

/* The gated delta rule (Qwen3-Next and later). */
int
family_read_delta(struct config *config);

/* Mamba 2 (Nemotron-H). */
int
family_read_mamba(struct config *config);

int
family_read_gemma3n(struct config *config);

int
family_read_gemma4(struct config *config);

int
family_read_gpt_oss(struct config *config);

int
family_read_phi3(struct config *config);

/* Experts, and which layers have them; none where none are there and none `required`. */
int
family_read_experts(struct config *config, bool required, bool has_correction, bool has_shared_gate);

#endif
