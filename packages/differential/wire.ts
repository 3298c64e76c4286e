/**
 * Replies as the bytes that came, cut apart and, where two are not the same bytes, taken to pieces.
 *
 * Bytes are held as latin1 strings. A reply keeps its kind, so that `+OK` is not `$2 OK`.
 */

/** A reply taken to pieces: a text, or items. */
export interface Piece {
  readonly kind: string;
  readonly text: string;
  /** Nothing for what has no items, as a null array, whose kind is `*-1`. */
  readonly items: readonly Piece[] | undefined;
}

const AGGREGATES = '*~%>';
const BLOBS = '$=!';
const LINE_END = '\r\n';

/** The replies of a stream, each as its bytes; one that is not whole is left out. */
export function splitReplies(stream: string): string[] {
  const replies: string[] = [];
  for (let at = 0, end = replyEnd(stream, 0); end > at; end = replyEnd(stream, at)) {
    replies.push(stream.slice(at, end));
    at = end;
  }
  return replies;
}

/** Returns the end of the reply at `start`, or `start` when the rest of it is missing. */
function replyEnd(stream: string, start: number): number {
  let at = start;
  for (let missing = 1; missing > 0; missing -= 1) {
    const lineEnd = stream.indexOf(LINE_END, at);
    if (lineEnd === -1) return start;
    const kind = stream[at]!;
    const isBlob = BLOBS.includes(kind);
    const isAggregate = AGGREGATES.includes(kind);
    const count = isBlob || isAggregate ? Number(stream.slice(at + 1, lineEnd)) : -1;
    at = lineEnd + LINE_END.length;
    if (count < 0) continue;
    if (isBlob) at += count + LINE_END.length;
    else missing += kind === '%' ? count * 2 : count;
  }
  return at <= stream.length ? at : start;
}

/** Takes one reply to pieces. */
export function parseReply(reply: string): Piece {
  let at = 0;
  const next = (): Piece => {
    const lineEnd = reply.indexOf(LINE_END, at);
    const kind = reply[at]!;
    const line = reply.slice(at + 1, lineEnd);
    at = lineEnd + LINE_END.length;
    if (AGGREGATES.includes(kind) && line !== '-1') {
      const count = kind === '%' ? Number(line) * 2 : Number(line);
      return { kind, text: '', items: Array.from({ length: count }, next) };
    }
    const isNull = line === '-1' && (BLOBS.includes(kind) || AGGREGATES.includes(kind));
    if (isNull) return { kind: `${kind}-1`, text: '', items: undefined };
    if (!BLOBS.includes(kind)) return { kind, text: line, items: undefined };
    const text = reply.slice(at, at + Number(line));
    at += Number(line) + LINE_END.length;
    return { kind, text, items: undefined };
  };
  return next();
}

/** A piece as one line for people, which is the same exactly when the pieces are. */
export function shown({ kind, text, items }: Piece): string {
  if (items === undefined) return `${kind}${JSON.stringify(text)}`;
  return `${kind}[${items.map(shown).join(' ')}]`;
}

/** A command as the bytes that are sent. */
export function encoded(words: readonly string[]): string {
  let text = `*${words.length}\r\n`;
  for (const word of words) text += `$${word.length}\r\n${word}\r\n`;
  return text;
}

/** A command as one line for people. */
export function asLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w.:+*{}-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}
