// The page in a real browser: what a user sees and does. Positions are read from the page (window.ashlar).
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { bodies, body, launch, open, run, SCREENSHOTS, serve, shoot, state, until } from "./browser.mjs";

const WIDE = { width: 1280, height: 720 }, SMALL = { width: 720, height: 450 };
let browser, context, server, page;

before(async () => { browser = await launch(); });
after(() => browser?.close());
beforeEach(async () => { context = await browser.newContext({ viewport: SMALL, acceptDownloads: true }); });
afterEach(async () => {
  await context.close();
  if (server) assert.equal(await server.end(), 0, "Ctrl-C is a proper end");
  server = null;
  if (page) assert.deepEqual(page.complaints, []);
  page = null;
});

async function view(...words) {
  server = await serve(...words);
  page = await open(context, server.address);
  return page;
}

// Stops it, and waits until that is what the picture shows.
async function pause() {
  await page.evaluate(() => window.ashlar.send("pause"));
  await until(page, () => window.ashlar.state().still);
  return state(page);
}

const distance = (a, b) => Math.hypot(...a.map((part, i) => part - b[i]));
const press = (name) => page.locator(`[data-action=${name}]`).click();

test("bodies fall as they should", async () => {
  await view("free-fall", "--paused");
  const high = (await bodies(page)).find(({ type }) => type === "dynamic"), { time } = await state(page);
  await press("play");
  await until(page, () => window.ashlar.state().time > 0.3);
  const fallen = (await pause()).time - time, low = await body(page, high.id);
  assert.ok(high.position[2] - low.position[2] > 0.4);
  assert.ok(Math.abs(high.position[2] - low.position[2] - 0.5 * 9.81 * fallen ** 2) < 0.05 * fallen, `${high.position} ${low.position} ${fallen} s`);
});

test("it pauses, steps and begins anew", async () => {
  await view("box-pile", "--set", "n=30");
  await until(page, () => window.ashlar.state().step > 5);
  await press("play");
  await until(page, () => window.ashlar.state().still);
  const still = await state(page);
  await press("step");
  await until(page, (step) => window.ashlar.state().step === step, still.step + 1);
  await page.keyboard.press(".");
  await until(page, (step) => window.ashlar.state().step === step, still.step + 2);
  const there = await bodies(page);
  await press("back");
  await until(page, (step) => window.ashlar.state().step === step, still.step + 1);
  await press("step");
  await until(page, (step) => window.ashlar.state().step === step, still.step + 2);
  assert.deepEqual(await bodies(page), there, "back and on again is the same place");
  await press("reset");
  await until(page, () => window.ashlar.state().time < 0.05);
});

test("a body is pulled by the mouse, and follows", async () => {
  await view("box-stack", "--set", "n=2", "--method", "realtime");
  const list = await bodies(page), top = list.filter(({ type }) => type === "dynamic").at(-1);
  const [x, y] = await page.evaluate((id) => window.ashlar.screen(id), top.id);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 8; i++) await page.mouse.move(x + 12 * i, y - 6 * i);
  await until(page, ([id, from]) => {
    const { position } = window.ashlar.bodies().find((one) => one.id === id);
    return Math.hypot(position[0] - from[0], position[1] - from[1]) > 0.3;
  }, [top.id, top.position]);
  await shoot(page, "grab");
  await page.mouse.up();
  const below = list.filter(({ type }) => type === "dynamic")[0];
  assert.ok(distance((await body(page, below.id)).position, below.position) < distance((await body(page, top.id)).position, top.position));
});

test("method, fields and scene are changed while it runs", async () => {
  await view("box-pile", "--set", "n=30");
  await press("setup");
  await page.locator("#choose-method").selectOption("dejong-2014");
  await until(page, () => window.ashlar.state().method === "dejong-2014");
  const { step } = await state(page);
  await until(page, (before) => window.ashlar.state().step > before, step);
  await page.getByLabel("Find a scene").fill("seesaw");
  await page.getByRole("button", { name: "seesaw" }).click();
  await page.getByRole("button", { name: "Load", exact: true }).click();
  await until(page, () => window.ashlar.state().scene === "seesaw" && window.ashlar.state().step > 3);
  await shoot(page, "seesaw");
});

