// The spring and damper that hold the camera to a body (after Gribel 2009, 4: there the camera is a body without a
// shape, on a spring). Critical damping: it never overshoots, and x(t) = (a + b t) exp(-w t) is exact for any length of
// a frame.

export class Spring {
  constructor(frequency = 6) {
    // rad/s
    this.frequency = frequency;
    this.place = [0, 0, 0];
    this.speed = [0, 0, 0];
  }

  rest(place) {
    this.place = [...place];
    this.speed = [0, 0, 0];
  }

  // Moves towards the goal for `seconds`.
  pull(goal, seconds) {
    const w = this.frequency,
      fade = Math.exp(-w * seconds);
    for (let i = 0; i < 3; i++) {
      const a = this.place[i] - goal[i],
        b = this.speed[i] + w * a;
      this.place[i] = goal[i] + (a + b * seconds) * fade;
      this.speed[i] = (b - w * (a + b * seconds)) * fade;
    }
    return this.place;
  }
}
