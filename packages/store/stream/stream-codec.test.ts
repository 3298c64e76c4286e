/** Streams with what only Redis 8.8 knows, as bytes and back, in sections of any size. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { thereAndBack } from '../store.test-helper.ts';
import { IdPlace } from './id-index.ts';
import { streamCodecOf } from './stream-codec.ts';
import { StreamId } from './stream-id.ts';
import { Stream } from './stream.ts';

const codec = suite('bytes of extended streams');

const idOf = (ms: number): StreamId => new StreamId().setMs(ms);

/** A stream whose group has 300 entries pending, every third of them released, the last ones first. */
function extended(): Stream {
  const stream = new Stream({ durationSeconds: 60, maxSize: 1_000 });
  for (let nth = 1; nth <= 500; nth += 1) {
    stream.idempotentIds.remember(`producer ${nth % 3}`, `\0\xff${nth}`, idOf(nth));
  }
  stream.idempotentIds.duplicates = 7;
  const group = stream.createGroup('g', idOf(300), 300);
  const consumer = group.createConsumer('c', 1);
  group.keepDeliveryOrder();
  const at = new IdPlace();
  for (let nth = 1; nth <= 300; nth += 1) group.deliver(idOf(nth), consumer, 1_000 + nth);
  for (let nth = 300; nth >= 1; nth -= 3) {
    group.pending.find(idOf(nth), at);
    group.disown(at, idOf(nth));
    group.setDelivery(at, 0, nth);
  }
  return stream;
}

for (const sectionBytes of [1, 500, 1_000_000]) {
  codec(`in sections of ${sectionBytes} bytes`, () => {
    const before = extended();
    assert.ok(before.isExtended);
    const after = thereAndBack(streamCodecOf(sectionBytes), before) as Stream;
    const { idempotentIds } = after;
    assert.equal(idempotentIds.limits, before.idempotentIds.limits);
    assert.is(idempotentIds.added, 500);
    assert.is(idempotentIds.duplicates, 7);
    assert.equal(idempotentIds.counts(0), { producers: 3, ids: 500 });
    assert.equal(idempotentIds.find('producer 1', '\0\xff4', 0), idOf(4));
    const [group] = after.groups.sorted;
    const [other] = before.groups.sorted;
    assert.is(group!.releasedCount, 100);
    assert.equal(group!.releasedIds(), other!.releasedIds());
    assert.equal(group!.releasedIds()[0], idOf(300));
    assert.is(group!.consumers.get('c')!.pending.count, 200);
  });
}

codec('a stream without any of it is as it was before', () => {
  const stream = new Stream();
  assert.not.ok(stream.isExtended);
  const group = stream.createGroup('g', idOf(1), 1);
  group.deliver(idOf(1), group.createConsumer('c', 1), 5);
  assert.not.ok(stream.isExtended);
});

codec.run();
