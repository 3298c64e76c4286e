/**
 * Several clients of each server that wait for each other's keys, watch, track and subscribe: after every move, both
 * servers have sent equal data to each client. A move is made when the previous one has come to rest on both servers,
 * so that all of them have one order. Redis before 7.2 serves waiting clients differently, and is not suitable for
 * comparison.
 */
import { type ChildServer, Random } from '#testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { Draw } from '../draw.ts';
import type { Words } from '../family.ts';
import { minimise } from '../minimise.ts';
import { asLine, parseReply, shown } from '../wire.ts';
import { isUnasked, Member } from './member.ts';
import { DUMPS, HANG_UP, ID, LET_GO, MAKE_USER, makeMove, type Move } from './moves.ts';

const CLIENTS = 4;
const MOVES = 120;
/** From then on what is missing does not come. */
const WAIT_MS = 3_000;
/** Most milliseconds spent on shortening; the shortest found by then is shown. */
const SHORTENING_MS_MAX = 60_000;

/** One server, its clients, and one more that is never made to wait. */
class Side {
  readonly #port: number;
  readonly members: Member[] = [];
  #control!: Member;

  constructor({ port }: ChildServer) {
    this.#port = port;
  }

  async begin(): Promise<void> {
    this.#control = await Member.connect(this.#port);
    await this.ask('FLUSHALL');
    await this.ask('CONFIG', 'SET', 'notify-keyspace-events', 'KEA');
    await this.ask(...MAKE_USER);
    // While anybody tracks, what others have read is remembered although they track no longer.
    await this.ask('CLIENT', 'TRACKING', 'ON', 'BCAST', 'PREFIX', 'none:');
    for (let client = 0; client < CLIENTS; client += 1) await this.join(client);
  }

