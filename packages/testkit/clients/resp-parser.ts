/**
 * Reads RESP2 and RESP3 replies from chunks of any size.
 *
 * Shares nothing with the server's own reader and writer, so that a mistake there cannot be its own
 * proof here.
 */

const CR = 0x0d;
const AGGREGATES = '*~>%|';

/** An error reply, as a value. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';

  /** The first word: `ERR`, `WRONGTYPE`, ... */
  get code(): string {
    return this.message.split(' ', 1)[0] ?? '';
  }
}

/** A RESP3 verbatim string, with its three-letter format. */
export class Verbatim {
  readonly format: string;
  readonly text: string;

  constructor(format: string, text: string) {
    this.format = format;
    this.text = text;
  }
}

/** A RESP3 push: what the server says unasked. */
export class Push {
  readonly items: Reply[];

  constructor(items: Reply[]) {
    this.items = items;
  }
}

/** Any reply. Big numbers are bigint, bulk strings strings or, where asked for, Buffers. */
export type Reply =
  | null
  | boolean
  | number
  | bigint
  | string
  | Buffer
  | ReplyError
  | Verbatim
  | Push
  | Reply[]
  | Set<Reply>
  | Map<Reply, Reply>;

/** The text of a reply: of a string of any kind as it is, of an error its message, else as JSON. */
export function textOf(reply: Reply | undefined): string {
  if (typeof reply === 'string') return reply;
  if (Buffer.isBuffer(reply)) return reply.toString('latin1');
  if (reply instanceof Verbatim) return reply.text;
  if (reply instanceof ReplyError) return reply.message;
  return reply === undefined ? '' : JSON.stringify(reply);
}

/** A reply in which names and values follow one another: the values by name. */
export function byName(reply: unknown): Map<string, Reply> {
  const flat = reply as Reply[];
  const found = new Map<string, Reply>();
  for (let at = 0; at < flat.length; at += 2) found.set(textOf(flat[at]), flat[at + 1]!);
  return found;
}

interface Open {
  readonly kind: string;
  readonly items: Reply[];
  missing: number;
}

/** Turns bytes into replies, in order. */
export class RespParser {
  readonly #onReply: (reply: Reply) => void;
  readonly #buffers: boolean;
  readonly #open: Open[] = [];
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Nothing is tried before this many bytes are here, so that a big bulk is joined only once. */
  #neededBytes = 1;

  constructor(onReply: (reply: Reply) => void, buffers = false) {
    this.#onReply = onReply;
    this.#buffers = buffers;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#neededBytes) return;
    const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    let at = 0;
    let next = this.#readOne(all, at);
    while (next !== undefined) {
      at = next;
      next = this.#readOne(all, at);
    }
    const rest = all.subarray(at);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
  }

  /** Reads one element; answers where the next begins, or nothing when bytes are missing. */
  #readOne(all: Buffer, at: number): number | undefined {
    const lineEnd = all.indexOf(CR, at);
    if (lineEnd === -1 || lineEnd + 2 > all.length) {
      this.#neededBytes = all.length - at + 1;
      return undefined;
    }
    const kind = String.fromCharCode(all[at]!);
    const line = all.toString('utf8', at + 1, lineEnd);
    const afterLine = lineEnd + 2;
    if (AGGREGATES.includes(kind)) return this.#beginAggregate(kind, Number(line), afterLine);
    if (!'$=!'.includes(kind)) {
      this.#deliver(scalar(kind, line));
      return afterLine;
    }
    const bytes = Number(line);
    if (bytes === -1) {
      this.#deliver(null);
      return afterLine;
    }
    const end = afterLine + bytes;
    if (end + 2 > all.length) {
      this.#neededBytes = end + 2 - at;
      return undefined;
    }
    this.#deliver(this.#blob(kind, all.subarray(afterLine, end)));
    return end + 2;
  }

  #blob(kind: string, bytes: Buffer): Reply {
    if (kind === '!') return new ReplyError(bytes.toString());
    if (kind === '=') return new Verbatim(bytes.toString('utf8', 0, 3), bytes.toString('utf8', 4));
    return this.#buffers ? Buffer.from(bytes) : bytes.toString();
  }

  #beginAggregate(kind: string, count: number, next: number): number {
    if (count === -1) {
      this.#deliver(null);
      return next;
    }
    const open = { kind, items: [], missing: '%|'.includes(kind) ? count * 2 : count };
    if (open.missing > 0) this.#open.push(open);
    else this.#deliver(finished(open));
    return next;
  }

  #deliver(reply: Reply): void {
    let value: Reply | undefined = reply;
    while (value !== undefined) {
      const open: Open | undefined = this.#open.at(-1);
      if (open === undefined) {
        this.#onReply(value);
        return;
      }
      open.items.push(value);
      open.missing -= 1;
      if (open.missing > 0) return;
      this.#open.pop();
      // An attribute belongs to the reply after it and is no reply itself.
      value = open.kind === '|' ? undefined : finished(open);
    }
  }
}

function finished(open: Open): Reply {
  const { kind, items } = open;
  if (kind === '~') return new Set(items);
  if (kind === '>') return new Push(items);
  if (kind !== '%') return items;
  const map = new Map<Reply, Reply>();
  for (let index = 0; index < items.length; index += 2) map.set(items[index]!, items[index + 1]!);
  return map;
}

function scalar(kind: string, line: string): Reply {
  switch (kind) {
    case '+':
      return line;
    case '-':
      return new ReplyError(line);
    case ':':
      return integer(line);
    case '_':
      return null;
    case '#':
      return line === 't';
    case ',':
      return double(line);
    case '(':
      return BigInt(line);
    default:
      throw new Error(`not a reply: ${JSON.stringify(kind + line)}`);
  }
}

function integer(line: string): number | bigint {
  const value = Number(line);
  return Number.isSafeInteger(value) ? value : BigInt(line);
}

function double(line: string): number {
  if (line === 'inf') return Infinity;
  if (line === '-inf') return -Infinity;
  return Number(line);
}
