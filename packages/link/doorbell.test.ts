/** A doorbell's garbage: main is woken by it thousands of times a second. */
import { bytesPromoted } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Doorbell, DOORBELL_BYTES } from './doorbell.ts';
import { LinkMemory } from './memory.ts';

const ROUNDS = 200;
const RINGS = 100;
/** V8 leaves 129 bytes of each wait where there is no other. */
const LEFT_BYTES_MAX = 80;

const bells = suite('doorbell');

bells('a ring leaves little in the old generation', async () => {
  const bell = new Doorbell(LinkMemory.allocate(DOORBELL_BYTES), 0);
  let rung = (): void => undefined;
  bell.listen(() => {
    rung();
  });
  const ringAll = async (): Promise<void> => {
    for (let times = 0; times < RINGS; times += 1) {
      const heard = new Promise<void>((resolve) => {
        rung = resolve;
      });
      bell.setAsleep();
      bell.ring();
      await heard;
    }
  };
  const left = (await bytesPromoted(ROUNDS, ringAll)) / (ROUNDS * RINGS);
  assert.ok(left < LEFT_BYTES_MAX, `${left} bytes a ring`);
  bell.stop();
});

bells.run();
