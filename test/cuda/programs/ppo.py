"""Proximal policy optimisation: distributions, returns computed backwards, masks, early stop at a divergence."""

import torch
from torch import nn
from torch.distributions import Categorical


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh())
        self.policy, self.value = nn.Linear(256, 8), nn.Linear(256, 1)

    def forward(self, x):
        x = self.body(x)
        return Categorical(logits=self.policy(x)), self.value(x).squeeze(-1)


agent = Agent().cuda()
optimizer = torch.optim.Adam(agent.parameters(), 3e-4, eps=1e-5)
for update in range(3):
    states, actions, logs, rewards, values = [], [], [], [], []
    state = torch.randn(16, 64, device="cuda")
    for _ in range(32):
        with torch.no_grad():
            choice, value = agent(state)
        action = choice.sample()
        states.append(state), actions.append(action), logs.append(choice.log_prob(action)), values.append(value)
        rewards.append(torch.tensor([float(a) % 3 for a in action.tolist()], device="cuda"))
        state = torch.randn(16, 64, device="cuda")
    advantage, last = [], torch.zeros(16, device="cuda")
    for reward, value in zip(reversed(rewards), reversed(values)):
        last = reward - value + 0.95 * last
        advantage.insert(0, last)
    states, actions, logs = torch.cat(states), torch.cat(actions), torch.cat(logs)
    advantage, values = torch.cat(advantage), torch.cat(values)
    returns = advantage + values
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    for part in torch.randperm(512, device="cuda").split(128):
        choice, value = agent(states[part])
        ratio = (choice.log_prob(actions[part]) - logs[part]).exp()
        bounded = torch.min(ratio * advantage[part], ratio.clamp(0.8, 1.2) * advantage[part])
        loss = -bounded.mean() + 0.5 * (returns[part] - value).pow(2).mean() - 0.01 * choice.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()
        if (ratio - 1 - ratio.log()).mean() > 0.5:
            break
    print(update, loss.item())
