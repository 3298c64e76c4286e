/**
 * Load on a cluster under faults: clients that write sets and registers, each write followed by WAIT, and probes that
 * write to each node separately. With each tick, every idle client starts a step, so that the load leaves time for
 * lease renewals; faults last for a number of ticks.
 */

import { Random, type Reply, ReplyError, type RespClient, textOf, until } from '#testkit';
import { ClusterClient } from './cluster-client.test-helper.ts';
import type { FaultCluster } from './fault-cluster.test-helper.ts';
import type { FaultNode } from './fault-node.test-helper.ts';
import { OwnershipHistory } from './ownership-history.test-helper.ts';
import { RegisterHistory } from './register-history.test-helper.ts';
import { SetHistory, type Outcome } from './set-history.test-helper.ts';

export const TICK_MS = 20;
const CLIENTS = 5;
const WAIT_MS = 400;
const REGISTERS = 12;
const SETS = 12;
/** Operations on a register before another takes its place: the search for an order grows with them. */
const REGISTER_OPERATIONS = 150;
/** Share of writes whose WAIT is sent when their reply is there. */
const LATE_WAITS = 0.3;
/** Milliseconds until a load that has ended is reported as such. */
const REST_MS_MAX = 30_000;

/** A writer, whose steps follow one another. */
class Writer {
  isBusy = false;
  readonly step: () => Promise<void>;

  constructor(step: () => Promise<void>) {
    this.step = step;
  }

  /** Begins a step where none is under way. */
  begin(failed: (error: unknown) => void): void {
    if (this.isBusy) return;
    this.isBusy = true;
    this.step()
      .catch(failed)
      .finally(() => {
        this.isBusy = false;
      });
  }
}

export class Load {
  readonly sets = new SetHistory();
  readonly registers = new Map<string, RegisterHistory>();
  readonly ownership = new OwnershipHistory();
  /** Tags of keys that probes write, and of sets: of all groups. */
  readonly tags = Array.from({ length: SETS }, (_, nth) => `set-${nth}`);
  ticks = 0;
  readonly #random: Random;
  readonly #writers: readonly Writer[];
  readonly #clients: ClusterClient[] = [];
  readonly #probes = new Map<FaultNode, RespClient>();
  /** Operations and generation of each register. */
  readonly #used = Array.from({ length: REGISTERS }, () => ({ generation: 0, operations: 0 }));
  #values = 0;
  #ticker: NodeJS.Timeout | undefined;
  #failure: unknown;

  constructor(cluster: FaultCluster, seed: number) {
    this.#random = new Random(seed);
    const writers: Writer[] = [];
    for (let nth = 0; nth < CLIENTS; nth += 1) {
      const client = new ClusterClient(cluster, this.#random);
      this.#clients.push(client);
      writers.push(new Writer(() => this.#act(`client-${nth}`, client)));
    }
    for (const node of cluster.nodes) writers.push(new Writer(() => this.#probe(node)));
    this.#writers = writers;
  }

  start(): void {
    this.#ticker = setInterval(() => {
      this.ticks += 1;
      for (const writer of this.#writers) {
        writer.begin((error) => {
          this.#failure ??= error;
        });
      }
    }, TICK_MS);
  }

  /** Waits for `ticks` more ticks. */
  async lasts(ticks: number): Promise<void> {
    const end = this.ticks + ticks;
    // A tick that is late has those behind it late as well.
    await until(() => this.ticks >= end, `${ticks} ticks`, 60_000 + ticks * TICK_MS * 10);
  }

  /** Begins no more steps, and waits for those that are under way. */
  async end(): Promise<void> {
    clearInterval(this.#ticker);
    await until(() => this.#writers.every(({ isBusy }) => !isBusy), 'the load rests', REST_MS_MAX);
    for (const client of this.#clients) client.close();
    for (const link of this.#probes.values()) link.socket.destroy();
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  #newValue(): string {
    this.#values += 1;
    return `v${this.#values}`;
  }

  #act(name: string, client: ClusterClient): Promise<void> {
    const kind = this.#random.weighted([
      [4, 'add'],
      [3, 'write'],
      [2, 'read'],
      [1, 'look'],
    ] as const);
    if (kind === 'add') return this.#add(client);
    const register = this.#register();
    if (kind === 'write') return this.#write(name, client, register);
    return this.#read(name, client, register, kind === 'read');
  }

  async #add(client: ClusterClient): Promise<void> {
    const tag = this.#random.pick(this.tags);
    const member = this.#newValue();
    const { outcome } = await this.#send(client, tag, ['SADD', keyOf(tag), member]);
    this.sets.note(keyOf(tag), member, outcome);
  }

  /** Sends a write and WAIT; answers what is known of it, and when that was. */
  async #send(
    client: ClusterClient,
    tag: string,
    write: readonly string[],
  ): Promise<{ outcome: Outcome; returnedAt: number }> {
    const wait = ['WAIT', 1, WAIT_MS] as const;
    const isLate = this.#random.chance(LATE_WAITS);
    const answer = await client.send(tag, isLate ? [write] : [write, wait]);
    if (answer === 'refused') return { outcome: 'refused', returnedAt: performance.now() };
    if (answer === 'unknown') return { outcome: 'perhaps', returnedAt: performance.now() };
    const waited = isLate ? await client.wait(wait) : answer[1];
    const outcome = isReplicated(waited) ? 'confirmed' : 'perhaps';
    return { outcome, returnedAt: performance.now() };
  }

  #register(): string {
    const nth = this.#random.integer(0, REGISTERS - 1);
    const used = this.#used[nth]!;
    used.operations += 1;
    if (used.operations > REGISTER_OPERATIONS) {
      used.operations = 0;
      used.generation += 1;
    }
    return `register-${nth}-${used.generation}`;
  }

  /** Returns what is known of a register. */
  historyOf(register: string): RegisterHistory {
    const known = this.registers.get(register);
    if (known !== undefined) return known;
    const made = new RegisterHistory();
    this.registers.set(register, made);
    return made;
  }

  async #write(name: string, client: ClusterClient, register: string): Promise<void> {
    const value = this.#newValue();
    const calledAt = performance.now();
    const sent = await this.#send(client, register, ['SET', keyOf(register), value]);
    this.historyOf(register).wrote({ client: name, value, calledAt, ...sent });
  }

