// The page in a real browser: what a user sees and does. Places of bodies are read from the page (window.ashlar).
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { bodies, body, launch, open, run, SCREENSHOTS, serve, shoot, state, until } from "./browser.mjs";

const WIDE = { width: 1280, height: 720 }, TABLET = { width: 820, height: 1180 }, SMALL = { width: 720, height: 450 };
let browser, context, server, page;

// One server and one page for all: tests load their scenes, as users do.
before(async () => {
  browser = await launch();
  context = await browser.newContext({ viewport: SMALL, acceptDownloads: true });
  server = await serve("free-fall", "--paused");
  page = await open(context, server.address);
});
after(async () => {
  await browser?.close();
  assert.equal(await server?.end(), 0, "Ctrl-C is a proper end");
});
afterEach(() => { assert.deepEqual(page.complaints.splice(0), []); });

// Loads a scene into a small page without panels, layers and tools.
async function view(scene, parameters = {}, { method, compare = null, paused = false } = {}) {
  await page.setViewportSize(SMALL);
  const before = await page.evaluate(({ scene, parameters, method, compare, paused }) => {
    const { send, state } = window.ashlar, { generation } = state();
    for (const button of document.querySelectorAll("[data-panel][aria-expanded=true], [data-tool=hand]")) button.click();
    send(paused ? "pause" : "play");
    send("layers", { names: [] });
    send("colour", { mode: "body" });
    send("load", { scene, parameters, ...(method ? { method } : {}) });
    if (compare || state().worlds > 1) send("compare", { method: compare });
    return generation;
  }, { scene, parameters, method, compare, paused });
  await until(page, ([name, generation, worlds]) => {
    const state = window.ashlar.state();
    return state.scene === name && state.generation > generation && state.worlds === worlds && window.ashlar.bodies().length > 0;
  }, [scene, before, compare ? 2 : 1]);
}

const press = (name) => page.locator(`[data-action=${name}]`).click();
const distance = (a, b) => Math.hypot(...a.map((part, i) => part - b[i]));
const dynamic = async () => (await bodies(page)).filter(({ type }) => type === "dynamic");
const pixel = (id) => page.evaluate((which) => window.ashlar.screen(which), id);
const atStep = (step) => until(page, (wanted) => window.ashlar.state().step === wanted, step);

// Stops it, and waits until that is what the picture shows.
async function pause() {
  await page.evaluate(() => window.ashlar.send("pause"));
  await until(page, () => window.ashlar.state().paused && window.ashlar.state().still);
  return state(page);
}

test("bodies fall as they should", async () => {
  await view("free-fall", {}, { paused: true });
  const [high] = await dynamic(), { time } = await state(page);
  await press("play");
  await until(page, () => window.ashlar.state().time > 0.3);
  const fallen = (await pause()).time - time, { position } = await body(page, high.id), depth = high.position[2] - position[2];
  assert.ok(depth > 0.4);
  assert.ok(Math.abs(depth - 0.5 * 9.81 * fallen ** 2) < 0.05 * fallen, `${depth} m after ${fallen} s`);
});

test("it pauses, steps on and back, and begins anew", async () => {
  await view("box-pile", { n: 30 });
  await until(page, () => window.ashlar.state().step > 5);
  await press("play");
  await until(page, () => window.ashlar.state().still);
  const { step } = await state(page);
  await press("step");
  await atStep(step + 1);
  await page.keyboard.press(".");
  await atStep(step + 2);
  const there = await bodies(page);
  await press("back");
  await atStep(step + 1);
  await press("step");
  await atStep(step + 2);
  assert.deepEqual(await bodies(page), there, "back and on again is the same place");
  await press("reset");
  await until(page, () => window.ashlar.state().step < 2);
});

test("a body is pulled by the mouse and follows; pages that go disturb nobody", async () => {
  await view("box-stack", { n: 2 }, { method: "realtime" });
  const other = await open(context, server.address);
  await other.close();
  const [below, top] = await dynamic(), [x, y] = await pixel(top.id);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 8; i++) await page.mouse.move(x + 12 * i, y - 6 * i);
  await until(page, ([id, from]) => {
    const { position } = window.ashlar.bodies().find((one) => one.id === id);
    return Math.hypot(position[0] - from[0], position[1] - from[1]) > 0.3;
  }, [top.id, top.position]);
  await shoot(page, "grab");
  await page.mouse.up();
  assert.ok(distance((await body(page, below.id)).position, below.position) < distance((await body(page, top.id)).position, top.position));
});

