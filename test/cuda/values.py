"""
Ways in which a program depends on values of the device: what it computes with them must come out as on the CPU, or be
said to be made up.

    memmodel run --gpu h100 -- python values.py [NAME ...]

Each program takes a device and returns what followed from the values. EXACT ones must give on the simulated GPU what
they give on the CPU, without a note; NOTED ones may differ, and must then be noted.
"""

import math
import sys
import traceback

import torch
from torch import nn
from torch.nn import functional

EXACT, NOTED = {}, {}


def exact(program):
    EXACT[program.__name__] = program
    return program


def noted(program):
    NOTED[program.__name__] = program
    return program


def big(device, rows=512, columns=1024):
    """Too large to be computed beside."""
    x = torch.zeros(rows, columns, device=device)
    return x @ torch.zeros(columns, columns, device=device)


# ---- constants and what is computed with them ----


@exact
def arange_to_list(device):
    return torch.arange(3, 30, 4, device=device).tolist()


@exact
def ones_summed(device):
    return torch.ones(7, 9, device=device).sum().item()


@exact
def full_and_eye(device):
    return (torch.full((3, 3), 2, device=device) + torch.eye(3, device=device)).tolist()


@exact
def linspace_of_drop_path_rates(device):
    return [round(rate.item(), 6) for rate in torch.linspace(0, 0.2, 12, device=device)]


@exact
def triangular_mask_counted(device):
    return torch.tril(torch.ones(64, 64, device=device)).bool().sum().item()


@exact
def causal_mask_by_comparison(device):
    places = torch.arange(100, device=device)
    return (places[:, None] >= places[None, :]).nonzero().shape


