/* Measuring on results: fitted orders, frequencies of signals, exact references. It serves judgement only and never
 * enters a simulation, so libm is allowed here. */
#include "experiments/analysis.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

double ashi_fitted_order(const double *x, const double *y, uint32_t count)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (!(x[i] > 0 && y[i] > 0 && isfinite(x[i]) && isfinite(y[i])))
            return NAN;
        mean_x += log(x[i]) / count;
        mean_y += log(y[i]) / count;
    }
    for (uint32_t i = 0; i < count; ++i) {
        double dx = log(x[i]) - mean_x;
        xx += dx * dx;
        xy += dx * (log(y[i]) - mean_y);
    }
    return xx > 0 ? xy / xx : (double)NAN;
}

double ashi_crossing_frequency(const double *values, uint32_t count, double interval)
{
    double first = 0, last = 0;
    uint32_t crossings = 0;
    for (uint32_t i = 1; i < count; ++i) {
        if (!(values[i - 1] < 0 && values[i] >= 0))
            continue;
        last = (double)i - values[i] / (values[i] - values[i - 1]);
        if (crossings++ == 0)
            first = last;
    }
    return crossings < 2 ? 0 : (crossings - 1) / ((last - first) * interval);
}

/* Amplitude of the Hann-windowed values at one frequency. The phase is turned by a rotation that is renewed from time
 * to time, so that rounding does not pile up. */
static double windowed_amplitude(const double *values, uint32_t count, double interval, double frequency)
{
    enum { RENEWAL = 256 };
    double turn = 2 * pi * frequency * interval, window_turn = 2 * pi / count;
    double step_c = cos(turn), step_s = sin(turn), window_c = cos(window_turn), window_s = sin(window_turn);
    double c = 1, s = 0, wc = 1, ws = 0, real = 0, imaginary = 0, weight = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (i % RENEWAL == 0) {
            c = cos(turn * i), s = sin(turn * i);
            wc = cos(window_turn * (i + 0.5)), ws = sin(window_turn * (i + 0.5));
        }
        double hann = 0.5 - 0.5 * wc;
        real += hann * values[i] * c;
        imaginary -= hann * values[i] * s;
        weight += hann;
        double turned = c * step_c - s * step_s, window_turned = wc * window_c - ws * window_s;
        s = s * step_c + c * step_s;
        c = turned;
        ws = ws * window_c + wc * window_s;
        wc = window_turned;
    }
    return 2 * hypot(real, imaginary) / weight;
}

ashi_peak ashi_spectral_peak(const double *values, uint32_t count, double interval, double low, double high)
{
    if (count < 4 || !(high > low))
        return (ashi_peak){0, 0};
    /* A Hann peak is four bins wide: four points a bin cannot miss it. */
    double resolution = 1 / (count * interval), spacing = resolution / 4;
    uint32_t points = (uint32_t)ceil((high - low) / spacing) + 1;
    ashi_peak best = {low, -1};
    for (uint32_t i = 0; i < points; ++i) {
        double frequency = fmin(low + i * spacing, high);
        double amplitude = windowed_amplitude(values, count, interval, frequency);
        if (amplitude > best.amplitude)
            best = (ashi_peak){frequency, amplitude};
    }
    /* Golden section inside the two neighbouring points, where the peak is the only maximum. */
    const double golden = 0.61803398874989485;
    double left = fmax(best.frequency - spacing, low), right = fmin(best.frequency + spacing, high);
    double a = right - golden * (right - left), b = left + golden * (right - left);
    double at_a = windowed_amplitude(values, count, interval, a);
    double at_b = windowed_amplitude(values, count, interval, b);
    while (right - left > 1e-5 * resolution) {
        if (at_a > at_b) {
            right = b, b = a, at_b = at_a;
            a = right - golden * (right - left);
            at_a = windowed_amplitude(values, count, interval, a);
        } else {
            left = a, a = b, at_a = at_b;
            b = left + golden * (right - left);
            at_b = windowed_amplitude(values, count, interval, b);
        }
    }
    double frequency = 0.5 * (left + right);
    return (ashi_peak){frequency, windowed_amplitude(values, count, interval, frequency)};
}

double ashi_chain_frequency(double tension, double mass, double spacing, uint32_t masses, uint32_t mode)
{
    return 2 * sqrt(tension / (mass * spacing)) * sin(mode * pi / (2.0 * (masses + 1.0)));
}

ashi_fall ashi_fall_with_drag(double gravity, double k, double time)
{
    if (!(k > 0))
        return (ashi_fall){0.5 * gravity * time * time, gravity * time};
    double rate = sqrt(gravity * k), x = rate * time;
    /* ln cosh x without overflow for long falls */
    double ln_cosh = x + log1p(exp(-2 * x)) - log(2.0);
    /* and without cancellation for short ones: ln cosh x = ln(1 + 2 sinh^2(x/2)) */
    if (x < 1)
        ln_cosh = log1p(2 * sinh(x / 2) * sinh(x / 2));
    return (ashi_fall){ln_cosh / k, sqrt(gravity / k) * tanh(x)};
}

/* Time and speed of the impact after a fall from that height. */
static void fall_down(double gravity, double k, double height, double *time, double *speed)
{
    if (!(k > 0)) {
        *time = sqrt(2 * height / gravity);
        *speed = sqrt(2 * gravity * height);
        return;
    }
    /* cosh(t sqrt(g k)) = e^(k H): with m = e^(k H) - 1, acosh(1 + m) = ln(1 + m + sqrt(m (m + 2))). */
    double m = expm1(k * height);
    *time = log1p(m + sqrt(m * (m + 2))) / sqrt(gravity * k);
    *speed = sqrt(-expm1(-2 * k * height) * gravity / k);
}

/* Height and velocity at a time after leaving the floor, before the apex or at it. */
static ashi_flight rise(double gravity, double k, double speed, double time)
{
    if (!(k > 0))
        return (ashi_flight){(speed - 0.5 * gravity * time) * time, speed - gravity * time, 0};
    double rate = sqrt(gravity * k), angle = atan(speed * sqrt(k / gravity)), left = angle - rate * time;
    return (ashi_flight){log(cos(left) / cos(angle)) / k, sqrt(gravity / k) * tan(left), 0};
}

static double rising_time(double gravity, double k, double speed)
{
    return k > 0 ? atan(speed * sqrt(k / gravity)) / sqrt(gravity * k) : speed / gravity;
}

ashi_flight ashi_bounce_with_drag(double gravity, double k, double drop, double restitution, double time)
{
    ashi_flight at = {.height = drop};
    for (;;) {
        double fall_time, speed;
        fall_down(gravity, k, at.height, &fall_time, &speed);
        if (time < fall_time) {
            ashi_fall fall = ashi_fall_with_drag(gravity, k, time);
            return (ashi_flight){at.height - fall.distance, -fall.speed, at.bounces};
        }
        time -= fall_time;
        at.bounces++;
        speed *= restitution;
        double up = rising_time(gravity, k, speed);
        if (time < up) {
            ashi_flight rising = rise(gravity, k, speed, time);
            rising.bounces = at.bounces;
            return rising;
        }
        time -= up;
        at.height = rise(gravity, k, speed, up).height;
        if (!(at.height > 1e-12 * drop)) /* the times of ever smaller bounces have a sum: it is over */
            return (ashi_flight){0, 0, at.bounces};
    }
}
