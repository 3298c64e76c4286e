/**
 * Plays the same steps on both servers and finds the first reply that differs: of the steps, of what
 * shows the state after them, or of that state once each server has restored the other's dumps.
 */
import { expiresSoon } from './brief.ts';
import type { Contestant } from './contestant.ts';
import { KEYS } from './draw.ts';
import type { Command, Family, Step, Words } from './family.ts';
import { formOf, type Both } from './forms.ts';
import type { KnownDifferences } from './known.ts';
import { parseReply, shown, splitReplies } from './wire.ts';

/** Episode to play: it starts from an empty server, with these settings. */
export interface Episode {
  readonly protocol: 2 | 3;
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly steps: readonly Step[];
}

/** First point at which two servers differ. */
export interface Divergence {
  /** The step, or the number of steps when the state after them differs. */
  readonly stepIndex: number;
  readonly words: Words;
  readonly ours: string;
  readonly theirs: string;
}

const LOST = 'no reply: the server ended or hangs';
/** Databases whose state is looked at. */
const DATABASES = ['1', '0'];

/** Two servers that are given the same to do. */
export class Contest {
  readonly ours: Contestant;
  readonly theirs: Contestant;
  /** Sent to ours alone before each command outside of transactions: it must not change what those answer. */
  deferred: Words | undefined;
  readonly #known: KnownDifferences;

  constructor(ours: Contestant, theirs: Contestant, known: KnownDifferences) {
    this.ours = ours;
    this.theirs = theirs;
    this.#known = known;
  }