test("method, fields and scene are changed while it runs", async () => {
  await view("box-pile", { n: 30 });
  await press("setup");
  await page.locator("#choose-method").selectOption("dejong-2014");
  await until(page, () => window.ashlar.state().method === "dejong-2014");
  const { step } = await state(page);
  await until(page, (before) => window.ashlar.state().step > before, step);
  await page.evaluate(() => window.ashlar.send("set", { field: "iterations", value: "17" }));
  await until(page, () => window.ashlar.state().fields.iterations === "17");
  await page.getByLabel("Find a scene").fill("seesaw");
  await page.getByRole("button", { name: "seesaw" }).click();
  await page.getByRole("button", { name: "Load", exact: true }).click();
  await until(page, () => window.ashlar.state().scene === "seesaw" && window.ashlar.state().step > 3);
});

// A panel that is open is seen whole, and the window does not scroll.
async function checkPanel(panel, size) {
  await press(panel);
  await page.locator(`#${panel}`).waitFor({ state: "visible" });
  const box = await page.locator(`#${panel}`).boundingBox();
  assert.ok(box.width > 100 && box.height > 100, `${panel} is ${box.width} x ${box.height}`);
  assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width + 1 && box.y + box.height <= size.height + 1, panel);
  const excess = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
  assert.ok(excess[0] <= 0 && excess[1] <= 0, `${panel}: the window scrolls by ${excess}`);
  await press(panel);
  await page.locator(`#${panel}`).waitFor({ state: "hidden" });
}

test("every panel opens and fits, on a desktop and on a tablet, light and dark", async () => {
  await view("box-stack", { n: 5 }, { paused: true });
  for (const size of [WIDE, TABLET]) {
    await page.setViewportSize(size);
    for (const panel of ["setup", "layers", "curves", "help"]) await checkPanel(panel, size);
    await press("theme");
  }
  await page.setViewportSize(WIDE);
  await press("theme");
  await press("layers");
  await shoot(page, "dark");
  await press("theme");
});

test("debug layers and colours are drawn", async () => {
  await view("box-stack", { n: 5 });
  await press("layers");
  const { points } = await page.evaluate(() => window.ashlar.renderer());
  assert.equal(points, 0);
  const layer = (name) => page.locator("#layers label.check").filter({ has: page.getByText(name, { exact: true }) }).locator("input");
  for (const name of ["bounds", "forces", "contacts"]) await layer(name).check();
  await until(page, () => window.ashlar.state().layers.length >= 3 && window.ashlar.renderer().points >= 20);
  await page.getByLabel("speed", { exact: true }).check();
  await until(page, () => window.ashlar.state().colour === "speed");
  await page.locator("#legend").waitFor({ state: "visible" });
  await page.setViewportSize(WIDE);
  await shoot(page, "layers");
});

test("the finest picture has light from all around, shadows and occlusion; software that is slow gets the plain one", async () => {
  await page.reload(); // measured anew
  await page.waitForFunction(() => window.ashlar?.frames.count > 0);
  await view("wall", {}, { method: "realtime" });
  await until(page, () => window.ashlar.renderer().measured);
  const { level, software } = await page.evaluate(() => window.ashlar.renderer());
  assert.ok(software && ["plain", "lit", "fine"].includes(level));
  await pause();
  const reds = async () => {
    await page.waitForTimeout(300);
    return page.evaluate(() => window.ashlar.reds());
  };
  await page.evaluate(() => window.ashlar.setQuality("plain"));
  const plain = await page.evaluate(() => window.ashlar.renderer());
  assert.deepEqual([plain.level, plain.fine], ["plain", false]);
  await page.evaluate(() => window.ashlar.setQuality("fine"));
  assert.equal((await page.evaluate(() => window.ashlar.renderer())).level, "fine");
  const shaded = await reds();
  await page.evaluate(() => window.ashlar.setOcclusion(false));
  const open = await reds(), darker = open.map((red, i) => red - shaded[i]), mean = (list) => list.reduce((sum, red) => sum + red, 0) / list.length;
  assert.ok(darker.filter((by) => by > 15).length > 20, "corners are darker");
  assert.ok(darker.filter((by) => by < -4).length < 0.002 * darker.length, "and nothing is brighter");
  assert.ok(mean(shaded) > 0.9 * mean(open), "most stays as it was");
  await page.evaluate(() => window.ashlar.setQuality("auto"));
});

