/** DEBUG TRACING: state of tracing and the latest traces, without HTTP. */

import { CommandError, errors } from '#base';
import type { SpanReport, TraceReport } from '#api-types';
import type { ReplyWriter } from '#resp';
import { answerOrError } from '../../contexts/answer-later.ts';
import type { Arguments } from '../../arguments/arguments.ts';
import { onMain } from '../../definition/definition.ts';
import { debugHead } from './debug-head.ts';
import type { ServerContext, TraceStatus } from '../ports/ports.ts';

/** Default number of traces that RECENT returns. */
const RECENT_DEFAULT = 10;

const unknownWord = new CommandError('ERR DEBUG TRACING takes STATUS, or RECENT and a number');
const negative = new CommandError('ERR DEBUG TRACING RECENT takes a number that is not negative');
const noWait = new CommandError('ERR DEBUG TRACING is not allowed in transactions');

export const debugTracing = onMain<ServerContext>({
  ...debugHead,
  name: 'DEBUG|TRACING',
  summary: 'Returns the state of tracing, or the latest traces.',
  arity: -3,
  run(context, args) {
    const isStatus = args.spellsAt(2, 'STATUS') && args.count === 3;
    const isRecent = args.spellsAt(2, 'RECENT') && args.count <= 4;
    if (!isStatus && !isRecent) throw unknownWord;
    const count = isRecent ? recentCount(args) : 0;
    if (!context.mayBlock) throw noWait;
    if (isStatus) answerOrError(context, context.traces.status(), writeStatus);
    else answerOrError(context, context.traces.recent(count), writeTraces);
  },
});

function recentCount(args: Arguments): number {
  if (args.count === 3) return RECENT_DEFAULT;
  args.position = 3;
  const count = args.integer(errors.notInteger);
  if (count < 0) throw negative;
  return count;
}

function writeStatus(reply: ReplyWriter, status: TraceStatus): void {
  const pairs: [name: string, value: string | number][] = Object.entries(status);
  reply.mapHeader(pairs.length);
  for (const [name, value] of pairs) {
    reply.text(name);
    if (typeof value === 'string') reply.text(value);
    else reply.integer(value);
  }
}

function writeTraces(reply: ReplyWriter, traces: readonly TraceReport[]): void {
  reply.arrayHeader(traces.length);
  for (const trace of traces) writeTrace(reply, trace);
}

function writeTrace(reply: ReplyWriter, { trace_id: id, spans }: TraceReport): void {
  reply.mapHeader(2);
  reply.text('trace-id');
  reply.text(id);
  reply.text('spans');
  reply.arrayHeader(spans.length);
  for (const span of spans) writeSpan(reply, span);
}

function writeSpan(reply: ReplyWriter, span: SpanReport): void {
  reply.mapHeader(6);
  reply.text('span-id');
  reply.text(span.span_id);
  reply.text('parent-id');
  if (span.parent_id === null) reply.nil();
  else reply.text(span.parent_id);
  reply.text('name');
  reply.text(span.name);
  reply.text('start-us');
  reply.integer(span.start_us);
  reply.text('duration-us');
  reply.integer(Math.round(span.duration_us));
  const attributes = Object.entries(span.attributes);
  reply.text('attributes');
  reply.mapHeader(attributes.length);
  for (const [name, value] of attributes) {
    reply.text(name);
    reply.text(String(value));
  }
}
