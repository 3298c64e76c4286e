/** CLIENT TRACEPARENT: an application says which trace its commands belong to. */

import { CommandError, type Bytes } from '#base';
import { onMain } from '../definition.ts';
import { noKeys } from '../keys.ts';

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
/** Version, trace, parent and flags; versions to come may say more behind them. */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/s;

const malformed = new CommandError(
  'ERR TRACEPARENT must be 00-<32 hex digits of the trace>-<16 of the parent>-<2 of the flags>, in lower case',
);
const invalidVersion = new CommandError('ERR TRACEPARENT version ff is not valid');
const emptyTrace = new CommandError('ERR TRACEPARENT trace id must not be all zeros');
const emptyParent = new CommandError('ERR TRACEPARENT parent id must not be all zeros');
const badWord = new CommandError('ERR TRACEPARENT takes NEXT behind the value, or OFF alone');

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

export const traceParent = onMain({
  name: 'CLIENT|TRACEPARENT',
  sessionOnly: true,
  summary: 'Says which trace the commands of this connection belong to, or the next of them.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'connection',
  arity: -3,
  flags: ['noscript', 'loading', 'stale'],
  keys: noKeys,
  args: [
    {
      name: 'context',
      type: 'oneof',
      arguments: [
        { name: 'traceparent', type: 'string' },
        { name: 'off', type: 'pure-token', token: 'OFF' },
      ],
    },
    { name: 'next', type: 'pure-token', token: 'NEXT', optional: true },
  ],
  run({ client, reply }, args) {
    const isForNext = args.count === 4 && args.spellsAt(3, 'NEXT');
    const isOff = args.spellsAt(2, 'OFF');
    if (args.count > 4 || (args.count === 4 && (isOff || !isForNext))) throw badWord;
    client.traceParent = isOff ? undefined : parseTraceParent(args.latin1(2), isForNext);
    reply.ok();
  },
});
