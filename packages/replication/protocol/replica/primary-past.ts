/** History of a primary's stream, by ids and offsets, as reported by its INFO. */

/** Place in a primary's stream: the stream's id, and the bytes of it up to there. */
export interface StreamPosition {
  readonly id: string;
  readonly offset: number;
}

export interface PrimaryPast {
  readonly id: string;
  readonly offset: number;
  /** Id of the stream before, which the primary has up to an offset; -1 where there was none. */
  readonly secondId: string;
  readonly secondOffset: number;
}

/** Reads the lines of INFO; undefined where one is missing. */
export function readPast(info: string): PrimaryPast | undefined {
  const lines = new Map(
    info.split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    }),
  );
  const id = lines.get('master_replid');
  const secondId = lines.get('master_replid2');
  const offset = Number(lines.get('master_repl_offset') ?? NaN);
  const firstOther = Number(lines.get('second_repl_offset') ?? NaN);
  if (id === undefined || secondId === undefined) return undefined;
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(firstOther)) return undefined;
  // INFO reports the first offset beyond the previous stream, counting bytes from 1.
  return { id, offset, secondId, secondOffset: firstOther < 0 ? -1 : firstOther - 1 };
}

/** Offset up to which the primary has a stream that ends at a place; undefined where it does not know the stream. */
export function commonEnd(past: PrimaryPast, { id, offset }: StreamPosition): number | undefined {
  if (past.id === id) return Math.min(past.offset, offset);
  if (past.secondId === id && past.secondOffset >= 0) return Math.min(past.secondOffset, offset);
  return undefined;
}
