/**
 * Shards and router under a scheduler that lets each of them lag behind: every reply is the one of a
 * single keyspace that runs the commands in the order in which main took them.
 */
// test-tier: long
import { keysOnShard, type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Simulation } from './simulation.ts';

const simulation = suite('simulation');

const COMMANDS = 1_200;
/** Far more than any run needs: who has not ended by then never will. */
const STEPS_MAX = 1_000_000;

function keysOf(shards: number, perShard: number): string[] {
  return Array.from({ length: shards }, (_, shard) => keysOnShard(shard, shards, perShard)).flat();
}

function run(random: Random, shards: number, clients: number): Simulation {
  const shape = { shards, clients, commands: COMMANDS / clients, keys: keysOf(shards, 3) };
  const world = new Simulation(shape, random);
  let steps = 0;
  while (!world.isDone) {
    world.step();
    steps += 1;
    assert.ok(steps < STEPS_MAX, 'everything is answered at last');
  }
  world.settle();
  return world;
}

for (const [shards, clients] of [
  [1, 4],
  [2, 1],
  [2, 6],
  [3, 8],
  [5, 20],
] as const) {
  simulation(
    `${String(clients)} clients and ${String(shards)} shards behave as one`,
    withRandom((random) => {
      const world = run(random, shards, clients);
      for (const { received, expected } of world.clients) assert.is(received, expected);
      const keys = world.pages.reduce((sum, page) => sum + page.keys(0), 0);
      assert.is(keys, world.model.values.size, 'no copy of a lent key is left behind');
      const lent = world.pages.reduce((sum, page) => sum + page.get('lends'), 0);
      assert.ok(shards === 1 ? lent === 0 : lent > 20, 'keys were lent');
      const deferred = world.pages.reduce((sum, page) => sum + page.get('deferred'), 0);
      assert.ok(shards === 1 || deferred > 20, 'commands waited for lent keys');
      const [sampled, dropped] = [
        world.mainPage.get('tracesSampled'),
        world.mainPage.get('tracesDropped'),
      ];
      assert.ok(sampled > COMMANDS / 8, 'commands were traced');
      assert.is(world.tracesReported + dropped, sampled, 'all that were traced are told of');
      assert.ok(deferred <= shards * COMMANDS, 'none was put aside twice');
    }),
  );
}

simulation.run();
