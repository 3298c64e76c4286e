/**
 * Entries of the interpreter's table of functions for functions written here. The table takes functions of
 * WebAssembly only: a module that imports a function and exports it again makes one of it.
 */

import { moduleOf, unsigned, wasmName } from './binary.ts';

const I32 = 0x7f;
const FUNCTION_TYPE = 0x60;
const TypeSection = 1;
const ImportSection = 2;
const ExportSection = 7;

/** Signatures, as the types of the module: a C function of Lua, and a hook. */
export const Signature = { Function: 0, Hook: 1 } as const;
const TYPES = [
  [FUNCTION_TYPE, 1, I32, 1, I32],
  [FUNCTION_TYPE, 2, I32, I32, 0],
];

/** Appends functions of one signature to the table; returns the number of the first. */
export function addEntries(
  table: WebAssembly.Table,
  functions: readonly unknown[],
  signature: number,
): number {
  const count = functions.length;
  const imports = functions.map((_, nth) => [...name(nth, 'h'), 0, signature]);
  const exports = functions.map((_, nth) => [...wasmName(String(nth)), 0, ...unsigned(nth)]);
  const section = (id: number, list: readonly (readonly number[])[]) => ({
    id,
    body: Uint8Array.from([...unsigned(list.length), ...list.flat()]),
  });
  const module = new WebAssembly.Module(
    moduleOf([
      section(TypeSection, TYPES),
      section(ImportSection, imports),
      section(ExportSection, exports),
    ]),
  );
  const given = Object.fromEntries(functions.map((one, nth) => [String(nth), one]));
  const { exports: entries } = new WebAssembly.Instance(module, { h: given });
  const first = table.grow(count);
  for (let nth = 0; nth < count; nth += 1) table.set(first + nth, entries[nth]);
  return first;
}

function name(nth: number, module: string): number[] {
  return [...wasmName(module), ...wasmName(String(nth))];
}