test("every panel opens and fits", async () => {
  await page?.close();
  await view("box-pile", "--set", "n=30");
  for (const size of [WIDE, { width: 820, height: 1180 }]) {
    await page.setViewportSize(size);
    for (const panel of ["setup", "layers", "curves", "help"]) {
      await press(panel);
      await page.locator(`#${panel}`).waitFor({ state: "visible" });
      const box = await page.locator(`#${panel}`).boundingBox();
      assert.ok(box.width > 100 && box.height > 100, `${panel} is ${box.width} x ${box.height}`);
      assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width + 1 && box.y + box.height <= size.height + 1, panel);
      const overflow = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
      assert.ok(overflow[0] <= 0 && overflow[1] <= 0, `${panel}: the window scrolls by ${overflow}`);
      await shoot(page, `panel-${panel}-${size.width}`);
      await press(panel);
      await page.locator(`#${panel}`).waitFor({ state: "hidden" });
    }
  }
  await press("theme");
  await press("layers");
  await shoot(page, "dark");
});

test("debug layers are drawn", async () => {
  await view("box-stack", "--set", "n=5");
  await press("layers");
  for (const name of ["contacts", "bounds"]) await page.locator("#layers label.check").filter({ has: page.getByText(name, { exact: true }) }).locator("input").check();
  await until(page, () => window.ashlar.state().layers.length >= 2);
  await shoot(page, "layers");
});

test("curves have values", async () => {
  await view("box-stack", "--set", "n=5");
  await press("curves");
  await page.locator("#curves canvas").first().waitFor({ state: "visible" });
  assert.ok(await page.locator("#curves canvas").count() >= 3);
  await until(page, () => window.ashlar.state().time > 0.5);
  const inked = await page.locator("#curves canvas").first().evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.some((value, i) => i % 4 === 3 && value > 0);
  });
  assert.ok(inked);
  await page.setViewportSize(WIDE);
  await shoot(page, "curves");
});

test("bodies are added, joined and deleted", async () => {
  await view("box-stack", "--set", "n=2");
  const count = (await bodies(page)).length, box = await page.locator("#canvas").boundingBox();
  await press("tool-ball");
  await page.mouse.click(box.x + 0.3 * box.width, box.y + 0.8 * box.height);
  await until(page, (more) => window.ashlar.bodies().length === more, count + 1);
  await pause();
  await press("tool-delete");
  const ball = (await bodies(page)).at(-1);
  await page.mouse.click(...await page.evaluate((id) => window.ashlar.screen(id), ball.id));
  await until(page, (id) => !(window.ashlar.bodies().find((one) => one.id === id)?.position[0] < Infinity), ball.id);
});

test("the state is saved as a scene file that is good", async () => {
  await view("box-stack", "--set", "n=2", "--paused");
  await press("setup");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a scene file" }).click();
  const file = join(SCREENSHOTS, "saved.json");
  await (await saved).saveAs(file);
  assert.equal(JSON.parse(await readFile(file, "utf8")).ashlar, 1);
  assert.equal((await run("check", file)).status, 0);
});

test("two methods run side by side", async () => {
  await view("box-stack", "--set", "n=5", "--method", "realtime", "--compare", "dejong-2014");
  await until(page, () => window.ashlar.state().worlds === 2 && window.ashlar.state().step > 10);
  const [one, two] = [await bodies(page, 0), await bodies(page, 1)];
  assert.equal(one.length, two.length);
  await page.setViewportSize(WIDE);
  await until(page, () => window.ashlar.bodies(1).length > 0);
  await shoot(page, "compare");
});

test("a recording plays, and its time bar leads to any moment", async () => {
  const folder = join(SCREENSHOTS, "recording");
  assert.equal((await run("run", "seesaw", "--time", "2", "--out", folder, "--json")).status, 0);
  await view(folder);
  assert.ok(await page.locator("#timebar").isVisible());
  assert.ok(!await page.locator("#tools").isVisible(), "a recording cannot be changed");
  await until(page, () => window.ashlar.state().time > 0.1);
  await pause();
  await page.locator("#moment").fill("1.5");
  await until(page, () => Math.abs(window.ashlar.state().time - 1.5) < 0.05);
  const late = await bodies(page);
  await page.locator("#moment").fill("0");
  await until(page, () => window.ashlar.state().time < 0.05);
  const early = await bodies(page);
  assert.ok(late.some(({ position }, i) => distance(position, early[i].position) > 0.1));
  await shoot(page, "recording");
});

test("several pages watch, and one that goes disturbs nobody", async () => {
  await view("box-pile", "--set", "n=30");
  const other = await open(context, server.address);
  await other.close();
  const { step } = await state(page);
  await until(page, (before) => window.ashlar.state().step > before + 5, step);
});
