/** A command's arguments as the slow log keeps them: the first ones, the beginning of each, no secrets. */

import { type Bytes, ByteViews, copyBytes, copyWords, fromLatin1 } from '#base';

/** Bytes that arguments are read from; those of a frame, or of a parsed command. */
export interface ArgumentBytes {
  readonly source: Bytes;
  readonly count: number;
  at(index: number): number;
  length(index: number): number;
}

/** Maximum number of arguments kept; for longer commands, the last one is replaced by the number of the rest. */
const ARGUMENTS_KEPT_MAX = 32;
const START_BYTES = 64;
const SECRET = -1;

/** Shorter ones are copied byte by byte. */
const WORD_COPY_BYTES_MIN = 16;

/** The view of the memory that commands lie in: the same for nearly all of them. */
const sources = new ByteViews();

export class KeptArguments {
  /** Number of arguments that the command had. */
  #count = 0;
  #bytes = new Uint8Array(START_BYTES);
  #view = new DataView(this.#bytes.buffer);
  /** Ends and lengths of the arguments that are kept: where the bytes of each end, and how long it was; or SECRET. */
  readonly #ends = new Int32Array(ARGUMENTS_KEPT_MAX);
  readonly #lengths = new Int32Array(ARGUMENTS_KEPT_MAX);

  /** Keeps at most `bytesMax` bytes of each argument, and none of the secret ones. */
  keep(args: ArgumentBytes, secrets: readonly number[], bytesMax: number): this {
    const { source, count } = args;
    this.#count = count;
    const kept = this.#keptCount;
    let end = 0;
    for (let index = 0; index < kept; index += 1) {
      const length = args.length(index);
      const isSecret = secrets.length > 0 && secrets.includes(index);
      const bytes = isSecret ? 0 : Math.min(length, bytesMax);
      if (end + bytes > this.#bytes.length) this.#grow(end, end + bytes);
      this.#copy(source, args.at(index), end, bytes);
      end += bytes;
      this.#ends[index] = end;
      this.#lengths[index] = isSecret ? SECRET : length;
    }
    return this;
  }

  /** Keeps what another one has. */
  keepAll(other: KeptArguments): this {
    this.#count = other.#count;
    const kept = this.#keptCount;
    const end = kept === 0 ? 0 : other.#ends[kept - 1]!;
    if (end > this.#bytes.length) this.#grow(0, end);
    this.#bytes.set(other.#bytes.subarray(0, end));
    this.#ends.set(other.#ends.subarray(0, kept));
    this.#lengths.set(other.#lengths.subarray(0, kept));
    return this;
  }

  #copy(source: Bytes, from: number, to: number, length: number): void {
    const view = length < WORD_COPY_BYTES_MIN ? undefined : sources.of(source);
    if (view === undefined) copyBytes(source, from, this.#bytes, to, length);
    else copyWords(this.#view, to, view, from, length);
  }

  /** Returns a copy of each argument in the form that is shown. */
  get shown(): readonly Bytes[] {
    const shown: Bytes[] = [];
    const kept = this.#keptCount;
    let at = 0;
    for (let index = 0; index < kept; index += 1) {
      const end = this.#ends[index]!;
      shown.push(withNote(this.#bytes.slice(at, end), this.#lengths[index]!));
      at = end;
    }
    const left = this.#count - kept;
    if (left > 0) shown.push(fromLatin1(`... (${String(left)} more arguments)`));
    return shown;
  }

  get #keptCount(): number {
    return this.#count > ARGUMENTS_KEPT_MAX ? ARGUMENTS_KEPT_MAX - 1 : this.#count;
  }

  #grow(used: number, needed: number): void {
    const larger = new Uint8Array(2 ** Math.ceil(Math.log2(needed)));
    larger.set(this.#bytes.subarray(0, used));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

function withNote(bytes: Bytes, length: number): Bytes {
  if (length === SECRET) return fromLatin1('(redacted)');
  if (length === bytes.length) return bytes;
  const note = fromLatin1(`... (${String(length - bytes.length)} more bytes)`);
  const whole = new Uint8Array(bytes.length + note.length);
  whole.set(bytes);
  whole.set(note, bytes.length);
  return whole;
}
