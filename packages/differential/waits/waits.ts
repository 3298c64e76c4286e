/**
 * WAIT after any command of a client, while the only replica has acknowledged nothing of it: both servers count the
 * same number of replicas, 0 after a write and 1 otherwise.
 */
import { type ChildServer, Random, until } from '#testkit';
import { Member } from '../crowd/member.ts';
import { Draw } from '../draw.ts';
import type { Words } from '../family.ts';
import { minimise } from '../minimise.ts';
import { asLine } from '../wire.ts';
import { offsetsIn, SilentReplica } from './silent-replica.ts';
import { BEFORE, makeRound, type Round } from './ways.ts';

const ROUNDS = 40;
const SHORTENING_MS_MAX = 60_000;
const WAIT: Words = ['WAIT', '1', '1'];
/** Reply that confirms nothing. */
const NONE = ':0\r\n';

/** A primary, its replica, a client that writes, and one that looks. */
class Side {
  readonly #replica: SilentReplica;
  readonly #writer: Member;
  readonly #control: Member;

  private constructor(replica: SilentReplica, writer: Member, control: Member) {
    this.#replica = replica;
    this.#writer = writer;
    this.#control = control;
  }

  static async begin({ port }: ChildServer): Promise<Side> {
    const control = await Member.connect(port);
    await replyOf(control, ['FLUSHALL']);
    // Or it would depend on the moment whether a key that is over is removed by a client.
    await replyOf(control, ['DEBUG', 'SET-ACTIVE-EXPIRE', '0']);
    const replica = await SilentReplica.follow(port);
    return new Side(replica, await Member.connect(port), control);
  }

  end(): void {
    this.#replica.end();
    this.#writer.end();
    this.#control.end();
  }

  /** Plays a round, from empty where the one before may have left something else; returns the reply to WAIT behind it. */
  async play({ commands, others }: Round, isFromEmpty: boolean): Promise<string> {
    if (isFromEmpty) await replyOf(this.#control, ['FLUSHALL']);
    for (const { words } of BEFORE) await replyOf(this.#writer, words);
    await this.#untilAcknowledged();
    for (const [nth, { words }] of commands.entries()) {
      const isBlocked = others.length > 0 && nth === commands.length - 1;
      this.#writer.send(words);
      if (isBlocked) await this.#wake(others.map((other) => other.words));
      await this.#answered();
    }
    return replyOf(this.#writer, WAIT);
  }

  async #answered(): Promise<void> {
    await until(() => this.#writer.isAnswered, 'the command is answered');
    this.#writer.clear();
  }

  async #wake(commands: readonly Words[]): Promise<void> {
    const isBlocked = async (): Promise<boolean> =>
      (await replyOf(this.#control, ['INFO', 'clients'])).includes('blocked_clients:1\r\n');
    await until(isBlocked, 'the client is blocked');
    for (const words of commands) await replyOf(this.#control, words);
  }

  /** Has the replica acknowledge everything, and waits until the primary has seen it. */
  async #untilAcknowledged(): Promise<void> {
    await until(async () => {
      this.#replica.acknowledge();
      const info = await replyOf(this.#control, ['INFO', 'replication']);
      const [written, acknowledged] = offsetsIn(info);
      return written === acknowledged;
    }, 'the replica has acknowledged everything');
  }
}

async function replyOf(member: Member, words: Words): Promise<string> {
  member.send(words);
  await until(() => member.isAnswered, `${asLine(words)} is answered`);
  const [reply = ''] = member.received;
  member.clear();
  return reply;
}

/** Plays rounds from empty; returns what differs behind the last of them that was played. */
async function play(
  servers: readonly [ChildServer, ChildServer],
  rounds: readonly Round[],
): Promise<string | undefined> {
  const sides = await Promise.all(servers.map((server) => Side.begin(server)));
  try {
    for (const [nth, round] of rounds.entries()) {
      const isFromEmpty = rounds[nth - 1]?.mayWriteMore === true;
      const [ours, theirs] = await Promise.all(sides.map((side) => side.play(round, isFromEmpty)));
      if (ours === theirs || (round.mayWriteMore && ours === NONE)) continue;
      const lines = rounds.slice(0, nth + 1).flatMap(linesOf);
      const reported = `  svc    ${ours?.trim() ?? ''}\n  Redis  ${theirs?.trim() ?? ''}`;
      return [...lines, 'they differ in the last reply to WAIT', reported].join('\n');
    }
    return undefined;
  } finally {
    for (const side of sides) side.end();
  }
}

function linesOf({ commands, others }: Round): readonly string[] {
  return [
    ...commands.map(({ words }) => `  ${asLine(words)}`),
    ...others.map(({ words }) => `  of another: ${asLine(words)}`),
    `  ${asLine(WAIT)}`,
  ];
}

/** Plays `count` rounds; returns the first difference as text for people, or undefined. */
export async function playWaits(
  servers: readonly [ChildServer, ChildServer],
  { seed, commands }: { readonly seed: number; readonly commands: number },
): Promise<string | undefined> {
  for (let played = 0, nth = 0; played < commands; nth += 1, played += ROUNDS) {
    const draw = new Draw(new Random(seed + nth * 0x9e37_79b1));
    const count = Math.min(ROUNDS, commands - played);
    const rounds = Array.from({ length: count }, () => makeRound(draw));
    let found = await play(servers, rounds);
    if (found === undefined) continue;
    const endMs = performance.now() + SHORTENING_MS_MAX;
    await minimise(rounds, async (some) => {
      if (performance.now() >= endMs) return false;
      const again = await play(servers, some);
      found = again ?? found;
      return again !== undefined;
    });
    return found;
  }
  return undefined;
}
