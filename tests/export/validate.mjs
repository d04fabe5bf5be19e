// Prints what the Khronos validator says of a glTF file: validate.mjs FILE; status 77 where the validator is not installed.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../view/package.json', import.meta.url));
let validator;
try {
  validator = require('gltf-validator');
} catch {
  process.exit(77);
}
const report = await validator.validateBytes(new Uint8Array(readFileSync(process.argv[2])), { maxIssues: 100 });
console.log(JSON.stringify(report));
