import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TraceReport } from '../api.ts';
import { errorOf, type Kind, lengthOf, selected } from './selection.ts';

const selection = suite('selection of traces');

function trace(name: string, durationUs: number, error?: string): TraceReport {
  const attributes = { 'db.statement': `${name} key`, ...(error && { 'error.type': error }) };
  const span = { span_id: 'a', parent_id: null, name, attributes };
  return {
    trace_id: `id-${name}`,
    spans: [
      { ...span, start_time_ms: 1_000, duration_us: durationUs },
      { ...span, span_id: 'b', start_time_ms: 1_001, duration_us: 10, attributes: {} },
    ],
  };
}

const TRACES = [trace('GET', 2_000), trace('SET', 50_000, 'OOM'), trace('EVAL', 900_000)];

const named = (text: string, kind: Kind, leastUs: number): string[] =>
  selected(TRACES, { text, kind, leastUs }).map(({ spans }) => spans[0]!.name);

selection('by outcome, duration and words, all together', () => {
  assert.equal(named('', '', 0), ['GET', 'SET', 'EVAL']);
  assert.equal(named('', 'failed', 0), ['SET']);
  assert.equal(named('', 'fine', 0), ['GET', 'EVAL']);
  assert.equal(named('', '', 50_000), ['SET', 'EVAL']);
  assert.equal(named('KEY eval', '', 0), ['EVAL']);
  assert.equal(named('id-set', 'failed', 50_001), []);
});

selection('a trace lasts until its last span ends', () => {
  assert.is(lengthOf(trace('GET', 5)), 1_010);
  assert.is(errorOf(TRACES[1]!), 'OOM');
  assert.is(errorOf({ trace_id: '', spans: [] }), '');
});

selection.run();