@exact
def numbers_of_python_before_tensors(device):
    x = torch.arange(1, 5, device=device)
    return [(2**x).tolist(), (10 // x).tolist(), (1 / x).tolist(), (2.5 ** x.double()).tolist(), (7 % x).tolist()]


@exact
def number_dtypes_promote_alike(device):
    x = torch.arange(3, device=device)
    return [str((x * 2.0).dtype), str((x.half() * 3).dtype), str((x.bool() * 2).dtype), str((2**x).dtype)]


@exact
def numbers_promote_no_single_value(device):
    x = torch.ones((), dtype=torch.bfloat16, device=device)
    return [str(y.dtype) for y in (x * 2.0, 2.0 - x, x.half() / 3, x.double() * 0.1, x * torch.ones(()))]


@exact
def loss_of_smoothed_labels_keeps_its_type(device):
    scores = torch.zeros(2, 5, dtype=torch.float16, device=device)
    labels = torch.tensor([0, 1], device=device)
    return str(nn.functional.cross_entropy(scores, labels, label_smoothing=0.1).dtype)


@exact
def regnet_widths(device):
    widths = torch.arange(22, device=device) * 24.48 + 24
    capacity = torch.round(torch.log(widths / 24) / math.log(2.54))
    return (torch.round(torch.divide(24 * torch.pow(2.54, capacity), 8)) * 8).int().tolist()


@exact
def whole_regnet_built_on_the_device(device):
    import torchvision

    with torch.device(device):
        return sum(parameter.numel() for parameter in torchvision.models.regnet_x_400mf().parameters())


@exact
def tensor_from_the_host(device):
    sizes = torch.tensor([3, 5, 8], device=device)
    return [torch.empty(int(size), device=device).numel() for size in sizes]


@exact
def copy_from_the_host_converted(device):
    return torch.tensor([1, 2, 3]).to(device).to(torch.float16).to("cpu", torch.float64).tolist()


@exact
def number_copied_to_a_tensor(device):
    sizes = torch.empty(3, dtype=torch.long, device=device)
    sizes[:2].copy_(4)
    sizes[2].copy_(2.5)
    return sizes.tolist()


@exact
def strided_copy_to_the_host(device):
    return torch.arange(24, device=device).view(4, 6).t()[1::2, ::3].cpu().tolist()


@exact
def slices_written(device):
    x = torch.zeros(10, dtype=torch.long, device=device)
    x[2:5] = 7
    x[-1] += 3
    return x.tolist()


@exact
def empty_filled_in_place(device):
    return torch.empty(5, device=device).fill_(2).mul_(3).add_(1).tolist()


@exact
def out_argument(device):
    out = torch.empty(4, device=device)
    torch.add(torch.ones(4, device=device), 2, out=out)
    return out.tolist()


@exact
def foreach_counters(device):
    steps = [torch.zeros((), device=device) for _ in range(5)]
    for _ in range(3):
        torch._foreach_add_(steps, 1)
    return [step.item() for step in steps]


@exact
def foreach_norms_of_constants(device):
    return [norm.item() for norm in torch._foreach_norm([torch.ones(4, device=device), torch.zeros(9, device=device)])]


@exact
def sorted_lengths(device):
    lengths, order = torch.tensor([3, 9, 5], device=device).sort(descending=True)
    return lengths.tolist(), order.tolist()


@exact
def scatter_and_gather(device):
    index = torch.tensor([[0, 2], [1, 1]], device=device)
    x = torch.zeros(2, 3, dtype=torch.long, device=device).scatter_(1, index, 1)
    return x.tolist(), x.gather(1, index).tolist()


@exact
def conditions_on_known_values(device):
    x = torch.arange(6, device=device)
    return bool((x > 4).any()), bool((x > 9).any()), bool((x < 9).all()), int(x.argmax())


@exact
def complex_numbers(device):
    return [abs(value) for value in torch.polar(torch.ones(3, device=device), torch.zeros(3, device=device)).tolist()]


@exact
def conjugates_and_transforms(device):
    x = torch.arange(4.0, device=device)
    return torch.complex(x, x).conj().imag.tolist(), torch.fft.ifft(x).real.tolist()


@exact
def nan_of_the_host_is_seen(device):
    return bool(torch.isnan(torch.tensor([1.0, math.nan], device=device)).any())


# ---- sizes that follow from known values ----


@exact
def boolean_index(device):
    x = torch.arange(20, device=device)
    return x[x % 3 == 0].tolist()


@exact
def masked_select(device):
    x = torch.arange(20.0, device=device)
    return torch.masked_select(x, x > 12).shape


@exact
def nonzero_as_tuple(device):
    rows, columns = (torch.eye(5, device=device) > 0).nonzero(as_tuple=True)
    return rows.tolist(), columns.tolist()


@exact
def where_of_a_condition(device):
    return torch.where(torch.tensor([True, False, True], device=device))[0].tolist()


@exact
def masked_assignment(device):
    x = torch.arange(6, device=device)
    x[x > 3] = torch.tensor([40, 50], device=device)
    return x.tolist()


@exact
def unique_with_counts(device):
    values, inverse, counts = torch.unique(
        torch.tensor([4, 4, 1, 9], device=device), return_inverse=True, return_counts=True
    )
    return values.tolist(), inverse.tolist(), counts.tolist()


@exact
def unique_rows(device):
    return torch.unique(torch.tensor([[1, 2], [1, 2], [3, 4]], device=device), dim=0).shape


@exact
def unique_consecutive(device):
    return torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1], device=device)).tolist()


@exact
def repeat_interleave(device):
    return torch.arange(3, device=device).repeat_interleave(torch.tensor([1, 0, 4], device=device)).tolist()


@exact
def bincount(device):
    return torch.bincount(torch.tensor([1, 5, 5], device=device)).tolist()


@exact
def one_hot_classes(device):
    return functional.one_hot(torch.tensor([0, 6, 2], device=device)).shape


@exact
def longest_sequence_of_a_batch(device):
    mask = torch.tensor([[1, 1, 1, 0], [1, 1, 0, 0]]).to(device)
    return torch.zeros(2, int(mask.sum(1).max()), device=device).shape


@exact
def split_by_sizes(device):
    sizes = torch.tensor([2, 3, 5], device=device)
    return [part.shape[0] for part in torch.zeros(10, device=device).split(sizes.tolist())]


@exact
def cumulative_lengths(device):
    lengths = torch.tensor([5, 3, 7], device=device)
    ends = functional.pad(lengths.cumsum(0), (1, 0))
    return ends.tolist(), ends[-1].item()


@exact
def combinations(device):
    return torch.combinations(torch.arange(5, device=device)).shape


@exact
def range_up_to_a_value(device):
    return torch.arange(int(torch.tensor(9, device=device)), device=device).shape


@exact
def topk_of_known_scores(device):
    return torch.arange(10.0, device=device).topk(3).indices.tolist()


