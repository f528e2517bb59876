"""Deep Q learning as in PyTorch's tutorial: a replay memory, a policy and a target network, an environment in numpy."""

import math
import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class CartPole:
    def reset(self):
        self.state, self.age = np.random.uniform(-0.05, 0.05, 4).astype(np.float32), 0
        return self.state

    def step(self, action):
        self.age += 1
        push = 0.1 if action == 1 else -0.1
        self.state = (self.state + np.array([self.state[1], push, self.state[3], -push], np.float32) * 0.02)
        self.state = self.state.astype(np.float32)
        return self.state, 1.0, bool(abs(self.state[0]) > 2.4 or self.age >= 50)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super().__init__()
        self.layer1 = nn.Linear(n_observations, 128)
        self.layer2 = nn.Linear(128, 128)
        self.layer3 = nn.Linear(128, n_actions)

    def forward(self, x):
        x = torch.relu(self.layer1(x))
        return self.layer3(torch.relu(self.layer2(x)))


random.seed(0)
np.random.seed(0)
env, memory, steps_done = CartPole(), deque(maxlen=1000), 0
policy_net, target_net = DQN(4, 2), DQN(4, 2)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=1e-4, amsgrad=True)


def select_action(state):
    global steps_done
    eps_threshold = 0.05 + 0.85 * math.exp(-steps_done / 1000)
    steps_done += 1
    if random.random() > eps_threshold:
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(2)]], dtype=torch.long)


def optimize_model(batch_size=64):
    if len(memory) < batch_size:
        return
    batch = Transition(*zip(*random.sample(memory, batch_size)))
    non_final_mask = torch.tensor(tuple(s is not None for s in batch.next_state), dtype=torch.bool)
    non_final_next_states = torch.cat([s for s in batch.next_state if s is not None])
    state_batch, action_batch, reward_batch = torch.cat(batch.state), torch.cat(batch.action), torch.cat(batch.reward)
    state_action_values = policy_net(state_batch).gather(1, action_batch)
    next_state_values = torch.zeros(batch_size)
    with torch.no_grad():
        next_state_values[non_final_mask] = target_net(non_final_next_states).max(1).values
    expected = next_state_values * 0.99 + reward_batch
    loss = nn.SmoothL1Loss()(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()


for _ in range(4):
    state, done = torch.tensor(env.reset()).unsqueeze(0), False
    while not done:
        action = select_action(state)
        observation, reward, done = env.step(action.item())
        next_state = None if done else torch.tensor(observation).unsqueeze(0)
        memory.append(Transition(state, action, next_state, torch.tensor([reward])))
        state = next_state
        optimize_model()
        target, policy = target_net.state_dict(), policy_net.state_dict()
        for key in policy:
            target[key] = policy[key] * 0.005 + target[key] * 0.995
        target_net.load_state_dict(target)