test("materials are drawn as rough and as metallic as they are", async () => {
  const other = await serve(join(process.env.ASHLAR_SOURCE, "scenes", "materials.json"), "--paused");
  try {
    const shown = await open(context, other.address);
    const looks = await shown.evaluate(() => window.ashlar.materials());
    await shown.close();
    assert.ok(looks.some(({ roughness, metal }) => roughness === 0.15 && metal === 1), JSON.stringify(looks));
    assert.ok(looks.some(({ roughness, metal }) => roughness === 0.7 && metal === 0), "the usual one");
  } finally {
    await other.end();
  }
});

test("curves have values", async () => {
  await view("box-stack", { n: 5 });
  await press("curves");
  await page.locator("#curves canvas").first().waitFor({ state: "visible" });
  assert.ok(await page.locator("#curves canvas").count() >= 3);
  await until(page, () => window.ashlar.state().time > 0.5);
  const inked = await page.locator("#curves canvas").first().evaluate((canvas) =>
    canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value, i) => i % 4 === 3 && value > 0));
  assert.ok(inked);
  await page.setViewportSize(WIDE);
  await shoot(page, "curves");
});

test("the dial tells speed, error and energy; a click opens the curve; too slow is said, and realtime offered", async () => {
  await view("box-pile", { n: 300 }, { method: "guendelman-2003" });
  await page.evaluate(() => window.ashlar.send("speed", { value: 1000 })); // nothing keeps up with that
  const part = (name) => page.locator("#dial button").filter({ hasText: name });
  await page.locator("#dial .slow").waitFor({ state: "visible" });
  assert.match(await page.locator("#dial .slow").textContent(), /Slower than the chosen speed/);
  assert.match(await part("Error of the step").textContent(), /m\/s(exact|small|visible|large)/);
  assert.match(await part("Energy").textContent(), /% off(balanced|nearly balanced|drifting|wrong)/);
  await page.getByRole("button", { name: "Use realtime" }).click();
  await until(page, () => window.ashlar.state().method === "realtime");
  await part("Error of the step").click();
  await page.locator("#curves [data-plot=residual] canvas").first().waitFor({ state: "visible" });
  await page.evaluate(() => window.ashlar.send("speed", { value: 1 }));
});

// The pixel of a body once the camera rests: the same in three looks, with new pictures in between.
async function steadyPixel(id) {
  const count = () => page.evaluate(() => window.ashlar.frames.count);
  for (let before = await pixel(id), same = 0, i = 0; i < 100; i++) {
    await page.waitForTimeout(100);
    await until(page, (drawn) => window.ashlar.frames.count !== drawn, await count());
    const now = await pixel(id);
    same = distance(before, now) < 0.5 ? same + 1 : 0;
    if (same === 3) return now;
    before = now;
  }
  throw new Error("the picture does not come to rest");
}

// Presses on a body and pulls it by pixels, without letting go. The camera may set off just then: the press is repeated.
async function pull(id, [dx, dy]) {
  for (let i = 0; i < 5; i++) {
    const [x, y] = await steadyPixel(id);
    await page.mouse.move(x, y);
    await page.mouse.down();
    if ((await state(page)).grabbed === id) {
      for (let part = 1; part <= 8; part++) await page.mouse.move(x + dx * part / 8, y + dy * part / 8);
      return;
    }
    await page.mouse.up();
  }
  throw new Error("the body cannot be grabbed where it is drawn");
}

test("a brick of the wall moves at once when it is pulled, by exact and slow methods, too", async () => {
  for (const method of ["engineering", "guendelman-2003", "stewart-trinkle"]) {
    await view("wall", {}, { method });
    const brick = (await dynamic()).at(-1);
    try {
      await pull(brick.id, [0, -80]);
      await until(page, ([id, from]) => {
        const { position } = window.ashlar.bodies().find((one) => one.id === id);
        return Math.hypot(...position.map((part, i) => part - from[i])) > 0.1;
      }, [brick.id, brick.position]).catch(async (error) => {
        throw new Error(`${method}: ${JSON.stringify(await state(page))}`, { cause: error });
      });
    } finally {
      await page.mouse.up();
    }
    assert.equal((await state(page)).method, method, "the method stays what was chosen");
  }
});

