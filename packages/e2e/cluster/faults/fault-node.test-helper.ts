/** A node of a cluster whose links can be disturbed: others reach it by a proxy, clients by another, and it reaches etcd by more. */

import {
  type EtcdMember,
  type Reply,
  type RespClient,
  settingArguments,
  textOf,
  until,
} from '#testkit';
import { KeptServer } from '../../durability/kept-server.ts';
import { FaultProxy } from './fault-proxy.test-helper.ts';

/** A node that answers later than this is taken for one that does not. */
const ANSWER_MS_MAX = 2_000;
/** Several nodes may start at once. */
const PLACE_MS_MAX = 60_000;

interface FaultNodeOptions {
  readonly name: string;
  readonly group: string;
  readonly leaseMs: number;
  readonly shards: number;
}

export class FaultNode {
  readonly name: string;
  readonly group: string;
  /** Proxy whose port the node announces: other nodes, and redirects, lead there. */
  readonly peers: FaultProxy;
  /** Proxy that clients of a test use. */
  readonly clients: FaultProxy;
  /** Proxies to each member of etcd. */
  readonly coordinators: readonly FaultProxy[];
  id = '';
  /** Process is stopped by a signal. */
  isStopped = false;
  readonly #options: FaultNodeOptions;
  readonly #kept = new KeptServer();
  #isRunning = false;
  #link: RespClient | undefined;
  #before = '';

  private constructor(options: FaultNodeOptions, proxies: readonly FaultProxy[]) {
    const [peers, clients, ...coordinators] = proxies as [FaultProxy, FaultProxy, ...FaultProxy[]];
    this.#options = options;
    this.name = options.name;
    this.group = options.group;
    this.peers = peers;
    this.clients = clients;
    this.coordinators = coordinators;
  }

  static async make(options: FaultNodeOptions, etcd: readonly EtcdMember[]): Promise<FaultNode> {
    const proxies = await Promise.all(
      Array.from({ length: 2 + etcd.length }, () => FaultProxy.listen()),
    );
    const node = new FaultNode(options, proxies);
    for (const [nth, member] of etcd.entries()) node.coordinators[nth]!.target = member.port;
    return node;
  }

  /** Process of the node is there, and not stopped. */
  get isRunning(): boolean {
    return this.#isRunning && !this.isStopped;
  }

  /** Port that the server itself listens on. */
  get port(): number {
    return this.#kept.server.port;
  }

  /** Output of all processes that the node has been. */
  get output(): string {
    return this.#before + this.#present;
  }

  get #present(): string {
    if (!this.#isRunning) return '';
    return this.#kept.server.stdout + this.#kept.server.stderr;
  }

  /** Starts it with its existing data; it may not have joined the cluster yet. */
  async start(): Promise<void> {
    const { group, leaseMs, shards } = this.#options;
    const endpoints = this.coordinators.map(({ port }) => `127.0.0.1:${port}`).join(' ');
    const settings = {
      'cluster.enabled': 'true',
      'cluster.group': group,
      'cluster.coordinator-endpoints': endpoints,
      'cluster.node-timeout-ms': leaseMs,
      'cluster.announce-port': this.peers.port,
      'replication.diskless-sync-delay-secs': 0,
    };
    await this.#kept.start({ shards, args: settingArguments(settings) });
    this.peers.target = this.port;
    this.clients.target = this.port;
    this.#isRunning = true;
  }

  async kill(): Promise<void> {
    if (!this.#isRunning) return;
    await this.#kept.kill();
    this.#before = this.output;
    this.#isRunning = false;
    this.isStopped = false;
  }

  /** Stops its process as it stands. */
  pause(): void {
    if (!this.#isRunning) return;
    this.isStopped = true;
    this.#kept.server.signal('SIGSTOP');
  }

  goOn(): void {
    if (!this.isStopped) return;
    this.isStopped = false;
    this.#kept.server.signal('SIGCONT');
  }

  /** Starts it if it was killed, and resumes it if it was stopped. */
  async revive(): Promise<void> {
    this.goOn();
    if (!this.#isRunning) await this.start();
  }

  /** Undoes all that was done to its links. */
  heal(): void {
    for (const proxy of [this.peers, this.clients, ...this.coordinators]) proxy.heal();
  }

  /** Asks the node itself, past all proxies; undefined where it does not answer. */
  async ask(...words: readonly string[]): Promise<Reply | undefined> {
    if (!this.isRunning) return undefined;
    try {
      if (this.#link === undefined || this.#link.socket.destroyed) this.#link = await this.dial();
      return await this.#link.reply(...words);
    } catch {
      this.#link?.socket.destroy();
      this.#link = undefined;
      return undefined;
    }
  }

  /** Connection to the server itself. */
  dial(): Promise<RespClient> {
    return this.#kept.server.client({ waitMs: ANSWER_MS_MAX });
  }

  /** Waits until it has its place in the cluster. */
  async hasPlace(): Promise<void> {
    await until(
      async () => /cluster_my_epoch:[1-9]/.test(textOf(await this.ask('CLUSTER', 'INFO'))),
      `${this.name} has its place`,
      PLACE_MS_MAX,
    );
    this.id = textOf(await this.ask('CLUSTER', 'MYID'));
  }

  /** Role of the node, as it sees it itself; a replica has one while it is connected alone. */
  async role(): Promise<'primary' | 'replica' | undefined> {
    const reply = await this.ask('ROLE');
    if (!Array.isArray(reply)) return undefined;
    const [role, , , state] = reply;
    if (textOf(role) === 'master') return 'primary';
    return textOf(state) === 'connected' ? 'replica' : undefined;
  }

  async remove(): Promise<void> {
    this.goOn();
    this.#isRunning = false;
    await this.#kept.remove();
    await Promise.all([this.peers, this.clients, ...this.coordinators].map((one) => one.close()));
  }
}
