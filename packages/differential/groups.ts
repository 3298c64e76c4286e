/** Contests of several clients or servers: what is not about single replies of one client. */
import { type ChildServer, startRedis, startServer } from '#testkit';
import { playChains } from './chains/chains.ts';
import { playCrowd } from './crowd/crowd.ts';
import { findKnown } from './differential.ts';
import { playWaits } from './waits/waits.ts';

const SHARDS = 3;

/** Commands to play, from a seed. */
interface Amount {
  readonly seed: number;
  readonly commands: number;
}

type Play = (amount: Amount) => Promise<string | undefined>;
type Pair = readonly [ours: ChildServer, theirs: ChildServer];

const SVC_REPLICATES = [
  ...['--set', 'replication.diskless-sync-delay-secs=0'],
  ...['--set', 'replication.ping-period-secs=3600'],
];
const REDIS_REPLICATES = [
  ...['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '3600'],
  ...['--enable-debug-command', 'yes'],
];

/** Returns a contest between two servers that are started for it. */
function between(
  ourArgs: readonly string[],
  theirArgs: readonly string[],
  play: (pair: Pair, amount: Amount) => Promise<string | undefined>,
): Play {
  return async (amount) => {
    const ours = await startServer({ shards: SHARDS, args: ourArgs });
    const theirs = await startRedis(theirArgs);
    try {
      return await play([ours, theirs], amount);
    } finally {
      await Promise.all([ours.stop(), theirs.stop()]);
    }
  };
}

/** Contests by name; each answers the first difference as text for people, or nothing. */
export const groups: ReadonlyMap<string, Play> = new Map([
  ['clients', between([], [], playCrowd)],
  ['waits', between(SVC_REPLICATES, REDIS_REPLICATES, playWaits)],
  ['chains', async (amount) => playChains(await findKnown(), amount)],
]);
