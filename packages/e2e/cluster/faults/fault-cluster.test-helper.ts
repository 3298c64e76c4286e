/** A cluster of nodes and members of an etcd, all as processes, with a proxy in each of their links. */

import { EtcdMember, textOf, until } from '#testkit';
import { FaultNode } from './fault-node.test-helper.ts';

const SLOTS = 16_384;
const ETCD_MEMBERS = 3;
const NODES_PER_GROUP = 2;
/** Least that an etcd takes as it comes. */
const LEASE_MS = 2_000;
const SHARDS = 2;
/** Characters of the last output of each node that are printed after a failure. */
const OUTPUT_CHARS_MAX = 6_000;
/** Milliseconds: several nodes may need a full sync, on a busy machine. */
const WHOLE_MS_MAX = 90_000;

export class FaultCluster {
  readonly etcd: readonly EtcdMember[];
  readonly nodes: readonly FaultNode[];

  private constructor(etcd: readonly EtcdMember[], nodes: readonly FaultNode[]) {
    this.etcd = etcd;
    this.nodes = nodes;
  }

  /** Starts groups of two nodes each, which share the slots. */
  static async start(groupCount: number): Promise<FaultCluster> {
    const etcd = await EtcdMember.make(ETCD_MEMBERS);
    const nodes: FaultNode[] = [];
    const cluster = new FaultCluster(etcd, nodes);
    try {
      await Promise.all(etcd.map((member) => member.start(etcd)));
      for (let nth = 0; nth < groupCount * NODES_PER_GROUP; nth += 1) {
        const [group, name] = [`group-${nth % groupCount}`, `node-${nth}`];
        const options = { name, group, leaseMs: LEASE_MS, shards: SHARDS };
        nodes.push(await FaultNode.make(options, etcd));
      }
      for (const node of nodes) await node.start();
      await Promise.all(nodes.map((node) => node.hasPlace()));
      await cluster.#shareSlots();
      await cluster.isWhole();
      return cluster;
    } catch (error) {
      cluster.showOutput();
      await cluster.stop();
      throw error;
    }
  }

  async #shareSlots(): Promise<void> {
    const { groups } = this;
    for (const [nth, group] of groups.entries()) {
      const first = Math.ceil((SLOTS * nth) / groups.length);
      const last = Math.ceil((SLOTS * (nth + 1)) / groups.length) - 1;
      const primary = await this.primaryOf(group);
      await primary?.ask('CLUSTER', 'ADDSLOTSRANGE', String(first), String(last));
    }
  }

  get groups(): readonly string[] {
    return [...new Set(this.nodes.map(({ group }) => group))];
  }

  nodesOf(group: string): readonly FaultNode[] {
    return this.nodes.filter((node) => node.group === group);
  }

  /** Node of a group that says it is the primary; undefined where none does. */
  async primaryOf(group: string): Promise<FaultNode | undefined> {
    for (const node of this.nodesOf(group)) if ((await node.role()) === 'primary') return node;
    return undefined;
  }

  /** Node of a group that has the data of its primary, and follows it. */
  async replicaOf(group: string): Promise<FaultNode | undefined> {
    for (const node of this.nodesOf(group)) if ((await node.role()) === 'replica') return node;
    return undefined;
  }

  /** Undoes all that was done to processes and links. */
  async heal(): Promise<void> {
    for (const node of this.nodes) node.heal();
    for (const member of this.etcd) if (!member.isRunning) await member.start(this.etcd);
    for (const node of this.nodes) await node.revive();
  }

  /** Waits until all slots are served, by groups of which each has a primary and a replica, and no slots are on their way. */
  async isWhole(): Promise<void> {
    let fault = '';
    const looks = async (): Promise<boolean> => {
      fault = (await this.#fault()) ?? '';
      return fault === '';
    };
    await until(looks, 'the cluster is whole', WHOLE_MS_MAX).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}: ${fault}`, { cause: error });
    });
  }

  async #fault(): Promise<string | undefined> {
    for (const node of this.nodes) {
      const info = textOf(await node.ask('CLUSTER', 'INFO'));
      if (!info.includes('cluster_state:ok')) return `${node.name} is down`;
      if (!info.includes('cluster_slot_migrations:0')) return `${node.name} knows of moves`;
    }
    for (const group of this.groups) {
      const roles = await Promise.all(this.nodesOf(group).map((node) => node.role()));
      if (roles.toSorted().join() !== 'primary,replica') return `${group} has ${roles.join()}`;
    }
    return undefined;
  }

  /** Prints the last output of the nodes. */
  showOutput(): void {
    for (const { name, output } of this.nodes) {
      process.stderr.write(`--- ${name}\n${output.slice(-OUTPUT_CHARS_MAX)}\n`);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.remove()));
    await Promise.all(this.etcd.map((member) => member.remove()));
  }
}
