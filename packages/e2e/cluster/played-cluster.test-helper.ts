/** A cluster of real servers with a real etcd, in folders of their own. */

import { randomBytes } from 'node:crypto';
import {
  type ChildServer,
  EtcdMember,
  type EtcdMemberOptions,
  type RespClient,
  sharedService,
  startServer,
  textOf,
  until,
} from '#testkit';

/** Longer than any pause of a busy machine. */
const LEASE_MS = 20_000;
/** Several nodes may start at once. */
const START_MS_MAX = 120_000;

/** An etcd, and the name of a cluster of its own in it. */
export interface Coordinator {
  readonly endpoint: string;
  readonly clusterName: string;
  stop(): Promise<void>;
}

/** Returns the etcd that all test files of a run share, or one of its own where a test is run by itself. */
export async function sharedEtcd(): Promise<Coordinator> {
  const endpoint = await sharedService('etcd');
  if (endpoint === undefined) return Etcd.start();
  const clusterName = `test-${randomBytes(6).toString('hex')}`;
  return { endpoint, clusterName, stop: () => Promise.resolve() };
}

/** An etcd of one member, for a test that stops it, breaks it or gives it options. */
export class Etcd implements Coordinator {
  readonly endpoint: string;
  readonly clusterName = 'svc';
  readonly #member: EtcdMember;

  private constructor(member: EtcdMember) {
    this.#member = member;
    this.endpoint = `127.0.0.1:${member.port}`;
  }

  static async start(options: EtcdMemberOptions = {}): Promise<Etcd> {
    const members = await EtcdMember.make(1, options);
    const [member] = members as [EtcdMember];
    await member.start(members);
    return new Etcd(member);
  }

  signal(name: NodeJS.Signals): void {
    this.#member.signal(name);
  }

  get port(): number {
    return this.#member.port;
  }

  /** Kills it, and restarts it with its data. */
  async restart(): Promise<void> {
    await this.#member.kill();
    await this.#member.start([this.#member]);
  }

  async stop(): Promise<void> {
    await this.#member.remove();
  }
}

/** A server of the cluster, and a connection to it. */
export interface PlayedNode {
  readonly server: ChildServer;
  readonly client: RespClient;
  readonly id: string;
}

interface NodeWish {
  readonly group?: string;
  readonly leaseMs?: number;
  readonly args?: readonly string[];
  readonly folder?: string;
  readonly shards?: number;
  readonly http?: boolean;
}

/** Starts a node, and waits until it has its place. */
export async function startNode(
  etcd: Coordinator,
  { group = '', leaseMs = LEASE_MS, args = [], folder, shards = 2, http = false }: NodeWish = {},
): Promise<PlayedNode> {
  const server = await startServer({
    shards,
    http,
    ...(folder === undefined ? {} : { folder }),
    args: [
      ...['--set', 'cluster.enabled=true', '--set', `cluster.group=${group}`],
      ...['--set', `cluster.coordinator-endpoints=${etcd.endpoint}`],
      ...['--set', `cluster.name=${etcd.clusterName}`],
      ...['--set', `cluster.node-timeout-ms=${leaseMs}`],
      ...['--set', 'replication.diskless-sync-delay-secs=0'],
      ...args,
    ],
  });
  const client = await server.client();
  await hasPlace(client);
  return { server, client, id: textOf(await client.call('CLUSTER', 'MYID')) };
}

/** Waits until a node has its place in the cluster. */
export async function hasPlace(client: RespClient): Promise<void> {
  await until(
    async () => /cluster_my_epoch:[1-9]/.test(textOf(await client.call('CLUSTER', 'INFO'))),
    'the node has its place',
    START_MS_MAX,
  );
}

/** Waits until a node says that the cluster is fine. */
export async function isWhole({ client }: PlayedNode): Promise<void> {
  await until(
    async () => textOf(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok'),
    'the cluster is whole',
  );
}

/** Waits until a node has a role in ROLE. */
export async function hasRole({ client }: PlayedNode, role: 'master' | 'slave'): Promise<void> {
  const has = async (): Promise<boolean> => {
    const [found, , , state] = (await client.call('ROLE')) as unknown[];
    return (
      textOf(found as never) === role &&
      (role === 'master' || textOf(state as never) === 'connected')
    );
  };
  await until(has, `the node is ${role}`);
}

/** Starts two nodes, each of a group of its own; the first has all slots. */
export async function startPair(etcd: Coordinator): Promise<[PlayedNode, PlayedNode]> {
  const pair = await Promise.all([
    startNode(etcd, { group: 'first' }),
    startNode(etcd, { group: 'second' }),
  ]);
  await pair[0].client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await Promise.all(pair.map(isWhole));
  return pair;
}

/** Starts two nodes, the first with all slots and a replica, which all agree. */
export async function startTrio(
  etcd: Coordinator,
): Promise<[first: PlayedNode, second: PlayedNode, replica: PlayedNode]> {
  const [first, second] = await startPair(etcd);
  const replica = await startNode(etcd, { group: 'first' });
  await hasRole(replica, 'slave');
  await Promise.all([isWhole(first), isWhole(second), isWhole(replica)]);
  return [first, second, replica];
}
