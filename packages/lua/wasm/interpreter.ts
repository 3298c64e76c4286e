/** Module of the interpreter, compiled once for each thread. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { adapted } from './adapted.ts';

const FILE = 'wasmoon-lua5.1/dist/liblua5.1.wasm';

let compiled: object | undefined;

/** Compiles the interpreter once; returns the compiled module. */
export function interpreterModule(): object {
  compiled ??= new WebAssembly.Module(
    adapted(readFileSync(createRequire(import.meta.url).resolve(FILE))),
  );
  return compiled;
}
