// Writes the page without a server, one HTML file with all of it: node web.mjs MODULE.js PAGE OUT.html
//
// PAGE is the folder with the bundled page; MODULE.wasm is beside MODULE.js. Style and scripts are put into the page, and
// the engine, packed.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";

const [script, page, out] = process.argv.slice(2), here = dirname(fileURLToPath(import.meta.url));
const read = (...path) => readFile(join(...path), "utf8");
const wasm = await readFile(script.replace(/\.js$/, ".wasm"));
const packed = JSON.stringify({ size: wasm.length, data: deflateSync(wasm, { level: 9 }).toString("base64") });
// What would end the element of a script, or begin a comment of HTML in it, stands there in another way.
const code = (text) => text.replaceAll(/<\/(script|style)/gi, "<\\/$1").replaceAll("<!--", "\\x3c!--");
const put = (html, mark, text) => {
  if (html.split(mark).length !== 2) throw new Error(`index.html has not one ${mark}`);
  return html.split(mark).join(text);
};
const worker = `${await read(script)}\n${await read(here, "src", "worker.js")}`;
let html = await read(page, "index.html");
html = put(html, '<link rel="stylesheet" href="style.css">', `<style>${code(await read(page, "style.css"))}</style>`);
html = put(html, '<script type="module" src="page.js"></script>', `<script type="text/plain" id="ashlar-worker">${code(worker)}</script>
<script type="application/json" id="ashlar-engine">${packed}</script>
<script type="module">${code(await read(page, "page.js"))}</script>`);
await writeFile(out, html);
