/**
 * Servers on new data folders that are killed soon after their first writes: acknowledged writes exist, and the
 * existing writes of a client that waits for each reply are a prefix of those it has sent, on any shards. TEST_KILLS is
 * the number of kills in each mode (many of them need TEST_LIMIT_SECS); TEST_SEED replays one.
 */
// test-tier: long
import { chosenSeed, keyPerShard, Random, type RespClient, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isEnd } from './crash-load.ts';
import { keptServers } from './kept-server.ts';

const first = suite('killed soon after the first writes');

const KILLS = Number(process.env['TEST_KILLS'] ?? 2);
const SHARDS = 3;
const CLIENTS = 12;
const WRITES_MAX = 3_000;
const TAGS = keyPerShard(SHARDS);

const newServer = keptServers(first);

/** One client's writes, each on the next shard: how many were sent, and how many acknowledged. */
class Writer {
  readonly #id: number;
  sent = 0;
  acked = 0;

  constructor(id: number) {
    this.#id = id;
  }

  /** Writes until the connection ends. */
  async run(client: RespClient, acked: () => void): Promise<void> {
    try {
      for (;;) {
        this.sent += 1;
        await client.call('SET', this.#key(this.sent), this.sent);
        this.acked = this.sent;
        acked();
      }
    } catch (error) {
      if (!isEnd(error)) throw error;
    }
  }

  #key(nth: number): string {
    return `{${TAGS[nth % SHARDS]!}}:${String(this.#id)}:${String(nth)}`;
  }

  /** Returns the faults in the keys found. */
  faults(found: ReadonlySet<string>): string[] {
    let kept = 0;
    while (found.has(this.#key(kept + 1))) kept += 1;
    const later = Array.from({ length: this.sent - kept }, (_, nth) => kept + 1 + nth);
    const behind = later.filter((nth) => found.has(this.#key(nth)));
    const who = `client ${String(this.#id)}`;
    const faults = behind.map((nth) => `${who}: write ${nth} is there, ${kept + 1} is not`);
    if (kept < this.acked) faults.push(`${who}: ${this.acked} were acknowledged, ${kept} are kept`);
    return faults;
  }
}

async function kill(args: readonly string[], random: Random): Promise<readonly string[]> {
  const kept = newServer();
  // No more than PING is waited for: clients come as early as they can.
  const server = await startServer({ shards: SHARDS, args, folder: kept.folder });
  const killAt = random.integer(1, WRITES_MAX);
  let acknowledged = 0;
  const acked = (): void => {
    acknowledged += 1;
    if (acknowledged === killAt) server.signal('SIGKILL');
  };
  const writers = Array.from({ length: CLIENTS }, (_, id) => new Writer(id));
  const clients = await Promise.all(writers.map(() => server.client()));
  await Promise.all(writers.map((writer, nth) => writer.run(clients[nth]!, acked)));
  assert.ok(acknowledged >= killAt, 'the server was killed, and did not end by itself');
  await server.ended;
  const again = await kept.start({ shards: SHARDS, args });
  const found = new Set((await again.call('KEYS', '*')) as string[]);
  await kept.remove();
  return writers.flatMap((writer) => writer.faults(found));
}

for (const [mode, args] of [
  ['periodic', []],
  ['sync', ['--set', 'persistence.durability-mode=sync']],
] as const) {
  first(`${mode} mode: nothing that was acknowledged is lost (kills: ${KILLS})`, async () => {
    const seed = chosenSeed();
    const random = new Random(seed);
    for (let nth = 1; nth <= KILLS; nth += 1) {
      assert.equal(await kill(args, random), [], `kill ${nth}, TEST_SEED=${seed}`);
    }
  });
}

first.run();
