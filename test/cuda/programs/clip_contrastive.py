"""CLIP: two towers, contrastive loss with a learned scale, matrix inverse square roots (a second-order optimizer)."""

import torch
from transformers import CLIPConfig, CLIPModel, CLIPTextConfig, CLIPVisionConfig


class Shampoo(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if p.dim() != 2 or max(p.shape) > 600:
                    p.add_(p.grad, alpha=-group["lr"])
                    continue
                state = self.state[p]
                if not state:
                    state["left"] = torch.eye(p.size(0), device=p.device) * 1e-4
                state["left"].addmm_(p.grad, p.grad.T)
                values, vectors = torch.linalg.eigh(state["left"])
                root = vectors @ torch.diag(values.clamp(min=1e-6).pow(-0.25)) @ vectors.T
                p.add_(root @ p.grad, alpha=-group["lr"])


small = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 3, "num_attention_heads": 4}
config = CLIPConfig(
    text_config={**CLIPTextConfig(**small).to_dict()},
    vision_config={**CLIPVisionConfig(**small, patch_size=32).to_dict()},
)
model = CLIPModel(config).cuda()
optimizer = Shampoo(model.parameters())
for _ in range(3):
    images, ids = torch.randn(8, 3, 224, 224, device="cuda"), torch.randint(1, 49000, (8, 20), device="cuda")
    ids[:, -1] = 49407
    out = model(input_ids=ids, pixel_values=images, attention_mask=torch.ones_like(ids), return_loss=True)
    out.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(out.loss.item(), out.logits_per_image.shape)
