/**
 * Converts a traced request to the spans of its trace. Pure, so that a displayed and an exported trace are equal,
 * ids included.
 *
 *   GET                        the whole of it: taken up by main, until its reply was in its place for the socket
 *     shard.queue              (shard-spans) waiting in the shard's ring
 *     shard.execute            in the shard
 *       shard.evict            (shard-spans) making room
 *       store.GET              the handler, on the data; one for each command of a transaction
 *       persistence.wal_write  (persistence-spans) effects written to the log
 *     persistence.wal_sync     (persistence-spans) waiting until the log was on disk, in sync mode
 *
 * A snapshot is a trace of its own, persistence.snapshot (persistence-spans).
 *
 * With scatter-gather-spans, what several shards answer has a span `scatter-gather` with these for each shard;
 * without, those of the slowest shard stand for all.
 */

import { ERROR_CODES } from '#base';
import { type PartTimes, type ShardWork, TracedPart, type TraceRecord } from '#link';
import { statementOf } from './statement.ts';

type Attributes = Readonly<Record<string, string | number>>;

export interface PlannedSpan {
  /** 16 hex digits. */
  readonly id: string;
  /** Null for the root of a trace. */
  readonly parentId: string | null;
  readonly name: string;
  readonly startUs: number;
  readonly endUs: number;
  readonly attributes: Attributes;
  /** The code of the error that was answered. */
  readonly error: string | null;
}

/** A trace as the debug API shows it; times are unix microseconds. */
export interface PlannedTrace {
  /** 32 hex digits. */
  readonly id: string;
  /** The application's span is the parent of the first. */
  readonly isRemote: boolean;
  /** The request's span first, and parents before their children. */
  readonly spans: readonly PlannedSpan[];
}

interface TraceContext {
  /** Names of commands by their index in the table, in lower case. */
  readonly commandNames: readonly string[];
  /** Microseconds that are added to a monotonic time to get unix microseconds. */
  readonly unixOffsetUs: number;
}

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
const SYSTEM = 'svc';

/** Bytes of a record's ids, as hex. */
export function idsOf({ ids, hasParent }: TraceRecord): {
  trace: string;
  span: string;
  parent: string;
} {
  const hex = Buffer.from(ids).toString('hex');
  const span = 2 * TRACE_ID_BYTES;
  const parent = span + 2 * SPAN_ID_BYTES;
  return {
    trace: hex.slice(0, span),
    span: hex.slice(span, parent),
    parent: hasParent ? hex.slice(parent) : '',
  };
}

/** Returns the command's name as typed by users. */
export function operationOf(command: number, names: readonly string[]): string {
  return (names[command] ?? 'unknown').toUpperCase().replace('|', ' ');
}

/** The shard that took longest. */
export function slowestOf(shards: readonly ShardWork[]): ShardWork | undefined {
  let slowest = shards[0];
  for (const one of shards) {
    if (slowest === undefined || executeUs(one) > executeUs(slowest)) slowest = one;
  }
  return slowest;
}

export function executeUs({ startUs, endUs }: ShardWork): number {
  return endUs - startUs;
}

/** The time at which a shard's answer was shown to main: on disk too, where it waited for that. */
function settledUs({ endUs, parts }: ShardWork): number {
  const last = parts.at(-1);
  return last?.part === TracedPart.logSync ? last.endUs : endUs;
}

export function plannedTrace(record: TraceRecord, context: TraceContext): PlannedTrace {
  const ids = idsOf(record);
  const plan = new Plan(record, context, ids.span);
  plan.addRequest(ids.parent === '' ? null : ids.parent);
  return { id: ids.trace, isRemote: ids.parent !== '', spans: plan.spans };
}

class Plan {
  readonly spans: PlannedSpan[] = [];
  readonly #record: TraceRecord;
  readonly #context: TraceContext;
  readonly #requestId: string;
  readonly #operation: string;

  constructor(record: TraceRecord, context: TraceContext, requestId: string) {
    this.#record = record;
    this.#context = context;
    this.#requestId = requestId;
    this.#operation = operationOf(record.command, context.commandNames);
  }

