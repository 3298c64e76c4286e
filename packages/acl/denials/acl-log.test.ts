import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AclLog, type AclDenial } from './acl-log.ts';

const log = suite('log of denials');

const denial: AclDenial = {
  reason: 'key',
  context: 'toplevel',
  object: 'k',
  user: 'bob',
  client: 'id=1',
};

function countsOf(of: AclLog): readonly string[] {
  return of.entries.map(({ id, count, object }) => `${id} ${object} ${count}`);
}

log('counts what is alike in one entry, which comes to the front', () => {
  const all = new AclLog();
  all.add(denial, 0, 128);
  all.add({ ...denial, object: 'other' }, 1, 128);
  all.add({ ...denial, client: 'id=2' }, 60_000, 128);
  assert.equal(countsOf(all), ['0 k 2', '1 other 1']);
  assert.is(all.entries[0]!.client, 'id=2');
  assert.is(all.entries[0]!.createdMs, 0);
  assert.is(all.entries[0]!.updatedMs, 60_000);
});

log('a minute later it is another entry, and so it is in another context', () => {
  const all = new AclLog();
  all.add(denial, 0, 128);
  all.add(denial, 60_001, 128);
  all.add({ ...denial, context: 'lua' }, 60_001, 128);
  all.add({ ...denial, user: 'carl' }, 60_001, 128);
  all.add({ ...denial, reason: 'channel' }, 60_001, 128);
  assert.is(all.entries.length, 5);
});

log('keeps so many, and none with a length of 0', () => {
  const all = new AclLog();
  for (let nth = 0; nth < 20; nth += 1) all.add({ ...denial, object: String(nth) }, 0, 5);
  assert.equal(
    all.entries.map(({ object }) => object),
    ['19', '18', '17', '16', '15'],
  );
  all.add(denial, 0, 0);
  assert.equal(all.entries, []);
});

log('ids go on behind a reset', () => {
  const all = new AclLog();
  all.add(denial, 0, 128);
  all.reset();
  all.add(denial, 0, 128);
  assert.equal(countsOf(all), ['1 k 1']);
});

log.run();
