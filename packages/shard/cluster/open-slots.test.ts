/** Keys of slots that are migrated key by key: redirects for keys that have moved. */

import { keySlot } from '#base';
import { Arguments, commandTable } from '#commands';
import type { ShardRedirect } from '#link';
import { pointedAt } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OpenSlots } from './open-slots.ts';

const open = suite('open slots');

const SLOT = keySlot(Buffer.from('a'), 0, 1);
const SECURE_CLIENT = 5;

function stage(...here: readonly string[]) {
  const redirects: ShardRedirect[] = [];
  const slots = new OpenSlots(
    { primary: 9 },
    {
      redirected: (redirect) => redirects.push(redirect),
      isSecure: (connection) => connection === SECURE_CLIENT,
    },
  );
  const keyspace = {
    peek: (source: Uint8Array, at: number, length: number) =>
      Number(here.includes(Buffer.from(source.slice(at, at + length)).toString())),
  } as never;
  const judge = (line: string, connection = 1): string | undefined => {
    const entry = commandTable.byName(line.split(' ')[0]!)!;
    return slots.refusalOf(entry, pointedAt(new Arguments(), line), { keyspace, connection })?.text;
  };
  return { slots, judge, redirects };
}

open('clients are sent to where keys have gone, by the way that they have come', () => {
  const { slots, judge, redirects } = stage('a');
  assert.is(judge('GET {a}2'), undefined);
  slots.update([{ slot: SLOT, target: { plain: 'h:1', secure: 'h:2' } }]);
  assert.is(judge('GET a'), undefined);
  assert.is(judge('GET {a}2'), `ASK ${SLOT} h:1`);
  assert.is(judge('GET {a}2', SECURE_CLIENT), `ASK ${SLOT} h:2`);
  assert.match(judge('MGET a {a}2') ?? '', /^TRYAGAIN/);
  assert.is(judge('GET {a}2', 9), undefined, 'what a primary sends is done');
  assert.equal(
    redirects.map(({ kind }) => kind),
    ['ask', 'ask', 'tryagain'],
  );
});

open('where keys come to, one alone may be made, and several must all be there', () => {
  const { slots, judge } = stage('a');
  slots.update([{ slot: SLOT, target: null }]);
  assert.is(judge('SET {a}2 1'), undefined);
  assert.match(judge('MGET a {a}2') ?? '', /^TRYAGAIN/);
});

open('a key is not put into another database while its slot moves', () => {
  const { slots, judge, redirects } = stage('a');
  assert.is(judge('MOVE a 1'), undefined);
  for (const target of [{ plain: 'h:1', secure: 'h:2' }, null]) {
    slots.update([{ slot: SLOT, target }]);
    assert.match(judge('MOVE a 1') ?? '', /^TRYAGAIN/);
    assert.match(judge('COPY a {a}2 REPLACE db 1') ?? '', /^TRYAGAIN/);
    assert.is(judge('MOVE a 1', 9), undefined, 'what a primary sends is done');
  }
  assert.equal(new Set(redirects.map(({ kind }) => kind)), new Set(['tryagain']));
});

open.run();
