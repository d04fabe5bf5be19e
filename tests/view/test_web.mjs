// The page without a server (make web), opened from disk in a real browser: the same bits as the program's, scenes that run
// by any method, files that are dropped onto it.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { bodies, launch, open, run, shoot, SOURCE, state, until } from "./browser.mjs";

const FILE = join(SOURCE, "build-web", "index.html");
if (!existsSync(FILE)) {
  console.log("skipped: there is no build-web/index.html (make web makes it; it needs Emscripten, which tools/setup web installs)");
  process.exit(77);
}
// Scenes by their own method or another: solvers, joints, flat and curved shapes, loops.
const SAME = ["wall", "net", "star", "car", "walker", "rolling-balls", "assembly", "truck-2d", "pyramid-2d", "cow-pile", "heavy-chain", "tree",
  "wall realtime", "wall gribel-2009", "wall stewart-trinkle", "wall dejong-2014", "wall erleben-2007", "wall guendelman-2003", "wall penalty",
  "star engineering", "star realtime", "star faure", "star bender-iterative", "pile engineering"];
const STEPS = 10;
let browser, context, page;

before(async () => {
  browser = await launch();
  context = await browser.newContext({ viewport: { width: 720, height: 450 } });
  page = await open(context, `${pathToFileURL(FILE).href}#paused&scene=box-stack&n=3`);
});
after(() => browser?.close());
afterEach(() => { assert.deepEqual(page.complaints.splice(0), []); });

test("a run has the bits of the program's", async () => {
  const listed = JSON.parse((await run("list", "--json")).output).scenes.map(({ name }) => name);
  for (const words of SAME) {
    const [scene, method = ""] = words.split(" ");
    assert.ok(listed.includes(scene), scene);
    const here = await page.evaluate(([name, by, steps]) => window.ashlar.run(name, by, steps), [scene, method, STEPS]);
    const there = JSON.parse((await run("run", scene, ...(method ? ["--method", method] : []), "--time", String(here.time), "--json")).output);
    assert.equal(there.steps, STEPS, words);
    assert.equal(here.hash, there.hash, words);
  }
});

test("the address chooses the scene; it runs, and a body is pulled", async () => {
  await until(page, () => window.ashlar.state().scene === "box-stack");
  const stack = await bodies(page);
  assert.equal(stack.filter(({ type }) => type === "dynamic").length, 3, "its parameter n");
  await page.evaluate(() => window.ashlar.send("method", { name: "realtime" }));
  await page.locator("[data-action=play]").click();
  await until(page, () => window.ashlar.state().time > 0.2);
  const top = (await bodies(page)).filter(({ type }) => type === "dynamic").at(-1), [x, y] = await page.evaluate((id) => window.ashlar.screen(id), top.id);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 8; i++) await page.mouse.move(x + 12 * i, y - 6 * i);
  await until(page, ([id, from]) => {
    const { position } = window.ashlar.bodies().find((one) => one.id === id);
    return Math.hypot(position[0] - from[0], position[1] - from[1]) > 0.2;
  }, [top.id, top.position]);
  await page.mouse.up();
  await shoot(page, "web");
});

// As if a file was let go over the page.
function drop(name, text) {
  return page.evaluate(([file, content]) => {
    const data = new DataTransfer();
    data.items.add(new File([content], file));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [name, text]);
}

test("a scene file is dropped onto it, and one that is wrong is refused with its line", async () => {
  await drop("spinning-top.json", await readFile(join(SOURCE, "scenes", "spinning-top.json"), "utf8"));
  await until(page, () => window.ashlar.state().scene === "spinning-top" && window.ashlar.bodies().length > 0);
  await drop("wrong.json", '{"ashlar": 1,\n"bodies": [{"mas": 1}]}');
  await page.getByText(/wrong\.json:2/).waitFor();
  assert.equal((await state(page)).scene, "spinning-top", "what was there stays");
});