test("a step that takes too long is stopped and said; realtime goes on", async () => {
  await view("wall", { columns: 60, rows: 40 }, { method: "engineering" }); // 2400 bricks: seconds a step
  await page.locator("#dial .slow").getByText("takes longer than").waitFor();
  assert.ok((await state(page)).paused);
  await page.getByRole("button", { name: "Wait longer" }).waitFor();
  await shoot(page, "late");
  await page.getByRole("button", { name: "Use realtime" }).click();
  await until(page, () => window.ashlar.state().method === "realtime" && window.ashlar.state().step > 1);
});

test("a wanted accuracy is set beside the step", async () => {
  await view("iftomm-pendulum");
  await press("setup");
  const wanted = page.getByLabel("accuracy", { exact: true });
  await wanted.fill("1e-5");
  await wanted.press("Enter");
  await until(page, () => window.ashlar.state().accuracy === 1e-5);
  const { step } = await state(page);
  await until(page, (from) => window.ashlar.state().step > from + 5, step);
});

test("the camera fits what moves, goes along with it, and frames what is chosen", async () => {
  await view("car");
  await until(page, () => window.ashlar.state().time > 0.5);
  const filled = () => page.evaluate(() => window.ashlar.filled());
  assert.ok(await filled() > 0.4, `the car takes ${await filled()} of the picture`);
  await page.evaluate(() => window.ashlar.send("speed", { value: 4 }));
  await until(page, () => window.ashlar.state().time > 10); // it has driven off
  await pause();
  await until(page, () => window.ashlar.filled() > 0.4 && window.ashlar.filled() < 1.1);
  const [wheel] = (await dynamic()).filter(({ name }) => name === "front left wheel");
  await page.evaluate((id) => window.ashlar.select(id), wheel.id);
  await press("fit");
  const [x, y] = await pixel(wheel.id), { x: left, y: top, width, height } = await page.locator("#canvas").boundingBox();
  assert.ok(Math.hypot(x - left - width / 2, y - top - height / 2) < 0.1 * height, "the wheel is in the middle");
  await page.evaluate(() => { window.ashlar.select(0); window.ashlar.send("speed", { value: 1 }); });
});

test("figures of the chosen body are shown, changed and taken back", async () => {
  await view("box-stack", { n: 2 }, { paused: true });
  const [, top] = await dynamic();
  await page.evaluate((id) => window.ashlar.select(id), top.id);
  const mass = page.getByLabel("Mass, kg"), before = await until(page, () => document.querySelector(".figures input")?.value).then((value) => value.jsonValue());
  await mass.fill("1234");
  await mass.press("Enter");
  await until(page, () => document.querySelector(".inspector button:not([hidden])") && document.querySelector(".figures input").value === "1234");
  await page.getByRole("button", { name: "Undo" }).click();
  await until(page, (value) => document.querySelector(".figures input").value === value, before);
  await page.setViewportSize(WIDE);
  await shoot(page, "chosen");
  await page.evaluate(() => window.ashlar.select(0));
});

