// A program that serves, and pages of it in Chromium: what the tests of the page share.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const SOURCE = process.env.ASHLAR_SOURCE, PROGRAM = process.env.ASHLAR_PROGRAM, SCREENSHOTS = process.env.ASHLAR_SCREENSHOTS;
const { chromium } = createRequire(join(SOURCE, "view", "package.json"))("playwright-core");
if (!existsSync(process.env.ASHLAR_CHROMIUM ?? "")) {
  console.log("skipped: there is no Chromium to open the page in (tools/setup test installs it)");
  process.exit(77); // which ctest takes for that
}
const PATIENCE = 60000; // ms; machines can be busy, and the picture is drawn by the processor

// Without a graphics card: SwiftShader draws, on the processor.
const SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-dev-shm-usage"];

export function launch() {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const asRoot = process.getuid() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: process.env.ASHLAR_CHROMIUM, args: [...SOFTWARE, ...asRoot] });
}

// Runs the program to its end: {status, output}.
export function run(...words) {
  return new Promise((done, fail) => {
    const child = spawn(PROGRAM, words, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (part) => { output += part; });
    child.on("error", fail);
    child.on("close", (status) => done({ status, output }));
  });
}

// `ashlar view` with these words: {address, end}; `end` is as Ctrl-C, and gives the exit status.
export function serve(...words) {
  const child = spawn(PROGRAM, ["view", "--no-open", "--json", ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const over = new Promise((done) => child.on("close", (status, signal) => done(status ?? signal)));
  let output = "", said = "";
  child.stderr.on("data", (part) => { said += part; });
  return new Promise((done, fail) => {
    child.stdout.on("data", (part) => {
      output += part;
      if (!output.includes("\n}") && !output.endsWith("}\n")) return;
      done({ ...JSON.parse(output), said: () => said, end: () => (child.kill("SIGINT"), over) });
    });
    over.then((status) => fail(new Error(`ashlar view ended with ${status}: ${said}`)));
  });
}

// A page with what it complained of in `page.complaints`: scripts that failed, and what the browser refused to load.
export async function open(context, address) {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") page.complaints.push(message.text()); });
  await page.goto(address);
  await page.waitForFunction(() => window.ashlar?.bodies().length > 0 && window.ashlar.frames.count > 0);
  return page;
}

// Waits until a function of the page, which gets `argument`, is true.
export function until(page, test, argument) {
  return page.waitForFunction(test, argument, { polling: 50, timeout: PATIENCE });
}

export const state = (page) => page.evaluate(() => window.ashlar.state());
export const bodies = (page, world = 0) => page.evaluate((which) => window.ashlar.bodies(which), world);

export async function body(page, name) {
  return (await bodies(page)).find((one) => one.name === name || one.id === name);
}

export function shoot(page, name) {
  return page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: "disabled" });
}
