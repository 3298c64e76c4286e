/** Binary form of WebAssembly, as far as a module is taken apart and put together again. */

const MAGIC_BYTES = 8;
const CONTINUES = 0x80;
const PAYLOAD = 0x7f;

/** Sections that are changed, by their ids. */
export const Section = { Global: 6, Export: 7, Code: 10 } as const;

/** Kinds of exports. */
export const ExportKind = { Function: 0, Global: 3 } as const;

/** One section: its id and what is after its length. */
interface WasmSection {
  readonly id: number;
  readonly body: Uint8Array;
}

/** Reads numbers and ranges from the front to the back. */
class WasmReader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  get more(): boolean {
    return this.at < this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.at++]!;
  }

  /** Reads a number in LEB128 without a sign. */
  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const next = this.byte();
      value += (next & PAYLOAD) * 2 ** shift;
      if (next < CONTINUES) return value;
    }
  }

  take(length: number): Uint8Array {
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }
}

/** Encodes a number in LEB128 without a sign. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= CONTINUES) {
    bytes.push((rest & PAYLOAD) | CONTINUES);
    rest = Math.floor(rest / CONTINUES);
  }
  return [...bytes, rest];
}

/** Encodes a number of 32 bits in LEB128 with its sign. */
export function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const low = rest & PAYLOAD;
    rest >>= 7;
    if ((rest === 0 && low < 0x40) || (rest === -1 && low >= 0x40)) return [...bytes, low];
    bytes.push(low | CONTINUES);
  }
}

/** Encodes a name: its length and its letters. */
export function wasmName(text: string): number[] {
  return [...unsigned(text.length), ...Buffer.from(text, 'latin1')];
}

/** Splits a module into its sections. */
export function sectionsOf(bytes: Uint8Array): WasmSection[] {
  const reader = new WasmReader(bytes, MAGIC_BYTES);
  const sections: WasmSection[] = [];
  while (reader.more) {
    const id = reader.byte();
    sections.push({ id, body: reader.take(reader.number()) });
  }
  return sections;
}

/** Puts sections together to a module. */
export function moduleOf(sections: readonly WasmSection[]): Uint8Array<ArrayBuffer> {
  const magic = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  const parts = sections.flatMap(({ id, body }) => [
    Uint8Array.from([id, ...unsigned(body.length)]),
    body,
  ]);
  const joined = Buffer.concat([magic, ...parts]);
  return new Uint8Array(joined.buffer, joined.byteOffset, joined.length);
}

/** Appends entries to a section that is a list. */
export function withEntries(
  section: WasmSection,
  entries: readonly (readonly number[])[],
): WasmSection {
  const reader = new WasmReader(section.body);
  const count = reader.number();
  const rest = section.body.subarray(reader.at);
  const body = Buffer.concat([
    Buffer.from(unsigned(count + entries.length)),
    rest,
    Buffer.from(entries.flat()),
  ]);
  return { id: section.id, body };
}

/** Puts instructions in front of those of some functions; the numbers are positions in the code section. */
export function withPrologues(
  section: WasmSection,
  prologues: ReadonlyMap<number, readonly number[]>,
): WasmSection {
  const reader = new WasmReader(section.body);
  const count = reader.number();
  const parts: Uint8Array[] = [Buffer.from(unsigned(count))];
  for (let nth = 0; nth < count; nth += 1) {
    const body = reader.take(reader.number());
    const prologue = prologues.get(nth) ?? [];
    const locals = localsBytes(body);
    const length = body.length + prologue.length;
    parts.push(Buffer.from(unsigned(length)), body.subarray(0, locals));
    parts.push(Buffer.from(prologue), body.subarray(locals));
  }
  return { id: section.id, body: Buffer.concat(parts) };
}

/** Length of the declarations of locals at the front of a function. */
function localsBytes(body: Uint8Array): number {
  const reader = new WasmReader(body);
  const groups = reader.number();
  for (let nth = 0; nth < groups; nth += 1) {
    reader.number();
    reader.byte();
  }
  return reader.at;
}
