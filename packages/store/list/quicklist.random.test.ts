/** Quicklists against arrays, with nodes of all kinds. */
import { finish, fromLatin1, latin1 } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom, thereAndBack } from '../store.test-helper.ts';
import { quicklistCodec } from './quicklist-codec.ts';
import { Quicklist } from './quicklist.ts';

const quicklist = suite('quicklist, at random');

function elements(list: Quicklist): string[] {
  const found: string[] = [];
  for (let more = list.seek(0); more; more = list.next()) {
    list.read();
    found.push(latin1(list.bytes, list.at, list.length));
  }
  return found;
}

function compare(list: Quicklist, model: readonly string[]): void {
  assert.is(list.count, model.length);
  assert.equal(elements(list), model);
  const down: string[] = [];
  for (let more = list.seek(-1); more; more = list.prev()) {
    list.read();
    down.push(latin1(list.bytes, list.at, list.length));
  }
  assert.equal(down.reverse(), model);
  judgeNodes(list);
}

/** Checks what must hold of the nodes: their links, counts, memory, and which are compressed. */
function judgeNodes({ nodes }: Quicklist): void {
  let count = 0;
  let nth = 0;
  let bytes = 0;
  for (let node = nodes.head; node !== undefined; node = node.next) {
    assert.is(node.next === undefined ? nodes.tail : node.next.prev, node);
    count += node.count;
    bytes += node.memoryBytes;
    const fromEnd = nodes.nodeCount - 1 - nth;
    if (nth < nodes.depth || fromEnd < nodes.depth) assert.not.ok(node.isCompressed);
    assert.ok(node.count > 0);
    nth += 1;
  }
  assert.is(nth, nodes.nodeCount);
  assert.is(count, nodes.count);
  const empty = new Quicklist(nodes.size, nodes.depth).totalBytes;
  assert.is(nodes.totalBytes, empty + bytes);
}

interface Run {
  seed: number;
  size: number;
  depth: number;
  plainBytes: number;
}

const runs: readonly Run[] = [
  { seed: 1, size: -2, depth: 0, plainBytes: 0 },
  { seed: 2, size: -1, depth: 1, plainBytes: 0 },
  { seed: 3, size: 1, depth: 0, plainBytes: 0 },
  { seed: 4, size: 4, depth: 2, plainBytes: 0 },
  { seed: 5, size: 4, depth: 1, plainBytes: 40 },
  { seed: 6, size: 100, depth: 3, plainBytes: 60 },
  { seed: 7, size: 0, depth: 0, plainBytes: 1 },
];

for (const { seed, size, depth, plainBytes } of runs) {
  quicklist(
    `size ${size}, depth ${depth} and plain from ${plainBytes} agrees with an array`,
    () => {
      const random = seededRandom(seed);
      const pick = (most: number): number => Math.floor(random() * most);
      let list = new Quicklist(size, depth);
      list.plainBytes = plainBytes;
      const model: string[] = [];
      const element = (): string => {
        const kind = random();
        if (kind < 0.3) return String(pick(100_000) - 50_000);
        if (kind < 0.9) return `element ${pick(50)}`;
        return `${'long and repeated '.repeat(pick(12))}${pick(9)}`;
      };
      for (let step = 0; step < 3000; step += 1) {
        const text = element();
        const bytes = fromLatin1(text);
        const { length } = bytes;
        const kind = random();
        const isFirst = random() < 0.5;
        const index = pick(model.length);
        if (kind < 0.4 || model.length === 0) {
          list.push(bytes, 0, length, isFirst);
          if (isFirst) model.unshift(text);
          else model.push(text);
        } else if (kind < 0.6) {
          list.seek(index);
          assert.ok(list.equals(fromLatin1(model[index]!), 0, model[index]!.length));
          list.insert(bytes, 0, length, isFirst);
          model.splice(isFirst ? index + 1 : index, 0, text);
        } else if (kind < 0.75) {
          list.seek(index - model.length);
          list.replace(bytes, 0, length);
          model[index] = text;
        } else if (kind < 0.95) {
          list.seek(index);
          const more = list.remove(isFirst);
          model.splice(index, 1);
          const following = isFirst ? index : index - 1;
          assert.is(more, following >= 0 && following < model.length);
          if (more) {
            list.read();
            assert.is(latin1(list.bytes, list.at, list.length), model[following]);
          }
        } else {
          const count = pick(Math.min(model.length - index, 20) + 1);
          list.removeRange(index, count);
          model.splice(index, count);
        }
        if (step % 100 !== 0) continue;
        compare(list, model);
        const before = list.nodes.nodeCount;
        list = (isFirst ? finish(list.copy()) : thereAndBack(quicklistCodec, list)) as Quicklist;
        list.plainBytes = plainBytes;
        assert.is(list.nodes.nodeCount, before);
        compare(list, model);
      }
      list.removeRange(0, list.count);
      compare(list, []);
    },
  );
}

quicklist('finds no element beyond either end', () => {
  const list = new Quicklist(2, 0);
  for (const text of ['a', 'b', 'c']) list.push(fromLatin1(text), 0, 1, false);
  for (const index of [3, -4, 100]) assert.not.ok(list.seek(index));
  assert.ok(list.seek(-3));
});

quicklist('compresses inner nodes', () => {
  const plain = new Quicklist(-1, 0);
  const packed = new Quicklist(-1, 1);
  for (let nth = 0; nth < 5000; nth += 1) {
    const bytes = fromLatin1(`the same text again and again, but for ${nth}`);
    plain.push(bytes, 0, bytes.length, false);
    packed.push(bytes, 0, bytes.length, false);
  }
  assert.ok(packed.totalBytes < plain.totalBytes / 2);
  assert.equal(elements(packed), elements(plain));
});

quicklist('takes little beside the elements', () => {
  const list = new Quicklist(-2, 0);
  for (let nth = 0; nth < 20_000; nth += 1) {
    list.push(fromLatin1(`element ${String(nth).padStart(8, '0')}`), 0, 16, nth % 2 === 0);
  }
  assert.ok(list.totalBytes / 20_000 < 20, `${list.totalBytes / 20_000} bytes for each`);
});

quicklist.run();
