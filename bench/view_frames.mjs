// Frames a second of the viewer's page in headless Chromium without a graphics card, and where their time goes.
//
//   node bench/view_frames.mjs PROGRAM [SECONDS] [WIDTH HEIGHT] -- WORDS OF ashlar view
//
// The page counts its own work (decoding, placing, drawing: the calls to WebGL); what Chromium's process of graphics
// takes of the processors between them is the rasteriser, SwiftShader.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { join } from "node:path";

const source = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..");
const { chromium } = createRequire(join(source, "view", "package.json"))("playwright-core");
const dashes = process.argv.indexOf("--"), words = process.argv.slice(dashes + 1);
const [program, seconds = 20, width = 1280, height = 720] = process.argv.slice(2, dashes);

// Processor time of the descendants of this process, ms, by the type that Chromium gives its processes.
function processorTimes() {
  const stat = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "latin1").split(") ")[1].split(" ");
      const type = /--type=([a-z-]+)/.exec(readFileSync(`/proc/${name}/cmdline`, "latin1"))?.[1];
      stat.set(Number(name), { parent: Number(fields[1]), time: 10 * (Number(fields[11]) + Number(fields[12])), type });
    } catch { /* it has ended meanwhile */ }
  }
  const isOurs = (id) => id === process.pid || (stat.has(id) && stat.get(id).parent > 1 && isOurs(stat.get(id).parent));
  const sums = { "gpu-process": 0, renderer: 0 };
  for (const [id, { time, type }] of stat) if (type in sums && isOurs(id)) sums[type] += time;
  return sums;
}

const server = spawn(program, ["view", "--no-open", "--json", ...words], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((done) => {
  let output = "";
  server.stdout.on("data", (part) => {
    output += part;
    const found = /"address": *"([^"]+)"/.exec(output);
    if (found) done(found[1]);
  });
});
const browser = await chromium.launch({ executablePath: process.env.ASHLAR_CHROMIUM ?? "/usr/bin/chromium", args: [
  "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", ...(process.getuid() === 0 ? ["--no-sandbox"] : [])] });
try {
  const page = await browser.newPage({ viewport: { width: Number(width), height: Number(height) } });
  await page.goto(address);
  await page.waitForFunction(() => window.ashlar?.frames.count > 5, null, { timeout: 120000 });
  const look = async () => ({ at: performance.now(), processors: processorTimes(), ...await page.evaluate(() => ({ ...window.ashlar.frames, bodies: window.ashlar.bodies().length })) });
  const first = await look();
  await page.waitForTimeout(1000 * seconds);
  const last = await look(), frames = last.count - first.count;
  const each = (type) => (last.processors[type] - first.processors[type]) / frames;
  const row = { bodies: last.bodies, size: `${width} x ${height}`, "frames/s": 1000 * frames / (last.at - first.at), "interval (ms)": (last.at - first.at) / frames,
                "decode (ms)": last.decode, "place (ms)": last.place, "draw calls (ms)": last.draw, "page's process (ms)": each("renderer"), "rasteriser (ms)": each("gpu-process") };
  console.log(`${cpus()[0].model}, ${cpus().length} cores, ${browser.version()}\n`);
  console.log(`| ${Object.keys(row).join(" | ")} |\n|${Object.keys(row).map(() => "---:").join("|")}|`);
  console.log(`| ${Object.values(row).map((value) => (typeof value === "number" ? Number(value.toPrecision(3)) : value)).join(" | ")} |`);
} finally {
  await browser.close();
  server.kill("SIGINT");
}
