/** LOLWUT: a picture, and the version. */

import { onMain } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import type { ServerContext } from './ports/ports.ts';

const lolwut = onMain<ServerContext>({
  name: 'LOLWUT',
  summary: 'Returns a random picture of text, and the Redis version that the server emulates.',
  since: '5.0.0',
  complexity: 'O(1)',
  group: 'server',
  arity: -1,
  flags: ['readonly', 'fast'],
  keys: noKeys,
  args: [{ name: 'version', type: 'integer', token: 'VERSION', optional: true }],
  run({ reply, nowMs, client, redisVersion }, args) {
    if (args.count >= 3 && args.spellsAt(1, 'VERSION')) args.roundedAt(2);
    const picture = drawWaves(Math.floor(nowMs) ^ client.id);
    reply.verbatim(`${picture}\nRedis ver. ${redisVersion}\n`);
  },
});

export const serverArt = [lolwut];

const WIDTH = 64;
const HEIGHT = 12;
/** From calm water to foam. */
const SHADES = ' .-~=^*#';

/** Ripples of three stones thrown into a pond, seen from above; the seed determines where they fell. */
function drawWaves(seed: number): string {
  let state = seed | 1;
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  const stones = Array.from({ length: 3 }, () => ({ x: next() * WIDTH, y: next() * HEIGHT }));
  const lines: string[] = [];
  for (let y = 0; y < HEIGHT; y += 1) {
    let line = '';
    for (let x = 0; x < WIDTH; x += 1) {
      let height = 0;
      // A character is twice as high as wide.
      for (const stone of stones) height += Math.sin(Math.hypot(x - stone.x, 2 * (y - stone.y)));
      line += SHADES[Math.floor(((height + 3) / 6.001) * SHADES.length)] ?? ' ';
    }
    lines.push(line.trimEnd());
  }
  return lines.join('\n');
}
