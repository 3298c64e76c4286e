/** Rare messages survive the way between threads, and own their bytes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeControl, encodeControl, type Control } from './control.ts';
import { LinkMemory } from '../memory.ts';

const messages = suite('control messages');

const all: readonly Control[] = [
  { kind: 'role', isReplica: true, primary: 7 },
  { kind: 'lacks-replicas', isSo: true },
  { kind: 'stale', isSo: true },
  { kind: 'stop' },
  { kind: 'reset-bands', generation: 3 },
  {
    kind: 'settings',
    values: {
      maxmemory: 2 ** 40,
      policy: 'allkeys-lru',
      bands: [0.5, 1, 10],
      on: true,
      off: false,
    },
  },
];

for (const message of all) {
  messages(`${message.kind} arrives as it was sent`, () => {
    assert.equal(decodeControl(encodeControl(message)), message);
  });
}

messages('an encoded message is not changed by the next one', () => {
  const first = encodeControl(all[3]!);
  const copy = first.slice();
  encodeControl({ kind: 'settings', values: { maxmemory: 1 } });
  assert.equal(first, copy);
});

messages('the memory of a link is copied by ranges that may overlap', () => {
  const memory = LinkMemory.allocate(100_000);
  assert.ok(memory.bytes.length >= 100_000);
  memory.bytes.set([1, 2, 3, 4, 5], 70_000);
  memory.copy(70_001, 70_000, 5);
  assert.equal([...memory.bytes.slice(70_000, 70_007)], [1, 1, 2, 3, 4, 5, 0]);
  memory.copy(3, 70_001, 0);
  assert.equal([...memory.bytes.slice(0, 8)], [0, 0, 0, 0, 0, 0, 0, 0]);
});

messages.run();
