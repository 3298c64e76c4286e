import { withRandom } from '#testkit';
import { orderOf, type SortKeys } from './order.ts';
import { Texts } from './texts.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const order = suite('order of elements');

order(
  'is what a stable sort makes of all of them, wherever it is cut',
  withRandom((random) => {
    for (let round = 0; round < 200; round += 1) {
      const count = random.integer(0, 300);
      const ranks = Float64Array.from({ length: count }, () => random.integer(-9, 9));
      const seconds = Array.from({ length: count }, () => random.integer(0, 2));
      const keys: SortKeys = {
        ranks,
        isDescending: random.chance(0.5),
        compareEqual: (one, other) => seconds[one]! - seconds[other]!,
      };
      const sign = keys.isDescending ? -1 : 1;
      const wanted = Array.from({ length: count }, (_, nth) => nth).sort(
        (one, other) => sign * (ranks[one]! - ranks[other]! || keys.compareEqual(one, other)),
      );
      const first = random.integer(0, count);
      const end = random.chance(0.5) ? first + random.integer(0, 9) : random.integer(0, count + 9);
      assert.equal([...orderOf(keys, first, end)], wanted.slice(first, end));
    }
  }),
);

order(
  'compares texts as Node compares buffers, with those that are missing left out',
  withRandom((random) => {
    const texts = new Texts();
    const kept: Buffer[] = [];
    for (let nth = 0; nth < 400; nth += 1) {
      const missing = random.chance(0.1);
      const head = random.chance(0.5) ? 'head' : 'head:';
      kept.push(Buffer.concat([Buffer.from(head), random.bytes(random.integer(0, 30))]));
      if (missing) texts.pushMissing();
      else texts.push(kept[nth]!, 0, kept[nth]!.length);
    }
    const common = texts.commonLength();
    assert.ok(common >= 4);
    for (let round = 0; round < 2_000; round += 1) {
      const [one, other] = [random.integer(0, 399), random.integer(0, 399)];
      if (texts.isMissing(one) || texts.isMissing(other)) continue;
      const compared = Math.sign(texts.compare(one, other, common));
      assert.is(compared, Buffer.compare(kept[one]!, kept[other]!));
    }
  }),
);

order.run();
