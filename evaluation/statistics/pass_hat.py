"""pass^k: the probability that k independent tries of one case all succeed."""

from math import comb


def pass_hat(tries: int, passed: int, k: int) -> float:
    """The unbiased estimate of pass^k from `passed` of `tries` tries of one case: C(passed, k) / C(tries, k).

    It is the share of the draws of k tries, without putting back, in which every one passed; passed / tries to the
    power of k would be too high on average. Yao, Shinn, Razavi and Narasimhan, "tau-bench: A Benchmark for
    Tool-Agent-User Interaction in Real-World Domains", 2024, arXiv:2406.12045, define it so, over tasks on average.
    Raises ValueError unless 0 <= passed <= tries and 1 <= k <= tries.
    """
    if not (0 <= passed <= tries and 1 <= k <= tries):
        raise ValueError(f"pass^{k} of {passed} in {tries}: k lies in 1..{tries}, what passed in 0..{tries}")
    return comb(passed, k) / comb(tries, k)