@exact
def histogram(device):
    return torch.histc(torch.tensor([1.0, 2.0, 2.0], device=device), bins=4, min=0, max=4).tolist()


@exact
def pruned_by_a_threshold(device):
    weights = torch.linspace(-1, 1, 101, device=device)
    return weights[weights.abs() > 0.5].numel()


@exact
def searched_and_bucketed(device):
    return torch.bucketize(torch.tensor([1, 5, 9], device=device), torch.arange(0, 10, 3, device=device)).tolist()


@exact
def padded_sequences_packed(device):
    lengths = torch.tensor([4, 2], device=device)
    packed = nn.utils.rnn.pack_padded_sequence(torch.zeros(2, 4, 3, device=device), lengths.cpu(), batch_first=True)
    return packed.data.shape


@exact
def sparse_from_known_indices(device):
    index = torch.tensor([[0, 0, 1], [1, 1, 0]], device=device)
    return torch.sparse_coo_tensor(index, torch.ones(3, device=device), (2, 2)).coalesce().indices().shape


@exact
def sparse_from_known_values(device):
    return torch.eye(4, device=device).to_sparse().indices().tolist()


# ---- training ----


@exact
def step_counter_of_an_optimizer(device):
    weight = nn.Parameter(torch.zeros(4, device=device))
    optimizer = torch.optim.AdamW([weight], capturable=device != "cpu")
    for _ in range(3):
        weight.grad = torch.ones_like(weight)
        optimizer.step()
    return optimizer.state[weight]["step"].item()


