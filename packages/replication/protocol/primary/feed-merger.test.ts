import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FeedMerger, type FeedCommands } from './feed-merger.ts';

const merger = suite('merging feeds');

/** A merger, and the units that came out of it, as words. */
function newMerger(shards: number): { merged: FeedMerger; units: string[] } {
  const units: string[] = [];
  const merged = new FeedMerger(shards, {
    unit: (commands, isOne) => {
      const words = commands.map(({ pieces }) => Buffer.concat(pieces).toString());
      units.push(isOne ? `(${words.join(' ')})` : words.join(' '));
    },
    cut: (number) => units.push(`cut ${number}`),
  });
  return { merged, units };
}

function words(...texts: string[]): FeedCommands[] {
  return texts.map((text) => ({ database: 0, pieces: [Buffer.from(text)], count: 1 }));
}

merger('what a shard does alone goes straight on', () => {
  const { merged, units } = newMerger(2);
  merged.own(0, words('a'), false);
  merged.own(1, words('b'), false);
  merged.own(0, words('c', 'd'), true);
  assert.equal(units, ['a', 'b', '(c d)']);
  assert.ok(merged.isEmpty);
});

merger('parts wait for each other, and later units behind them', () => {
  const { merged, units } = newMerger(3);
  merged.part(0, 7, 2, words('m0'));
  merged.own(0, words('a'), false);
  merged.own(1, words('b'), false);
  merged.own(2, words('c'), false);
  assert.equal(units, ['b', 'c']);
  assert.is(merged.waiting, 2);
  merged.part(1, 7, 2, words('m1'));
  assert.equal(units, ['b', 'c', '(m0 m1)', 'a']);
  assert.ok(merged.isEmpty);
});

merger('keys that were lent count for their owners as well', () => {
  const { merged, units } = newMerger(2);
  merged.part(0, 1, 2, words('m0'));
  merged.hosted([1, 0], words('h'));
  merged.own(1, words('b'), false);
  merged.own(0, words('a'), false);
  // What the host has done rests on what the owner did before.
  assert.equal(units, []);
  merged.part(1, 1, 2, words('m1'));
  // The second part came behind the hosted unit: the two wait for each other.
  assert.equal(units, ['(m0 h b m1)', 'a']);
});

merger('parts that shards have met in different orders are one', () => {
  const { merged, units } = newMerger(2);
  merged.part(0, 1, 2, words('x0'));
  merged.part(1, 2, 2, words('y1'));
  merged.own(1, words('b'), false);
  merged.part(0, 2, 2, words('y0'));
  assert.equal(units, []);
  merged.part(1, 1, 2, words('x1'));
  assert.equal(units, ['(x0 y1 b x1 y0)']);
  assert.ok(merged.isEmpty);
});

merger('a circle takes no more than it needs', () => {
  const { merged, units } = newMerger(3);
  merged.part(0, 1, 2, words('x0'));
  merged.part(1, 2, 2, words('y1'));
  merged.part(2, 3, 2, words('z2'));
  merged.own(2, words('c'), false);
  merged.part(0, 2, 2, words('y0'));
  merged.own(0, words('a'), false);
  merged.part(1, 1, 2, words('x1'));
  assert.equal(units, ['(x0 y1 x1 y0)', 'a']);
  merged.part(0, 3, 2, words('z0'));
  assert.equal(units, ['(x0 y1 x1 y0)', 'a', '(z2 z0)', 'c']);
});

merger('what every shard tells of counts once, where all have come to it', () => {
  const { merged, units } = newMerger(2);
  const content = { commands: words('flushall') };
  merged.whole(1, 'f', 2, content);
  merged.own(1, words('b'), false);
  merged.own(0, words('a'), false);
  merged.whole(0, 'f', 2, content);
  assert.equal(units, ['a', '(flushall)', 'b']);
});

merger('a cut stands behind all that came before it', () => {
  const { merged, units } = newMerger(2);
  merged.part(0, 1, 2, words('m0'));
  merged.whole(0, 'c', 2, { commands: [], cut: 5 });
  merged.own(0, words('a'), false);
  merged.part(1, 1, 2, words('m1'));
  assert.equal(units, ['(m0 m1)']);
  merged.whole(1, 'c', 2, { commands: [], cut: 5 });
  assert.equal(units, ['(m0 m1)', 'cut 5', 'a']);
});

merger.run();
