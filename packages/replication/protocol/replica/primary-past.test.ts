/** The last place that the streams of a former primary and of its successor have in common. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commonEnd, readPast } from './primary-past.ts';

const past = suite('past of a primary');

const OWN = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const NONE = '0'.repeat(40);

function info(id: string, offset: number, secondId: string, second: number): string {
  return [
    '# Replication',
    'role:master',
    `master_replid:${id}`,
    `master_replid2:${secondId}`,
    `master_repl_offset:${offset}`,
    `second_repl_offset:${second}`,
    '',
  ].join('\r\n');
}

const cases: readonly (readonly [
  what: string,
  told: string,
  offset: number,
  end: number | undefined,
])[] = [
  ['a successor that has less', info(NEW, 500, OWN, 101), 120, 100],
  ['a successor that has all', info(NEW, 500, OWN, 101), 100, 100],
  ['a successor that has more', info(NEW, 500, OWN, 101), 80, 80],
  ['the same stream, which is shorter', info(OWN, 70, NONE, -1), 80, 70],
  ['the same stream, which has gone on', info(OWN, 170, NONE, -1), 80, 80],
  ['another stream', info(NEW, 500, NONE, -1), 80, undefined],
];

for (const [what, reported, offset, end] of cases) {
  past(what, () => {
    const found = readPast(reported);
    assert.ok(found !== undefined);
    assert.is(commonEnd(found, { id: OWN, offset }), end);
  });
}

past('an answer without the lines is none', () => {
  assert.is(readPast('# Replication\r\nrole:master\r\n'), undefined);
});

past.run();