  async #read(
    name: string,
    client: ClusterClient,
    register: string,
    isConfirming: boolean,
  ): Promise<void> {
    const calledAt = performance.now();
    const get = ['GET', keyOf(register)];
    const commands = isConfirming
      ? [
          ['MULTI'],
          get,
          ['SET', `{${register}}:read`, this.#newValue()],
          ['EXEC'],
          ['WAIT', 1, WAIT_MS],
        ]
      : [get];
    const answer = await client.send(register, commands);
    if (answer === 'refused' || answer === 'unknown') return;
    const returnedAt = performance.now();
    const reply = isConfirming ? (answer[3] as readonly Reply[])[0] : answer[0];
    const value = reply === null ? '' : textOf(reply);
    const isConfirmed = isConfirming && isReplicated(answer[4]);
    this.historyOf(register).read({ client: name, value, calledAt, returnedAt, isConfirmed });
  }

  /** Writes to a node by itself, which may have the slot or not. */
  async #probe(node: FaultNode): Promise<void> {
    if (!node.isRunning) return;
    const slot = this.#random.pick(this.tags);
    const member = this.#newValue();
    const info = ['CLUSTER', 'INFO'];
    const calledAt = performance.now();
    let outcome: Outcome = 'perhaps';
    try {
      const link = await this.#probeOf(node);
      const [before, added, after] = await link.pipeline([
        info,
        ['SADD', keyOf(slot), member],
        info,
      ]);
      const returnedAt = performance.now();
      const epoch = epochIn(before);
      if (added instanceof ReplyError) outcome = 'refused';
      else if (epoch === epochIn(after)) {
        const { name, group } = node;
        this.ownership.note({ node: name, group, epoch, slot, calledAt, returnedAt });
      }
    } catch {
      this.#probes.get(node)?.socket.destroy();
      this.#probes.delete(node);
    }
    this.sets.note(keyOf(slot), member, outcome);
  }

  async #probeOf(node: FaultNode): Promise<RespClient> {
    const known = this.#probes.get(node);
    if (known !== undefined && !known.socket.destroyed) return known;
    const link = await node.dial();
    this.#probes.set(node, link);
    return link;
  }
}

/** Key of a set or a register, whose slot is that of its tag. */
export function keyOf(tag: string): string {
  return `{${tag}}`;
}

function isReplicated(reply: Reply | undefined): boolean {
  return typeof reply === 'number' && reply >= 1;
}

function epochIn(info: Reply | undefined): number {
  return Number(/cluster_my_epoch:(\d+)/.exec(textOf(info))?.[1] ?? -1);
}
