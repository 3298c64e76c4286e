/**
 * Random commands of a family against this server and a Redis, an episode at a time; the first
 * difference is made as short as it gets.
 */
import { Random, startRedis, startServer } from '#testkit';
import { CommandDetails } from './command-facts.ts';
import { Contest, type Divergence, type Episode } from './contest.ts';
import { Contestant } from './contestant.ts';
import { Draw } from './draw.ts';
import { elsewhere } from './families/elsewhere.ts';
import { isStep, step, type Family, type Step } from './family.ts';
import { KnownDifferences, versionOf } from './known.ts';
import { mangled } from './mangle.ts';
import { minimise } from './minimise.ts';
import { asLine, parseReply } from './wire.ts';

const SHARDS = 3;
const STEPS = 1_000;
/** Share of a family's commands that come with a mistake. */
const MISTAKES = 0.07;
/** Share of commands that are not the family's own. */
const ELSEWHERE = 0.08;
/** Less than usual, so that nothing gets large. */
const BULK_BYTES_MAX = '4194304';

/** Most milliseconds spent on shortening; the shortest found by then is shown. */
const SHORTENING_MS_MAX = 20_000;
/** Fewer words may make other pages of a scan, whose order is each server's own. */
const SCANS = /SCAN$/i;

/** Amount of commands to play. */
interface Amount {
  readonly seed: number;
  readonly commands: number;
}

/** Starts both servers, this one with more arguments where some are given. */
export async function startContest(moreArgs: readonly string[] = []): Promise<Contest> {
  const args = ['--log-level', 'warn', ...moreArgs];
  const ours = new Contestant(() => startServer({ shards: SHARDS, args }));
  const theirs = new Contestant(() => startRedis());
  return new Contest(ours, theirs, await knownBetween(ours, theirs));
}

/** Returns the known differences between this server and the Redis that it is compared with. */
export async function findKnown(): Promise<KnownDifferences> {
  const ours = new Contestant(() => startServer({ shards: 1 }));
  const theirs = new Contestant(() => startRedis());
  try {
    return await knownBetween(ours, theirs);
  } finally {
    await Promise.all([ours.stop(), theirs.stop()]);
  }
}

async function knownBetween(ours: Contestant, theirs: Contestant): Promise<KnownDifferences> {
  const [info = '', commands = ''] = await theirs.exchange([['INFO', 'server'], ['COMMAND']]);
  const [ourCommands = ''] = await ours.exchange([['COMMAND']]);
  const details = new CommandDetails(parseReply(ourCommands), parseReply(commands));
  return new KnownDifferences(versionOf(parseReply(info).text), details);
}

/** Plays `count` commands of a family; returns the first difference as text for people, or undefined. */
export async function playFamily(
  contest: Contest,
  family: Family,
  { seed, commands }: Amount,
): Promise<string | undefined> {
  for (let played = 0, nth = 0; played < commands; nth += 1) {
    const wanted = Math.min(STEPS, commands - played);
    const episode = makeEpisode(family, new Random(seed + nth * 0x9e37_79b1), wanted);
    const found = await contest.play(episode, family);
    if (found !== undefined) return describe(await shortened(contest, family, episode, found));
    played += wanted;
  }
  return undefined;
}

/** Random commands of a family, from a seeded source. */
export function makeEpisode(family: Family, random: Random, steps: number): Episode {
  const draw = new Draw(random);
  return {
    protocol: random.chance(0.5) ? 3 : 2,
    settings: [
      ['proto-max-bulk-len', BULK_BYTES_MAX],
      ...family.settings.map(([name, ...values]) => [name, random.pick(values)] as const),
    ],
    steps: Array.from({ length: steps }, () => makeStep(family, draw)),
  };
}

function makeStep(family: Family, draw: Draw): Step {
  const makers = draw.chance(ELSEWHERE) ? elsewhere : family.makers;
  const made = draw.random.weighted(makers)(draw);
  // A step is right as it is: with a mistake in it, its commands might not belong together.
  if (isStep(made)) return made;
  return step(draw.chance(MISTAKES) ? mangled(made, draw) : made);
}

interface Failure {
  readonly episode: Episode;
  readonly divergence: Divergence;
}

/** The shortest episode found that still differs somewhere. */
async function shortened(
  contest: Contest,
  family: Family,
  episode: Episode,
  divergence: Divergence,
): Promise<Failure> {
  let failure: Failure = { episode, divergence };
  const endMs = performance.now() + SHORTENING_MS_MAX;
  const fails = async (change: Partial<Episode>): Promise<boolean> => {
    if (performance.now() > endMs) return false;
    const tried = { ...failure.episode, ...change };
    const found = await contest.play(tried, family);
    if (found !== undefined) failure = { episode: tried, divergence: found };
    return found !== undefined;
  };
  await fails({ steps: episode.steps.slice(0, divergence.stepIndex + 1) });
  await minimise(failure.episode.steps, (steps) => fails({ steps }));
  await minimise(failure.episode.settings, (settings) => fails({ settings }));
  await withoutWords(() => failure.episode.steps, fails);
  return failure;
}

/** Leaves out every word that the difference does not need. */
async function withoutWords(
  current: () => readonly Step[],
  fails: (change: Partial<Episode>) => Promise<boolean>,
): Promise<void> {
  for (let nth = current().length - 1; nth >= 0; nth -= 1) {
    const [command, ...more] = current()[nth] ?? [];
    if (command === undefined || more.length > 0) continue;
    const [name = '', ...rest] = command.words;
    if (SCANS.test(name)) continue;
    await minimise(rest, (words) => {
      const steps = [...current()];
      steps[nth] = [{ ...command, words: [name, ...words] }];
      return fails({ steps });
    });
  }
}

function describe({ episode, divergence }: Failure): string {
  const { words, ours, theirs } = divergence;
  return [
    `they differ in RESP${episode.protocol} after`,
    ...episode.settings.map(([name, value]) => `  CONFIG SET ${name} ${value}`),
    ...episode.steps.flatMap((step) => step.map((command) => `  ${asLine(command.words)}`)),
    `in the reply to ${asLine(words)}`,
    `  svc    ${ours}`,
    `  Redis  ${theirs}`,
  ].join('\n');
}