  /** Plays an episode; answers where it differs, or nothing. */
  async play(episode: Episode, family: Family): Promise<Divergence | undefined> {
    const { steps } = episode;
    const commands = steps.flatMap((step, stepIndex) => numbered(this.#sendable(step), stepIndex));
    const reads = numbered(this.#sendable(stateReads(family)), steps.length);
    const before = numbered(this.#sendable(preparations(episode, family)), steps.length);
    const found = await this.#compare([...before, ...commands, ...reads]);
    return found ?? (await this.#compareRestored(reads));
  }

  async stop(): Promise<void> {
    await Promise.all([this.ours.stop(), this.theirs.stop()]);
  }

  /** Each server takes in what the other dumped, and shows its state again. */
  async #compareRestored(reads: readonly Numbered[]): Promise<Divergence | undefined> {
    const dumps = KEYS.map((key) => ['DUMP', key]);
    if (this.#known.avoids(['DUMP'])) return undefined;
    const [ours, theirs] = await this.#both(dumps, dumps);
    const restore = (replies: readonly string[]): Words[] =>
      KEYS.map((key, index) => restoring(key, replies[index] ?? '')).filter(
        (words) => words !== undefined,
      );
    const begin = reads[0]!.stepIndex;
    const restores = [restore(theirs), restore(ours)] as const;
    if (restores[0].length !== restores[1].length) {
      const words = ['DUMP', '(every key)'];
      return { stepIndex: begin, words, ours: ours.join(' '), theirs: theirs.join(' ') };
    }
    const [ourEnds, theirEnds] = await this.#both(restores[0], restores[1]);
    const refused = [...ourEnds, ...theirEnds].find((reply) => reply !== '+OK\r\n');
    if (refused !== undefined) {
      const words = ['RESTORE', 'what the other server dumped'];
      return { stepIndex: begin, words, ours: ourEnds.join(' '), theirs: theirEnds.join(' ') };
    }
    const found = await this.#compare(reads);
    return found && { ...found, words: [...found.words, '(after DUMP and RESTORE)'] };
  }

  async #compare(commands: readonly Numbered[]): Promise<Divergence | undefined> {
    const words = commands.map(({ command }) => command.words);
    const [ours, theirs] = await this.#both(words, words);
    let before: Both | undefined;
    for (const [index, { command, stepIndex }] of commands.entries()) {
      const [our = LOST, their = LOST] = [ours[index], theirs[index]];
      // Only the drawing forms look back, and never beyond their step.
      const previous = index > 0 && commands[index - 1]!.stepIndex === stepIndex;
      if (our !== their) {
        before = previous ? bothOf(ours[index - 1]!, theirs[index - 1]!) : undefined;
        const mayDiffer =
          command.words[0] === 'EXEC'
            ? this.#sameTransaction(queueBefore(commands, index), our, their)
            : this.#mayDiffer(command, [our, their], before);
        if (!mayDiffer) {
          return { stepIndex, words: command.words, ours: readable(our), theirs: readable(their) };
        }
      }
    }
    return undefined;
  }

  /** True when the replies inside of EXEC's differ only as those of the commands may. */
  #sameTransaction(queue: readonly Command[], ours: string, theirs: string): boolean {
    const [own, others] = [itemsOf(ours), itemsOf(theirs)];
    if (own.length !== others.length || own.length !== queue.length) return false;
    return queue.every((command, nth) => {
      const [our, their] = [own[nth]!, others[nth]!];
      const before = nth > 0 ? bothOf(own[nth - 1]!, others[nth - 1]!) : undefined;
      return our === their || this.#mayDiffer(command, [our, their], before);
    });
  }

  #mayDiffer({ words, form }: Command, [ours, theirs]: readonly string[], before?: Both): boolean {
    if (ours === undefined || theirs === undefined || ours === LOST || theirs === LOST)
      return false;
    if (this.#known.excuses(words, ours, theirs)) return true;
    return (form ?? formOf(words[0]!))(bothOf(ours, theirs), { words, before });
  }

  async #both(ours: readonly Words[], theirs: readonly Words[]): Promise<[string[], string[]]> {
    return Promise.all([this.#toOurs(ours), this.theirs.exchange(theirs)]);
  }

  async #toOurs(commands: readonly Words[]): Promise<string[]> {
    const { deferred } = this;
    if (deferred === undefined) return this.ours.exchange(commands);
    const sent: Words[] = [];
    const asides = new Set<number>();
    let isQueueing = false;
    for (const words of commands) {
      const name = words[0]!.toUpperCase();
      if (!isQueueing) {
        asides.add(sent.length);
        sent.push(deferred);
      }
      sent.push(words);
      if (name === 'MULTI') isQueueing = true;
      else if (name === 'EXEC' || name === 'DISCARD') isQueueing = false;
    }
    const replies = await this.ours.exchange(sent);
    return replies.filter((_, nth) => !asides.has(nth));
  }

  #sendable(step: Step): Step {
    return step.filter(({ words }) => !expiresSoon(words) && !this.#known.avoids(words));
  }
}

interface Numbered {
  readonly command: Command;
  readonly stepIndex: number;
}

/** Returns the commands queued for the EXEC at an index. */
function queueBefore(commands: readonly Numbered[], index: number): readonly Command[] {
  const names = commands.slice(0, index).map(({ command }) => command.words[0]);
  return commands.slice(names.lastIndexOf('MULTI') + 1, index).map(({ command }) => command);
}

/** The items of an array, as their bytes. */
function itemsOf(reply: string): string[] {
  return reply.startsWith('*') ? splitReplies(reply.slice(reply.indexOf('\n') + 1)) : [reply];
}

function numbered(step: Step, stepIndex: number): Numbered[] {
  return step.map((command) => ({ command, stepIndex }));
}

/**
 * Returns the commands sent before the first step; differences in their replies count as those of a step that does not
 * exist.
 */
function preparations({ protocol, settings }: Episode, family: Family): Step {
  // A setting that is left out has its first value, and not that of the episode before.
  const defaults = family.settings.map(([name, first = '']) => [name, first] as const);
  const hello: Command = { words: ['HELLO', String(protocol)], form: () => true };
  const others = [
    ['SELECT', '0'],
    ['FLUSHALL'],
    ...[...defaults, ...settings].map(([name, value]) => ['CONFIG', 'SET', name, value]),
  ].map((words) => ({ words, form: undefined }));
  // What is not there cannot be removed.
  const begins = (family.begins ?? []).map((words) => ({ words, form: () => true }));
  return [hello, ...begins, ...others];
}

function stateReads({ reads }: Family): Step {
  const ofDatabase = (database: string): Words[] => [
    ['SELECT', database],
    ['DBSIZE'],
    ['KEYS', '*'],
    ...KEYS.flatMap((key) => [...readsOf(key), ...(reads?.(key) ?? [])]),
  ];
  return DATABASES.flatMap(ofDatabase).map((words) => ({ words, form: undefined }));
}

/** For any type of a key, one of these shows its whole value; the others show that it has no other type. */
function readsOf(key: string): Words[] {
  return [
    ['TYPE', key],
    ['OBJECT', 'ENCODING', key],
    ['PEXPIRETIME', key],
    ['GET', key],
    ['LRANGE', key, '0', '-1'],
    ['SMEMBERS', key],
    ['HGETALL', key],
    ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  ];
}

/** RESTORE of a bulk string with a payload; nothing for a key that was not there. */
function restoring(key: string, reply: string): Words | undefined {
  const { kind, text } = parseReply(reply);
  return kind === '$' ? ['RESTORE', key, '0', text, 'REPLACE'] : undefined;
}

function bothOf(ours: string, theirs: string): Both {
  return { ours: parseReply(ours), theirs: parseReply(theirs) };
}

function readable(reply: string): string {
  return reply === LOST ? reply : shown(parseReply(reply));
}
