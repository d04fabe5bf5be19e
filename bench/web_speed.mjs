// Times of steps in the page without a server (make web) and in the program, as CSV: the least of several runs in turns.
import { cpus } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open, run, SOURCE } from "../tests/view/browser.mjs";

const SCENES = [["wall", ""], ["wall", "realtime"], ["pile", ""], ["net", ""], ["walker", ""], ["car", ""], ["roof-tower", ""], ["box-pile", "realtime"]];
const TURNS = 3, STEPS = 100;
const browser = await launch(), page = await open(await browser.newContext(), `${pathToFileURL(join(SOURCE, "out", "web", "index.html")).href}#paused`);
console.log(`# ${new Date().toISOString().slice(0, 10)}, ${cpus()[0].model}, commit ${process.env.ASHLAR_COMMIT}, ${STEPS} steps, least of ${TURNS}, one thread`);
console.log("scene,method,program_ms,page_ms,ratio,same_hash");
for (const [scene, method] of SCENES) {
  let best = [Infinity, Infinity], same = true;
  for (let turn = 0; turn < TURNS; turn++) {
    const here = await page.evaluate((words) => window.ashlar.run(...words), [scene, method, STEPS]);
    const there = JSON.parse((await run("run", scene, ...(method ? ["--method", method] : []), "--time", String(here.time), "--json")).output);
    best = [Math.min(best[0], there.step_ms.mean), Math.min(best[1], here.step_ms.mean)];
    same &&= here.hash === there.hash;
  }
  console.log([scene, method, best[0].toFixed(4), best[1].toFixed(4), (best[1] / best[0]).toFixed(2), same].join(","));
}
await browser.close();