  /** Every other client speaks RESP3. */
  async join(client: number): Promise<void> {
    const member = await Member.connect(this.#port);
    this.members[client] = member;
    if (client % 2 === 0) return;
    member.send(['HELLO', '3']);
    await until(() => member.isAnswered);
    member.clear();
  }

  end(): void {
    for (const member of [this.#control, ...this.members]) member.end();
  }

  /** Sends a command from the control client, and returns its reply. */
  async ask(...words: Words): Promise<string> {
    this.#control.send(words);
    await until(() => this.#control.isAnswered);
    const [reply = ''] = this.#control.received;
    this.#control.clear();
    return reply;
  }

  /** Returns the payloads for keys that are restored. */
  async dumps(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const [name, words] of Object.entries(DUMPS)) {
      await this.ask('DEL', 'dumped');
      await this.ask(...words);
      found.set(name, parseReply(await this.ask('DUMP', 'dumped')).text);
    }
    await this.ask('DEL', 'dumped');
    return found;
  }

  /** Sends a client's command, or ends its connection. */
  send(client: number, words: Words): void {
    const member = this.members[client]!;
    if (words === HANG_UP) member.end();
    else member.send(words.map((word) => (word === ID ? member.id : word)));
  }

  /** Waits until no key is left whose time will be over. */
  async untilExpired(): Promise<void> {
    const endMs = performance.now() + WAIT_MS;
    while (/expires=[1-9]/.test(await this.ask('INFO', 'keyspace'))) {
      if (performance.now() >= endMs) return;
      await sleep(1);
    }
  }

  /** Waits until as many clients are connected as have not been closed; returns how many there are. */
  async connected(): Promise<number> {
    const endMs = performance.now() + WAIT_MS;
    for (;;) {
      const info = await this.ask('INFO', 'clients');
      const count = Number(/connected_clients:(\d+)/.exec(info)?.[1]);
      const isEven = count === 1 + this.members.filter(({ isClosed }) => !isClosed).length;
      if (isEven || performance.now() >= endMs) return count;
      await sleep(1);
    }
  }

  /** Waits until a client has its reply, or is one of `waiting` blocked clients. */
  async rest(client: number, waiting: number): Promise<void> {
    const member = this.members[client]!;
    const endMs = performance.now() + WAIT_MS;
    while (!member.isAnswered && !member.isClosed && performance.now() < endMs) {
      const info = await this.ask('INFO', 'clients');
      if (info.includes(`blocked_clients:${waiting}\r\n`)) return;
      await sleep(1);
    }
  }
}

/** The clients of both servers, who make the same moves. */
class Crowd {
  readonly #ours: Side;
  readonly #theirs: Side;
  /** Clients that wait for a key. */
  readonly #waiting = new Set<number>();
  /** Clients whose commands are queued. */
  readonly #queueing = new Set<number>();
  /** The moves as they were made. */
  readonly made: Move[] = [];
  #dumps: ReadonlyMap<string, string> = new Map();

  constructor([ours, theirs]: readonly [ChildServer, ChildServer]) {
    this.#ours = new Side(ours);
    this.#theirs = new Side(theirs);
  }

  /** Makes the moves one after the other; answers what differs, or nothing. */
  async play(moves: readonly Move[]): Promise<string | undefined> {
    await this.#both((side) => side.begin());
    this.#dumps = await this.#theirs.dumps();
    let found: string | undefined;
    for (const each of moves) {
      const move = this.#possible(each);
      this.made.push(move);
      found = await (move.isOutside ? this.#act(move) : this.#send(move));
      // All earlier replies have arrived.
      await this.#both((side) => side.ask('PING'));
      await this.#both((side) => side.untilExpired());
      found ??= await this.#compare();
      found ??= await this.#compareCounts();
      if (found !== undefined) break;
      await this.#rest();
    }
    for (const side of [this.#ours, this.#theirs]) side.end();
    return found;
  }

  /**
   * Returns the move as the next client that is not waiting makes it, since a waiting client sends nothing. Where all
   * wait, one is unblocked.
   */
  #possible(move: Move): Move {
    if (move.isOutside) return move;
    for (let beside = 0; beside < CLIENTS; beside += 1) {
      const client = (move.client + beside) % CLIENTS;
      if (this.#waiting.has(client)) continue;
      // Redis leaves the error out of EXEC's reply when AUTH fails within, and what follows cannot be read.
      const mayFail = move.words[0] === 'AUTH' && this.#queueing.has(client);
      return { ...move, client, words: mayFail ? ['PING'] : move.words };
    }
    return { ...move, isOutside: true, words: LET_GO };
  }

  async #act({ client, words }: Move): Promise<string | undefined> {
    const [ours, theirs] = await this.#both((side) => {
      const { id } = side.members[client]!;
      return side.ask(...words.map((word) => (word === ID ? id : word)));
    });
    return ours === theirs ? undefined : `to whom is outside\n  svc    ${ours}  Redis  ${theirs}`;
  }

  async #send({ client, words }: Move): Promise<undefined> {
    this.#waiting.add(client);
    const [name = ''] = words;
    if (name === 'MULTI') this.#queueing.add(client);
    else if (/^(EXEC|DISCARD|RESET)$/.test(name)) this.#queueing.delete(client);
    const sent = words === HANG_UP ? words : words.map((word) => this.#dumps.get(word) ?? word);
    await this.#both((side) => {
      side.send(client, sent);
      return side.rest(client, this.#waiting.size);
    });
  }

  /** Returns what differs where a server has not as many clients as are connected to it. */
  async #compareCounts(): Promise<string | undefined> {
    const [ours, theirs] = await this.#both((side) => side.connected());
    return ours === theirs ? undefined : `INFO clients\n  svc    ${ours}\n  Redis  ${theirs}`;
  }

  /** Waits until both servers have sent equal data to all clients; returns the difference if they have not. */
  async #compare(): Promise<string | undefined> {
    const reports = (client: number): Reporting[] =>
      [this.#ours, this.#theirs].map((side) => reporting(side.members[client]!));
    const differs = (): number =>
      this.#ours.members.findIndex((_, client) => {
        const [ours, theirs] = reports(client);
        // We may say of more keys that they are to be forgotten, never of fewer.
        const isUntold = [...theirs!.stale].some((key) => !ours!.stale.has(key));
        if (ours!.text === theirs!.text) return isUntold;
        return !this.#isCutShort(client);
      });
    await until(() => differs() < 0);
    const client = differs();
    if (client < 0) return undefined;
    const [ours, theirs] = reports(client).map(({ text, stale }) => [text, ...stale].join(' '));
    return `client ${client}\n  svc    ${ours}\n  Redis  ${theirs}`;
  }

  /** True where Redis has cut a transaction's reply short, in which its client was closed, and this server has not. */
  #isCutShort(client: number): boolean {
    const [ours, theirs] = [this.#ours.members[client]!, this.#theirs.members[client]!];
    return ours.isClosed && theirs.isClosed && theirs.isCutShort && !ours.isCutShort;
  }

  /** All clients have received equal data: answered clients no longer wait, and disconnected ones reconnect. */
  async #rest(): Promise<void> {
    for (const [client, { isAnswered, isClosed }] of [...this.#theirs.members.entries()]) {
      if (isAnswered || isClosed) this.#waiting.delete(client);
      for (const side of [this.#ours, this.#theirs]) side.members[client]!.clear();
      if (!isClosed) continue;
      this.#queueing.delete(client);
      await this.#both((side) => side.join(client));
    }
  }

  #both<Result>(does: (side: Side) => Promise<Result>): Promise<[Result, Result]> {
    return Promise.all([does(this.#ours), does(this.#theirs)]);
  }
}

/** All data that a client has received, and the keys of its invalidations. */
interface Reporting {
  readonly text: string;
  readonly stale: ReadonlySet<string>;
}

/**
 * Returns the data that a client has received, its messages sorted: pushes may come in any order, since each shard
 * sends those of its own keys.
 */
function reporting(member: Member): Reporting {
  const replies = member.received.filter((reply) => !isUnasked(reply)).map(asText);
  const pushes = member.received.filter((reply) => isUnasked(reply));
  const stale = new Set(pushes.filter(isInvalidation).flatMap(keysOf));
  const messages = pushes.filter((push) => !isInvalidation(push)).map(asText);
  const texts = [...replies, ...messages.sort(), ...(member.isClosed ? ['(closed)'] : [])];
  return { text: texts.join(' '), stale };
}

/** As text; of what HELLO says, version and number are each server's own. */
const asText = (reply: string): string =>
  shown(parseReply(reply)).replace(/("version" )\S+|("id" )\S+/g, '$1$2');

function isInvalidation(push: string): boolean {
  return parseReply(push).items?.[0]?.text === 'invalidate';
}

/** The keys that a client is to forget; all of them where none is named. */
function keysOf(push: string): readonly string[] {
  const keys = parseReply(push).items?.[1]?.items;
  return keys?.map(({ text }) => `stale ${text}`) ?? ['stale: all'];
}

async function until(isThere: () => boolean): Promise<void> {
  const endMs = performance.now() + WAIT_MS;
  while (!isThere() && performance.now() < endMs) await sleep(1);
}

/** Plays `count` moves; returns the first difference as text for people, or undefined. */
export async function playCrowd(
  servers: readonly [ChildServer, ChildServer],
  { seed, commands }: { readonly seed: number; readonly commands: number },
): Promise<string | undefined> {
  for (let played = 0, nth = 0; played < commands; nth += 1, played += MOVES) {
    const draw = new Draw(new Random(seed + nth * 0x9e37_79b1));
    const moves = Array.from({ length: MOVES }, () => makeMove(draw, CLIENTS));
    const crowd = new Crowd(servers);
    let found = await crowd.play(moves);
    if (found === undefined) continue;
    let { made } = crowd;
    const endMs = performance.now() + SHORTENING_MS_MAX;
    await minimise(moves, async (some) => {
      if (performance.now() >= endMs) return false;
      const again = new Crowd(servers);
      const differs = await again.play(some);
      if (differs === undefined) return false;
      found = differs;
      ({ made } = again);
      return true;
    });
    const lines = made.map(
      ({ client, words, isOutside }) => `  ${isOutside ? 'of ' : ''}${client}: ${asLine(words)}`,
    );
    return [...lines, `their output differs: ${found}`].join('\n');
  }
  return undefined;
}