@noted
def scale_of_a_gradient_scaler(device):
    scaler = torch.amp.GradScaler(device, init_scale=1024.0, growth_interval=2)
    weight = nn.Parameter(torch.zeros(600, 600, device=device))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(4):
        scaler.scale((weight @ weight).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    return scaler.get_scale()


@noted
def loss_of_a_large_model(device):
    loss = functional.cross_entropy(big(device), torch.zeros(512, dtype=torch.long, device=device))
    value = loss.item()
    assert math.isfinite(value) and value > 0
    return value


@noted
def loop_until_the_loss_is_small(device):
    steps = 0
    while big(device).square().mean() + 1 > 0.5 and steps < 5000:
        steps += 1
        if device == "cpu":
            break
    return steps if device == "cpu" else min(steps, 4999)


@noted
def drawn_until_all_are_within_bounds(device):
    weight = nn.init.trunc_normal_(torch.empty(600, 600, device=device), std=0.02, a=-0.04, b=0.04)
    return list(weight.shape)


@noted
def losses_fall(device):
    losses = [float((big(device) + 1).mean()) for _ in range(5)]
    assert device == "cpu" or losses == sorted(losses, reverse=True) and losses[0] > losses[-1]
    return losses


@noted
def loss_is_the_same_when_read_again(device):
    loss = (big(device) + 1).mean()
    assert loss.item() == loss.item() == float(loss.cpu())
    return 0


@noted
def not_a_number_is_asked_for(device):
    return bool(torch.isnan(big(device)).any()), bool(torch.isinf(big(device)).any())


@noted
def all_is_finite(device):
    return bool(torch.isfinite(big(device)).all())


@noted
def norm_is_finite(device):
    weight = nn.Parameter(big(device))
    (weight * weight).sum().backward()
    return math.isfinite(float(nn.utils.clip_grad_norm_([weight], 1.0, error_if_nonfinite=True)))


# ---- sizes that follow from unknown values ----


@noted
def boolean_index_of_unknown_values(device):
    x = big(device)
    return x[x > 0].shape


@noted
def nonzero_of_unknown_values(device):
    return (big(device) > 0).nonzero().shape


@noted
def unique_of_unknown_values(device):
    return torch.unique(big(device)).shape


@noted
def count_of_an_unknown_mask(device):
    count = int((big(device) > 0).sum())
    return torch.empty(count, device=device).shape


@noted
def most_likely_class(device):
    best = big(device).argmax(1)
    assert all(0 <= index < 1024 for index in best.tolist())
    return best.tolist()


@noted
def routed_experts(device):
    scores, experts = big(device)[:, :8].topk(2, dim=-1)
    return [torch.where(experts == expert)[0].numel() for expert in range(8)]


@noted
def tokens_of_each_expert(device):
    experts = big(device)[:, :8].argmax(-1)
    counts = torch.bincount(experts, minlength=8).tolist()
    assert sum(counts) == 512
    return [part.shape[0] for part in big(device).split(counts)]


@noted
def generation_until_an_end_token(device):
    tokens = []
    for _ in range(20):
        tokens.append(int(big(device, 1)[-1].argmax()))
        if tokens[-1] == 2:
            break
    return len(tokens), tokens


@noted
def sampled_tokens(device):
    tokens = torch.multinomial(torch.softmax(big(device, 4), -1), 3)
    assert all(0 <= token < 1024 for row in tokens.tolist() for token in row)
    return tokens.tolist()


@noted
def random_size(device):
    size = torch.randint(5, 10, (1,), device=device).item()
    assert 5 <= size < 10
    return torch.empty(size, device=device).shape


@noted
def random_mask(device):
    return (torch.rand(100, device=device) > 0.5).nonzero().shape


@noted
def random_permutation(device):
    order = torch.randperm(50, device=device)
    assert sorted(order.tolist()) == list(range(50))
    return order.tolist()


@noted
def large_copy_to_the_host(device):
    return big(device, 1024).cpu().abs().max().item() + torch.randn(2000, 2000, device=device).cpu().numel()


@noted
def boxes_that_remain(device):
    import torchvision

    corners = torch.rand(300, 2, device=device) * 100
    boxes = torch.cat([corners, corners + 10], 1)
    return torchvision.ops.nms(boxes, torch.rand(300, device=device), 0.5).shape


@noted
def equality_of_unknown_values(device):
    return torch.equal(big(device), big(device) + 1)


@noted
def closeness_of_unknown_values(device):
    return torch.allclose(big(device), big(device) + 1)


@noted
def repeats_that_are_unknown(device):
    repeats = (big(device)[:, 0] + 2).long()
    return torch.repeat_interleave(repeats).shape


@noted
def overwritten_by_an_unknown_value(device):
    x = torch.ones(4, device=device)
    x.copy_(big(device)[0, :4])
    return x.tolist()


@noted
def one_unknown_element(device):
    x = torch.ones(4, device=device)
    x[2] = big(device)[0, 0]
    return x.sum().item()


@noted
def memory_that_was_known_before(device):
    for _ in range(20):
        x = torch.full((64,), 3.0, device=device)
        del x
        y = torch.empty(64, device=device)
        y.copy_(big(device)[0, :64])
    return y.tolist()


@noted
def statistics_of_a_batch_norm(device):
    norm = nn.BatchNorm1d(1024).to(device)
    norm(big(device) + 1)
    return norm.running_mean[0].item(), norm.num_batches_tracked.item()


@noted
def printed(device):
    return str(big(device)[0, :3].cpu())


@noted
def condition_in_a_thread(device):
    import threading

    found = []
    thread = threading.Thread(target=lambda: found.append(bool((big(device) > 1).any())))
    thread.start()
    thread.join()
    return found


@noted
def value_read_in_backward(device):
    class Reads(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return x * 1

        @staticmethod
        def backward(context, gradient):
            found.append(float(gradient.sum()))
            return gradient

    found = []
    Reads.apply(big(device).requires_grad_()).square().sum().backward()
    return found


@noted
def sparse_from_unknown_values(device):
    return big(device).to_sparse().indices().shape


# ---- the runner ----


def notes_of(program):
    """What the program gives on the simulated GPU, and what was said."""
    from memmodel_cuda import library

    said = []
    note = library.note
    library.note = lambda kind, text: said.append(text)
    try:
        return program("cuda"), said
    finally:
        library.note = note


def failure(program, must_be_exact):
    """What is wrong with the program, or None."""
    try:
        expected = program("cpu")
        found, said = notes_of(program)
    except Exception:
        return traceback.format_exc()
    if must_be_exact:
        return None if found == expected and not said else f"gave {found}, not {expected}; said {said}"
    return None if said or found == expected else f"gave {found}, not {expected}, and nothing was said"


def main(names):
    programs = {**EXACT, **NOTED}
    failures = 0
    for name in names or programs:
        what = failure(programs[name], name in EXACT)
        failures += what is not None
        if what is not None:
            print(f"{name}: {what}")
    print(f"{len(names or programs) - failures} of {len(names or programs)} programs hold")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
