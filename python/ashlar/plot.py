"""Curves of outputs, by matplotlib where it is installed."""


def plot(run, names, show=True):
    """One diagram for each unit, one below the other, with the time below them."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib (Debian: python3-matplotlib)") from error
    by_unit = {}
    for name in names:
        by_unit.setdefault(run.units[name] if name in run.units else run.outputs[name] and "", []).append(name)
    figure, axes = plt.subplots(max(len(by_unit), 1), 1, sharex=True, squeeze=False,
                                figsize=(7, 1.2 + 2.2 * max(len(by_unit), 1)))
    for place, (unit, group) in zip(axes[:, 0], by_unit.items()):
        for name in group:
            place.plot(run.times, run.outputs[name], label=name)
        place.set_ylabel(unit)
        place.grid(alpha=0.3)
        place.legend()
    axes[-1, 0].set_xlabel("s")
    figure.tight_layout()
    if show and plt.get_backend().lower() != "agg":
        plt.show()
    return figure
