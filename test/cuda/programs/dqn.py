"""Deep Q-learning: a replay memory, decisions by .item(), a target network, an epsilon that falls with the reward."""

import random
from collections import deque

import torch
from torch import nn


def network():
    return nn.Sequential(
        nn.Conv2d(4, 32, 8, 4),
        nn.ReLU(),
        nn.Conv2d(32, 64, 4, 2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(64 * 81, 512),
        nn.ReLU(),
        nn.Linear(512, 6),
    ).cuda()


policy, target = network(), network()
target.load_state_dict(policy.state_dict())
optimizer = torch.optim.RMSprop(policy.parameters(), lr=2.5e-4, centered=True)
memory, epsilon, state = deque(maxlen=1000), 1.0, torch.rand(4, 84, 84)
for frame in range(64):
    if random.random() < epsilon:
        action = random.randrange(6)
    else:
        with torch.no_grad():
            action = policy(state[None].cuda()).max(1).indices.item()
    following = torch.rand(4, 84, 84)
    memory.append((state, action, random.choice((-1.0, 0.0, 1.0)), following, frame % 20 == 19))
    state = following
    epsilon = max(0.1, epsilon * 0.97)
    if frame < 61:
        continue
    states, actions, rewards, followings, ends = zip(*random.sample(memory, 32))
    states, followings = torch.stack(states).cuda(), torch.stack(followings).cuda()
    actions, rewards = torch.tensor(actions).cuda(), torch.tensor(rewards).cuda()
    ends = torch.tensor(ends).cuda()
    values = policy(states).gather(1, actions[:, None]).squeeze(1)
    best = torch.zeros(32, device="cuda")
    with torch.no_grad():
        best[~ends] = target(followings[~ends]).max(1).values
    loss = nn.functional.smooth_l1_loss(values, rewards + 0.99 * best)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy.parameters(), 100)
    optimizer.step()
    if loss.item() < 0.5:
        epsilon *= 0.99
    for old, new in zip(target.parameters(), policy.parameters()):
        old.data.lerp_(new.data, 0.005)
    print(frame, loss.item(), round(epsilon, 3))
