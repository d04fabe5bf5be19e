// Everything one can do, with its keys: the list behind buttons, keyboard and help.

export function makeActions(page) {
  const { send, stage, tools } = page;
  const camera = stage.camera,
    speeds = page.speeds;
  const arrows = (right, up) => () => {
    if (tools.grab.active) tools.grab.moveBy(0.02 * right, 0.02 * up);
    else camera.turn(0.06 * right, 0.06 * up);
  };
  const list = (group, rows) =>
    rows.map(([name, keys, text, run, repeats = false]) => ({ group, name, keys, text, run, repeats }));
  const tool = (name, number, text) => [`tool-${name}`, [String(number)], text, () => tools.use(name)];
  return [
    ...list("Time", [
      ["play", [" "], "Play or pause", () => send(page.state.paused ? "play" : "pause")],
      ["step", ["."], "One step", () => send("step", { count: 1 }), true],
      ["back", [","], "One step back", () => send("back", { count: 1 }), true],
      ["reset", ["r"], "Begin anew", () => send("reset")],
      [
        "faster",
        [">"],
        "Faster",
        () => page.setSpeed(speeds[Math.min(speeds.indexOf(page.nearestSpeed()) + 1, speeds.length - 1)]),
      ],
      ["slower", ["<"], "Slower", () => page.setSpeed(speeds[Math.max(speeds.indexOf(page.nearestSpeed()) - 1, 0)])],
    ]),
    ...list("Tools", [
      tool("hand", 1, "Pull bodies, choose one"),
      tool("box", 2, "Add a box"),
      tool("ball", 3, "Add a ball"),
      tool("polygon", 4, "Add a polygon"),
      tool("joint", 5, "Connect two bodies by a joint"),
      tool("spring", 6, "Connect two bodies by a spring"),
      tool("delete", 7, "Delete bodies"),
      [
        "apply",
        ["Enter"],
        "Use the tool at the chosen body (pull: arrows move it)",
        () => tools.apply(page.chosen.body),
      ],
      ["shoot", ["t"], "Throw a ball into the scene", () => tools.editable && tools.adding.shoot()],
      ["remove", ["Delete", "Backspace"], "Delete the chosen body", () => tools.remove(0, page.chosen.body)],
      ["undo", ["u"], "Take the last change of a body back", () => page.canEdit && send("undo")],
      ["next", ["]"], "Choose the next body", () => page.chooseNext(1), true],
      ["previous", ["["], "Choose the previous body", () => page.chooseNext(-1), true],
      ["escape", ["Escape"], "Let go, choose nothing, close", () => page.escape()],
    ]),
    ...list("View", [
      ["fit", ["f"], "Fit the chosen body, or all, into view", () => page.fit()],
      ["home", ["Home"], "View as at first", () => stage.fit(true)],
      ["follow", ["v"], "Camera follows the chosen body", () => page.toggleFollow()],
      ["left", ["ArrowLeft"], "Turn left (flat worlds: move)", arrows(-1, 0), true],
      ["right", ["ArrowRight"], "Turn right", arrows(1, 0), true],
      ["up", ["ArrowUp"], "Turn up", arrows(0, 1), true],
      ["down", ["ArrowDown"], "Turn down", arrows(0, -1), true],
      ["pan-left", ["Shift+ArrowLeft"], "Move left", () => camera.pan(-0.05, 0), true],
      ["pan-right", ["Shift+ArrowRight"], "Move right", () => camera.pan(0.05, 0), true],
      ["pan-up", ["Shift+ArrowUp"], "Move up", () => camera.pan(0, 0.05), true],
      ["pan-down", ["Shift+ArrowDown"], "Move down", () => camera.pan(0, -0.05), true],
      ["zoom-in", ["+", "="], "Nearer", () => camera.zoom(1.15), true],
      ["zoom-out", ["-"], "Farther", () => camera.zoom(1 / 1.15), true],
      ["wireframe", ["w"], "Wireframe", () => page.setLook({ wireframe: !stage.look.wireframe })],
      ["grid", ["g"], "Grid", () => page.setLook({ grid: !stage.look.grid })],
      ["shadows", ["h"], "Shadows", () => page.setLook({ shadows: !stage.look.shadows })],
      ["colour", ["m"], "Next way of colouring", () => page.nextColour()],
      ["theme", ["d"], "Light or dark", () => page.toggleTheme()],
    ]),
    ...list("Panels", [
      ["setup", ["s"], "Scene and method", () => page.toggle("setup")],
      ["layers", ["l"], "What is drawn", () => page.toggle("layers")],
      ["curves", ["c"], "Curves", () => page.toggle("curves")],
      ["help", ["?"], "This list of keys", () => page.toggle("help")],
      ["filter", ["/"], "Find a scene", () => page.findScene()],
      ["compare", ["k"], "Compare with another method", () => page.askCompare()],
      ["export", ["e"], "Save the present state as a scene file", () => page.canEdit && send("export")],
    ]),
  ];
}
