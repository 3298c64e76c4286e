/** The exchange of a script with other shards: requests and replies alternate. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkMemory } from './memory.ts';
import { ScriptExchange, SCRIPT_EXCHANGE_BYTES } from './script-exchange.ts';

const exchanges = suite('exchange of a script');

const RUN = 7;
const HOST = 2;
const TARGET = 1;

/** A frame, whose first word is its length. */
function frameOf(byteCount: number): Uint8Array {
  const frame = new Uint8Array(byteCount).fill(byteCount);
  new Int32Array(frame.buffer)[0] = byteCount;
  return frame;
}

function exchange(): ScriptExchange {
  return new ScriptExchange(LinkMemory.allocate(64 + SCRIPT_EXCHANGE_BYTES), 64);
}

exchanges('only the shard that is asked acts, and only in the run at hand', () => {
  const one = exchange();
  assert.ok(one.isAnswered);
  one.request({ host: HOST, target: TARGET, run: RUN, what: frameOf(40) });
  assert.not.ok(one.isAnswered);
  assert.equal(
    [one.isFor(TARGET, RUN), one.isFor(TARGET, RUN - 1), one.isFor(HOST, RUN), one.isFor(0, RUN)],
    [true, false, false, false],
  );
  assert.equal([one.host, one.wanted, one.takeFrame()], [HOST, 0, frameOf(40)]);
  one.write(frameOf(16), 0);
  assert.not.ok(one.isAnswered, 'before the end');
  one.end();
  assert.equal([one.isAnswered, one.isFor(TARGET, RUN)], [true, false]);
  const reply = new Uint8Array(one.total);
  assert.is(one.takePiece(reply, 0), 16);
  assert.equal(reply, frameOf(16));
});

exchanges('a refused command has no reply', () => {
  const one = exchange();
  one.request({ host: HOST, target: TARGET, run: RUN, what: frameOf(40) });
  one.refuse();
  one.end();
  assert.is(one.total, -1);
});

exchanges('a long reply goes in pieces, and a frame that is too long does not go at all', () => {
  const one = exchange();
  const long = Uint8Array.from({ length: 40_000 }, (_, nth) => nth % 251);
  assert.equal([one.fits(long), one.fits(frameOf(40)), one.isWhole(long)], [false, true, false]);
  const reply = new Uint8Array(long.length);
  let at = 0;
  let pieces = 0;
  while (at < long.length) {
    one.request({ host: HOST, target: TARGET, run: RUN, what: at === 0 ? frameOf(40) : at });
    one.write(long, one.wanted);
    one.end();
    at = one.takePiece(reply, at);
    pieces += 1;
  }
  assert.equal(reply, long);
  assert.is(pieces, 3);
});

exchanges.run();