  addRequest(parentId: string | null): void {
    const record = this.#record;
    if (record.isSnapshot) {
      this.#addSnapshot();
      return;
    }
    const { shards, connection, keyCount, isGathered } = record;
    const [only, ...others] = shards;
    this.#push({
      id: this.#requestId,
      parentId,
      name: this.#operation,
      startUs: record.startUs,
      endUs: record.endUs,
      error: codeOf(record.error),
      attributes: {
        'db.system': SYSTEM,
        'db.operation': this.#operation,
        'db.statement': statementOf(record),
        'svc.connection_id': connection,
        'svc.key_count': keyCount,
        ...(only !== undefined && others.length === 0 ? { 'svc.shard_id': only.shard } : {}),
        ...errorAttribute(codeOf(record.error)),
      },
    });
    if (isGathered && record.spans.scatterGather) this.#addGather();
    else if (isGathered) this.#addShards(this.#requestId, [slowestOf(shards)]);
    else this.#addShards(this.#requestId, shards);
  }

  #addSnapshot(): void {
    const { startUs, endUs, keyCount } = this.#record;
    this.#push({
      id: this.#requestId,
      parentId: null,
      name: 'persistence.snapshot',
      startUs,
      endUs,
      error: null,
      attributes: { 'db.system': SYSTEM, 'svc.key_count': keyCount },
    });
  }

  /** From the first frame's being sent to the last part's being there. */
  #addGather(): void {
    const { shards, startUs } = this.#record;
    const endUs = Math.max(startUs, ...shards.map(settledUs));
    const id = this.#add(
      this.#requestId,
      { name: 'scatter-gather', startUs, endUs },
      {
        'svc.shard_count': shards.length,
      },
    );
    this.#addShards(id, shards);
  }

  #addShards(parentId: string, shards: readonly (ShardWork | undefined)[]): void {
    for (const one of shards) if (one !== undefined) this.#addShard(parentId, one);
  }

  #addShard(parentId: string, one: ShardWork): void {
    const { shard, startUs, endUs, queueUs, parts, error } = one;
    const attributes = { 'svc.shard_id': shard };
    if (this.#record.spans.shard && queueUs >= 0) {
      const times = { startUs: startUs - queueUs, endUs: startUs };
      this.#add(parentId, { name: 'shard.queue', ...times }, attributes);
    }
    const times = { name: 'shard.execute', startUs, endUs, error: codeOf(error) };
    const id = this.#add(parentId, times, attributes);
    // Calls of a script are reported before the script itself, which ends later.
    let calls: PartTimes[] = [];
    for (const part of parts) {
      if (part.part === TracedPart.call) {
        if (this.#record.spans.shard) calls.push(part);
        continue;
      }
      // The command has ended when its reply waits, and has not begun while it waits for values.
      const isBeside = part.part === TracedPart.logSync || part.part === TracedPart.fetch;
      const partId = this.#addPart(isBeside ? parentId : id, part, attributes);
      if (part.part !== TracedPart.store) continue;
      for (const call of calls) this.#addStore(partId ?? id, call, attributes);
      calls = [];
    }
  }

  #addStore(
    parentId: string,
    { detail, startUs, endUs }: PartTimes,
    attributes: Attributes,
  ): string {
    const operation = operationOf(detail, this.#context.commandNames);
    const times = { name: `store.${operation}`, startUs, endUs };
    return this.#add(parentId, times, { ...attributes, 'db.operation': operation });
  }

  /** Adds a span for a part; returns its id, or undefined if it is not wanted. */
  #addPart(parentId: string, times: PartTimes, attributes: Attributes): string | undefined {
    const { part, detail, startUs, endUs } = times;
    const { spans: switches } = this.#record;
    const add = (name: string, more: Attributes): string =>
      this.#add(parentId, { name, startUs, endUs }, { ...attributes, ...more });
    if (part === TracedPart.store) return this.#addStore(parentId, times, attributes);
    if (part === TracedPart.evict && switches.shard) {
      return add('shard.evict', { 'svc.evicted_keys': detail });
    }
    if (part === TracedPart.fetch && switches.shard) {
      return add('shard.fetch', { 'svc.fetched_values': detail });
    }
    if (part === TracedPart.logWrite && switches.persistence) {
      return add('persistence.wal_write', { 'svc.wal_bytes': detail });
    }
    if (part === TracedPart.logSync && switches.persistence) {
      return add('persistence.wal_sync', {});
    }
    return undefined;
  }

  #add(
    parentId: string,
    times: { name: string; startUs: number; endUs: number; error?: string | null },
    attributes: Attributes,
  ): string {
    const id = childId(this.#requestId, this.spans.length);
    const { connection } = this.#record;
    const error = times.error ?? null;
    this.#push({
      id,
      parentId,
      ...times,
      error,
      attributes: {
        'db.system': SYSTEM,
        'db.operation': this.#operation,
        'svc.connection_id': connection,
        ...attributes,
        ...errorAttribute(error),
      },
    });
    return id;
  }

  #push(span: PlannedSpan): void {
    const { unixOffsetUs } = this.#context;
    // A shard that is awake reads the clock once for the end of a command and the start of the next, which
    // may have been taken up a moment later than that.
    const startUs = Math.max(span.startUs, this.#record.startUs) + unixOffsetUs;
    this.spans.push({ ...span, startUs, endUs: Math.max(startUs, span.endUs + unixOffsetUs) });
  }
}

function codeOf(error: number): string | null {
  return ERROR_CODES[error] ?? null;
}

function errorAttribute(code: string | null): Attributes {
  return code === null ? {} : { 'error.type': code };
}

/** Returns a span id that is always the same for a position in a trace, and practically unique otherwise. */
function childId(requestId: string, index: number): string {
  const high = mixed(Number.parseInt(requestId.slice(0, 8), 16) ^ Math.imul(index, 0x9e3779b1));
  const low = mixed(Number.parseInt(requestId.slice(8), 16) ^ high);
  return hex(high) + hex(low | 1);
}

/** The finalizer of MurmurHash3 by Austin Appleby, in the public domain: a bijection of 32 bits. */
function mixed(value: number): number {
  let word = value ^ (value >>> 16);
  word = Math.imul(word, 0x85ebca6b);
  word ^= word >>> 13;
  word = Math.imul(word, 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
