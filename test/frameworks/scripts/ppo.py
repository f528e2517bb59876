"""PPO as in CleanRL, one file: several environments in numpy, advantages, minibatches, annealed learning rate."""

import random
import time
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.distributions.categorical import Categorical
from torch.utils.tensorboard import SummaryWriter


@dataclass
class Args:
    seed: int = 1
    num_envs: int = 4
    num_steps: int = 32
    total_timesteps: int = 512
    num_minibatches: int = 4
    update_epochs: int = 2
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_coef: float = 0.2
    target_kl: float | None = None


class Envs:
    def __init__(self, count):
        self.count = count

    def reset(self):
        self.state = np.random.randn(self.count, 8).astype(np.float32)
        return self.state

    def step(self, action):
        self.state = (0.9 * self.state + 0.1 * (action[:, None] - 1.5)).astype(np.float32)
        done = np.abs(self.state).max(1) > 2
        self.state[done] = np.random.randn(int(done.sum()), 8)
        return self.state, -np.square(self.state).sum(1), done


def layer_init(layer, std=np.sqrt(2)):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, 0.0)
    return layer


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(layer_init(nn.Linear(8, 64)), nn.Tanh(), layer_init(nn.Linear(64, 1), std=1.0))
        self.actor = nn.Sequential(layer_init(nn.Linear(8, 64)), nn.Tanh(), layer_init(nn.Linear(64, 4), std=0.01))

    def get_value(self, x):
        return self.critic(x)

    def get_action_and_value(self, x, action=None):
        probs = Categorical(logits=self.actor(x))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)


args = Args()
random.seed(args.seed), np.random.seed(args.seed), torch.manual_seed(args.seed)
writer = SummaryWriter(f"runs/ppo__{int(time.time())}")
envs, agent = Envs(args.num_envs), Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)
shape = (args.num_steps, args.num_envs)
obs, actions, logprobs = torch.zeros(*shape, 8), torch.zeros(shape), torch.zeros(shape)
rewards, dones, values = torch.zeros(shape), torch.zeros(shape), torch.zeros(shape)
batch = args.num_envs * args.num_steps
next_obs, next_done = torch.Tensor(envs.reset()), torch.zeros(args.num_envs)
for iteration in range(args.total_timesteps // batch):
    optimizer.param_groups[0]["lr"] = (1.0 - iteration / 4) * 2.5e-4
    for step in range(args.num_steps):
        obs[step], dones[step] = next_obs, next_done
        with torch.no_grad():
            action, logprob, _, value = agent.get_action_and_value(next_obs)
            values[step] = value.flatten()
        actions[step], logprobs[step] = action, logprob
        next_obs, reward, done = envs.step(action.cpu().numpy())
        rewards[step] = torch.tensor(reward).view(-1)
        next_obs, next_done = torch.Tensor(next_obs), torch.Tensor(done)
    with torch.no_grad():
        next_value, advantages, last = agent.get_value(next_obs).reshape(1, -1), torch.zeros_like(rewards), 0
        for t in reversed(range(args.num_steps)):
            alive = 1.0 - (next_done if t == args.num_steps - 1 else dones[t + 1])
            following = next_value if t == args.num_steps - 1 else values[t + 1]
            delta = rewards[t] + args.gamma * following * alive - values[t]
            advantages[t] = last = delta + args.gamma * args.gae_lambda * alive * last
        returns = advantages + values
    b_obs, b_actions, b_logprobs = obs.reshape(-1, 8), actions.reshape(-1), logprobs.reshape(-1)
    b_advantages, b_returns = advantages.reshape(-1), returns.reshape(-1)
    indices, clipfracs = np.arange(batch), []
    for _ in range(args.update_epochs):
        np.random.shuffle(indices)
        for start in range(0, batch, batch // args.num_minibatches):
            mb = indices[start : start + batch // args.num_minibatches]
            _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions.long()[mb])
            logratio = newlogprob - b_logprobs[mb]
            ratio = logratio.exp()
            with torch.no_grad():
                approx_kl = ((ratio - 1) - logratio).mean()
                clipfracs += [((ratio - 1.0).abs() > args.clip_coef).float().mean().item()]
            adv = (b_advantages[mb] - b_advantages[mb].mean()) / (b_advantages[mb].std() + 1e-8)
            pg_loss = torch.max(-adv * ratio, -adv * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)).mean()
            loss = pg_loss - 0.01 * entropy.mean() + 0.5 * ((newvalue.view(-1) - b_returns[mb]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
        if args.target_kl is not None and approx_kl > args.target_kl:
            break
    writer.add_scalar("losses/policy_loss", pg_loss.item(), iteration)
    writer.add_scalar("losses/clipfrac", np.mean(clipfracs), iteration)
writer.close()
