// Bundles the page into dist/: page.js and page.css, which the program carries inside itself.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";

await mkdir("dist", { recursive: true });
await build({
  entryPoints: { page: "src/page.js", style: "src/style.css" },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "eof", // licences of what is bundled
  outdir: "dist",
  logLevel: "warning",
});
await copyFile("src/index.html", "dist/index.html");