// What a screen reader is told: the roles in which one acts, and their names.
const CONTROLS = new Set(["button", "checkbox", "combobox", "link", "listbox", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox"]);
async function controls() {
  const session = await context.newCDPSession(page), { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return nodes.filter(({ ignored, role }) => !ignored && CONTROLS.has(role?.value)).map(({ role, name }) => ({ role: role.value, name: name?.value ?? "" }));
}

test("a screen reader is told the name of every control, on a desktop and on a tablet, which can be touched", async () => {
  await view("iftomm-pendulum", {}, { paused: true });
  await page.evaluate(() => window.ashlar.select(window.ashlar.bodies().find(({ type }) => type === "dynamic").id));
  for (const viewport of [WIDE, TABLET]) {
    await page.setViewportSize(viewport);
    for (const panel of ["setup", "layers", "curves", "help"]) {
      await press(panel);
      const found = await controls();
      assert.ok(found.length > 25, `${found.length} controls`);
      assert.deepEqual(found.filter(({ name }) => name.trim() === ""), [], `${panel}: controls without a name`);
      await press(panel);
    }
    const names = new Set((await controls()).map(({ name }) => name));
    for (const part of ["Speed", "Frame rate", "Error of the step", "Energy"])
      assert.ok([...names].some((name) => name.startsWith(part)), `${part} is on the dial, among ${[...names].join("; ")}`);
    const small = await page.locator("header button, .tools button, .looks button, .dial button").evaluateAll((buttons) => buttons
      .map((button) => [button.ariaLabel ?? button.textContent, button.getBoundingClientRect()])
      .filter(([, { width, height }]) => width > 0 && (width < 40 || height < 40)).map(([name, { width, height }]) => `${name} ${width} x ${height}`));
    assert.deepEqual(small, [], "smaller than a finger");
  }
  await page.evaluate(() => window.ashlar.select(0));
});

test("bodies are added, joined and deleted, and the state is saved as a good scene file", async () => {
  await view("box-stack", { n: 2 });
  const count = (await bodies(page)).length, box = await page.locator("#canvas").boundingBox();
  await press("tool-ball");
  await page.mouse.click(box.x + 0.3 * box.width, box.y + 0.8 * box.height);
  await until(page, (more) => window.ashlar.bodies().length === more, count + 1);
  await pause();
  const [, top, ball] = await dynamic();
  await press("tool-joint");
  for (const { id } of [top, ball]) await page.mouse.click(...await pixel(id));
  await until(page, () => window.ashlar.links().joints.length === 1);
  await shoot(page, "joined");
  const saved = page.waitForEvent("download");
  await page.keyboard.press("e");
  const file = join(SCREENSHOTS, "saved.json");
  await (await saved).saveAs(file);
  assert.equal(JSON.parse(await readFile(file, "utf8")).joints.length, 1);
  assert.equal((await run("check", file)).status, 0);
  await press("tool-delete");
  await page.mouse.click(...await pixel(ball.id));
  await until(page, (id) => !(window.ashlar.bodies().find((one) => one.id === id)?.position[0] < Infinity), ball.id);
});

test("two methods run side by side", async () => {
  await view("box-stack", { n: 5 }, { method: "realtime", compare: "dejong-2014" });
  await until(page, () => window.ashlar.state().worlds === 2 && window.ashlar.state().step > 10);
  assert.equal((await bodies(page, 1)).length, (await bodies(page, 0)).length);
  await page.setViewportSize(WIDE);
  await shoot(page, "compare");
});

// Plays, and goes to the moments that the time bar is set to.
async function playBack() {
  await page.locator("#timebar").waitFor({ state: "visible" });
  assert.ok(!await page.locator("#tools").isVisible(), "what was recorded cannot be changed");
  if ((await state(page)).paused) await press("play");
  await until(page, () => window.ashlar.state().time > 0.1);
  await pause();
  await page.locator("#moment").fill("1.5");
  await until(page, () => Math.abs(window.ashlar.state().time - 1.5) < 0.05);
  const late = await bodies(page);
  await page.locator("#moment").fill("0");
  await until(page, () => window.ashlar.state().time < 0.05);
  const early = await bodies(page);
  assert.ok(late.some(({ position }, i) => distance(position, early[i].position) > 0.1));
}

test("a recording plays; its report does from disk, without a network", async () => {
  const folder = join(SCREENSHOTS, "recording"), file = join(SCREENSHOTS, "report.html");
  assert.equal((await run("run", "seesaw", "--time", "2", "--out", folder, "--json")).status, 0);
  assert.equal((await run("report", folder, "-o", file)).status, 0);
  const player = await serve(folder), first = page;
  try {
    page = await open(context, player.address);
    await playBack();
    await press("layers");
    const force = page.getByLabel("contact force", { exact: true });
    assert.ok(await force.isDisabled(), "a recording has no forces of contacts");
    assert.match(await page.locator("#layers .reason").first().textContent(), /recording/);
    await shoot(page, "recording");
    first.complaints.push(...page.complaints);
    await page.close();
    await context.setOffline(true);
    page = await open(context, pathToFileURL(file).href);
    await page.setViewportSize(WIDE); // its panels are open
    await playBack();
    assert.ok(await page.locator("#curves canvas").count() > 0);
    await shoot(page, "report");
    first.complaints.push(...page.complaints);
  } finally {
    page = first;
    assert.equal(await player.end(), 0);
  }
});
