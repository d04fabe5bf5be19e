#!/usr/bin/env python3
"""Prints the constants of src/math/sine.c and src/math/elementary.c, computed from series in exact integers.

Everything is held as an integer scaled by 2^BITS, so nothing depends on the precision of the machine.
"""

from fractions import Fraction

BITS = 1600
ONE = 1 << BITS


def arctan_of_inverse(n):
    """atan(1/n) by Gregory's series."""
    power, total, k = ONE // n, 0, 0
    while power:
        total += power // (2 * k + 1) * (-1) ** k
        power //= n * n
        k += 1
    return total


def arctan(fraction):
    """atan of a fraction at most 1, by the series that Euler found: it converges for all of them."""
    z = fraction * fraction / (1 + fraction * fraction)
    term = fraction / (1 + fraction * fraction)
    term, total, k = term.numerator * ONE // term.denominator, 0, 0
    while term:
        total += term
        k += 1
        term = term * (2 * k) * z.numerator // ((2 * k + 1) * z.denominator)
    return total


def ln2():
    """2 artanh(1/3)"""
    power, total, k = ONE // 3, 0, 0
    while power:
        total += power // (2 * k + 1)
        power //= 9
        k += 1
    return 2 * total


def parts(name, scaled, widths):
    """Splits a number into doubles: each holds the given number of leading bits of what remains."""
    rest = Fraction(scaled, ONE)
    for i, width in enumerate(widths):
        exponent = 0
        while Fraction(2) ** exponent <= abs(rest):
            exponent += 1
        while Fraction(2) ** (exponent - 1) > abs(rest):
            exponent -= 1
        unit = Fraction(2) ** (exponent - width)
        part = round(rest / unit) * unit
        print(f"{name}{i + 1} {float(part).hex()}")
        rest -= part


pi = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))
parts("HALF_PI_", pi // 2, [33, 33, 33, 53])
parts("HALF_PI_WIDE_", pi // 2, [53, 53])
parts("PI_WIDE_", pi, [53, 53])
parts("TWO_OVER_PI_", 2 * ONE * ONE // pi, [53])
parts("LN2_", ln2(), [32, 53])
parts("ONE_OVER_LN2_", ONE * ONE // ln2(), [53])
for i in range(9):
    parts(f"ARCTAN_{i}_EIGHTHS_", arctan(Fraction(i, 8)), [53, 53] if i else [])

print("2/pi in words of 32 bits:")
two_over_pi = 2 * ONE * ONE // pi
words = [(two_over_pi >> (BITS - 32 * (i + 1))) & 0xFFFFFFFF for i in range(38)]
print(", ".join(f"0x{w:08x}" for w in words))
