/** Values in several pieces stay contiguous, even if other shards send pieces meanwhile. */
import { fromLatin1 } from '#base';
import { withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PieceOrder, type ShardPiece } from './piece-order.ts';

const order = suite('order of pieces');

const SHARDS = 4;

order(
  'no piece stands within a value of another shard, and each shard keeps its order',
  withRandom((random) => {
    for (let round = 0; round < 200; round += 1) {
      const given: (ShardPiece & { readonly nth: number })[] = [];
      const pieces = new PieceOrder((piece) => given.push(piece as (typeof given)[number]));
      const counts = Array.from({ length: SHARDS }, () => 0);
      const unfinished = new Set<number>();
      const send = (shard: number, goesOn: boolean): void => {
        if (goesOn) unfinished.add(shard);
        else unfinished.delete(shard);
        const nth = (counts[shard]! += 1);
        const piece = { shard, goesOn, nth, bytes: fromLatin1('bytes') };
        pieces.take(piece);
      };
      for (let step = 0; step < 60; step += 1) {
        send(random.integer(0, SHARDS - 1), random.chance(0.6));
      }
      for (const shard of [...unfinished]) send(shard, false);
      assert.is(
        given.length,
        counts.reduce((sum, count) => sum + count, 0),
      );
      assert.is(pieces.waitingBytes, 0);
      const seen = Array.from({ length: SHARDS }, () => 0);
      let open = -1;
      for (const { shard, nth, goesOn } of given) {
        assert.ok(open === -1 || open === shard, 'within a value of another');
        open = goesOn ? shard : -1;
        assert.is(nth, (seen[shard]! += 1));
      }
    }
  }),
);

order('bytes that wait are counted', () => {
  const pieces = new PieceOrder(() => undefined);
  pieces.take({ shard: 0, goesOn: true, bytes: new Uint8Array(10) });
  pieces.take({ shard: 1, goesOn: false, bytes: new Uint8Array(7) });
  assert.is(pieces.waitingBytes, 7);
  pieces.take({ shard: 0, goesOn: false, bytes: new Uint8Array(10) });
  assert.is(pieces.waitingBytes, 0);
});

order.run();
