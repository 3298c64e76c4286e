/** Frames between main and a front thread: in order with or without room, and the window of each connection. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkMemory } from '../memory.ts';
import { RING_HEADER_BYTES, RingReader, type RingPlace } from '../rings/ring.ts';
import { FRONT_HEADER_BYTES, FrontFrame, FrontKind } from './front-frames.ts';
import { FRONT_SLOTS_BYTES, FrontSlots } from './front-slots.ts';
import { FrontWriter } from './front-writer.ts';

const fronts = suite('frames of front threads');

const PLACE: RingPlace = { header: 0, data: RING_HEADER_BYTES, bytes: 4_096 };

function fixture() {
  const memory = LinkMemory.allocate(RING_HEADER_BYTES + PLACE.bytes);
  return { memory, writer: new FrontWriter(memory, PLACE), reader: new RingReader(memory, PLACE) };
}

/** Takes all frames that are there, as kind, slot and text. */
function takeAll(memory: LinkMemory, reader: RingReader): string[] {
  const taken: string[] = [];
  for (let at = reader.next(); at >= 0; at = reader.next()) {
    const [bytes, kind, slot, value] = [
      FrontFrame.bytes,
      FrontFrame.kind,
      FrontFrame.slot,
      FrontFrame.value,
    ].map((word) => memory.words[(at >> 2) + word]!) as [number, number, number, number];
    const from = at + FRONT_HEADER_BYTES;
    const text = kind === FrontKind.data ? Buffer.from(memory.bytes.slice(from, from + value)) : '';
    taken.push(`${kind} ${slot} ${text.toString()}`);
    reader.advance(bytes);
  }
  reader.release();
  return taken;
}

fronts('come in order, those that found no room too', () => {
  const { memory, writer, reader } = fixture();
  const sent: string[] = [];
  const taken: string[] = [];
  for (let nth = 0; nth < 100; nth += 1) {
    const text = 'x'.repeat(nth * 3);
    writer.sendBytes(FrontKind.data, nth, Buffer.from(text), 0, text.length);
    writer.send(FrontKind.ended, nth);
    sent.push(`${FrontKind.data} ${nth} ${text}`, `${FrontKind.ended} ${nth} `);
  }
  assert.ok(writer.isFull);
  assert.not.ok(writer.tryBytes(FrontKind.data, 0, Buffer.from('y'), 0, 1), 'nothing overtakes');
  assert.not.ok(writer.hasRoom, 'before the reader has made some');
  while (taken.length < sent.length) {
    assert.ok(writer.publish());
    taken.push(...takeAll(memory, reader));
    writer.flush();
  }
  assert.equal(taken, sent);
  assert.not.ok(writer.isFull);
  assert.not.ok(writer.publish(), 'there is nothing more');
});

fronts('bytes that lie in the same memory are sent as others are', () => {
  const { memory, writer, reader } = fixture();
  const there = PLACE.data + PLACE.bytes - 64;
  memory.bytes.set(Buffer.from('__shared'), there);
  const part = memory.bytes.subarray(there, there + 32);
  writer.sendBytes(FrontKind.data, 1, part, 2, 6);
  writer.publish();
  assert.equal(takeAll(memory, reader), [`${FrontKind.data} 1 shared`]);
});

fronts('who waits for credit is told once', () => {
  const memory = LinkMemory.allocate(FRONT_SLOTS_BYTES);
  const slots = new FrontSlots(memory, 0);
  slots.clear(7);
  assert.equal([slots.takeIn(7, 10), slots.takenIn(7), slots.takenIn(8)], [false, 10, 0]);
  slots.awaitIn(7);
  assert.equal(
    [slots.takeOut(7, 5), slots.takeIn(7, 20), slots.takeIn(7, 30)],
    [false, true, false],
  );
  slots.awaitOut(7);
  assert.equal([slots.takeIn(7, 40), slots.takeOut(7, -1)], [false, true]);
  assert.is(slots.takenOut(7), -1, 'counts wrap');
  slots.clear(7);
  assert.equal([slots.takenIn(7), slots.takenOut(7)], [0, 0]);
});

fronts.run();
