/** RESP that a script's value becomes, collected in one buffer and handed on in pieces. */

const BUFFER_BYTES = 16_384;
/** Longer strings are passed on without a copy. */
const COPIED_BYTES_MAX = 4_096;
const CR = 0x0d;
const LF = 0x0a;
const ZERO = 0x30;
const MINUS = 0x2d;

/** Receiver of a reply's bytes, which it copies: they are another's when the call returns. */
export interface ReplySink {
  append(bytes: Uint8Array, at: number, length: number): void;
  /** Called for each error in the reply; `isCounted` for errors of commands, which are counted already. */
  failed(message: string, isCounted: boolean): void;
}

export class ReplyOutput {
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #length = 0;
  #sink: ReplySink | undefined;

  begin(sink: ReplySink): void {
    this.#sink = sink;
    this.#length = 0;
  }

  /** Writes an error. */
  error(message: string, isCounted: boolean): void {
    this.textLine('-', message);
    this.#sink?.failed(message, isCounted);
  }

  /** Passes on the rest. */
  end(): void {
    this.#flush();
    this.#sink = undefined;
  }

  /** Writes a type and a number as one line. */
  numberLine(type: number, value: number): void {
    this.#reserve(32);
    this.#buffer[this.#length++] = type;
    if (Number.isSafeInteger(value)) this.#digits(value);
    else this.#ascii(BigInt(value).toString());
    this.#lineEnd();
  }

  /** Writes one character for each byte; line ends in it become spaces. */
  textLine(type: string, text: string): void {
    this.raw(`${type}${text.replace(/[\r\n]/g, ' ')}\r\n`);
  }

  /** Writes finished RESP. */
  raw(text: string): void {
    if (text.length > COPIED_BYTES_MAX) {
      const bytes = Buffer.from(text, 'latin1');
      this.bytes(bytes, 0, bytes.length);
      return;
    }
    this.#reserve(text.length);
    this.#ascii(text);
  }

  /** Writes a bulk string, from where its bytes lie. */
  bulk(bytes: Uint8Array, at: number, length: number): void {
    this.numberLine(0x24, length);
    this.bytes(bytes, at, length);
    this.#reserve(2);
    this.#lineEnd();
  }

  bytes(bytes: Uint8Array, at: number, length: number): void {
    if (length > COPIED_BYTES_MAX) {
      this.#flush();
      this.#sink!.append(bytes, at, length);
      return;
    }
    this.#reserve(length);
    const buffer = this.#buffer;
    let target = this.#length;
    if (length > 32) buffer.set(bytes.subarray(at, at + length), target);
    else for (let nth = 0; nth < length; nth += 1) buffer[target++] = bytes[at + nth]!;
    this.#length += length;
  }

  #digits(value: number): void {
    const buffer = this.#buffer;
    let rest = Math.abs(value);
    if (value < 0) buffer[this.#length++] = MINUS;
    let count = 1;
    for (let limit = 10; rest >= limit; limit *= 10) count += 1;
    for (let nth = count - 1; nth >= 0; nth -= 1) {
      const next = Math.floor(rest / 10);
      // The digit first: with zero's code added, the number may be beyond 53 bits.
      buffer[this.#length + nth] = ZERO + (rest - next * 10);
      rest = next;
    }
    this.#length += count;
  }

  #ascii(text: string): void {
    const buffer = this.#buffer;
    for (let nth = 0; nth < text.length; nth += 1) buffer[this.#length++] = text.charCodeAt(nth);
  }

  #lineEnd(): void {
    this.#buffer[this.#length++] = CR;
    this.#buffer[this.#length++] = LF;
  }

  #reserve(length: number): void {
    if (this.#length + length > BUFFER_BYTES) this.#flush();
  }

  #flush(): void {
    if (this.#length > 0) this.#sink!.append(this.#buffer, 0, this.#length);
    this.#length = 0;
  }
}
