/** `traceparent` as the W3C's Trace Context, level 1, writes it. */

import { type Bytes, CommandError } from '#base';

/** Fields of a `traceparent`, by the W3C's Trace Context, level 1. */
export interface TraceParent {
  /** 16 bytes. */
  readonly traceId: Bytes;
  /** 8 bytes: the application's span, which is the parent of ours. */
  readonly spanId: Bytes;
  /** The application traces this itself, and so is the server to. */
  readonly isSampled: boolean;
  /** For the next command only. */
  readonly isForNext: boolean;
}

const SAMPLED = 0x01;
/** Version, trace, parent and flags; versions to come may say more after them. */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/s;

const malformed = new CommandError(
  'ERR TRACEPARENT must be 00-<32 hex digits of the trace>-<16 of the parent>-<2 of the flags>, in lower case',
);
const invalidVersion = new CommandError('ERR TRACEPARENT version ff is not valid');
const emptyTrace = new CommandError('ERR TRACEPARENT trace id must not be all zeros');
const emptyParent = new CommandError('ERR TRACEPARENT parent id must not be all zeros');

/** Throws a CommandError that says what is wrong. */
export function parseTraceParent(text: string, isForNext: boolean): TraceParent {
  const [, version, traceId = '', spanId = '', flags = '', rest] = FORM.exec(text) ?? [];
  if (version === undefined || (version === '00' && rest !== undefined)) throw malformed;
  if (version === 'ff') throw invalidVersion;
  if (/^0+$/.test(traceId)) throw emptyTrace;
  if (/^0+$/.test(spanId)) throw emptyParent;
  return {
    traceId: Uint8Array.from(Buffer.from(traceId, 'hex')),
    spanId: Uint8Array.from(Buffer.from(spanId, 'hex')),
    isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0,
    isForNext,
  };
}
