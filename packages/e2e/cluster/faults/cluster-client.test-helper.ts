/** A small cluster client: it follows redirects, and distinguishes refused writes from those with an unknown outcome. */

import { type Random, type Reply, ReplyError, RespClient } from '#testkit';
import type { FaultCluster } from './fault-cluster.test-helper.ts';
import type { FaultNode } from './fault-node.test-helper.ts';

/** Nodes that are asked one after the other, before a command is given up as refused. */
const TRIES_MAX = 4;
/** Longer than a WAIT of the load. */
const REPLY_MS_MAX = 1_500;

type Words = readonly (string | number)[];

/** Replies to commands; `refused` where no node has taken them, `unknown` where that is not known. */
type Answer = readonly Reply[] | 'refused' | 'unknown';

export class ClusterClient {
  readonly #cluster: FaultCluster;
  readonly #random: Random;
  /** Node of the latest redirect for the tag of keys. */
  readonly #owners = new Map<string, FaultNode>();
  readonly #links = new Map<FaultNode, RespClient>();
  /** Connection that the last command was taken on. */
  #last: RespClient | undefined;

  constructor(cluster: FaultCluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
  }

  /** Sends commands whose keys have one tag, of which the first that has keys says whether the node is the right one. */
  async send(tag: string, commands: readonly Words[]): Promise<Answer> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const node = this.#owners.get(tag) ?? this.#random.pick(this.#cluster.nodes);
      const link = await this.#linkTo(node);
      if (link === undefined) {
        this.#owners.delete(tag);
        continue;
      }
      let replies: readonly Reply[];
      try {
        replies = await link.pipeline(commands);
      } catch {
        this.#drop(node);
        this.#owners.delete(tag);
        return 'unknown';
      }
      const refusal = refusalIn(commands, replies);
      if (refusal === undefined) {
        this.#owners.set(tag, node);
        this.#last = link;
        return replies;
      }
      this.#learn(tag, refusal);
    }
    return 'refused';
  }

  /** Sends WAIT on the connection of the last command: on another it would not cover that command. */
  async wait(words: Words): Promise<Reply | undefined> {
    if (this.#last === undefined || this.#last.socket.destroyed) return undefined;
    const link = this.#last;
    try {
      return await link.reply(...words);
    } catch {
      link.socket.destroy();
      return undefined;
    }
  }

  #learn(tag: string, { message }: ReplyError): void {
    const [, port] = /^MOVED \d+ \S+:(\d+)$/.exec(message) ?? [];
    const owner = this.#cluster.nodes.find(({ peers }) => String(peers.port) === port);
    if (owner === undefined) this.#owners.delete(tag);
    else this.#owners.set(tag, owner);
  }

  async #linkTo(node: FaultNode): Promise<RespClient | undefined> {
    const known = this.#links.get(node);
    if (known !== undefined && !known.socket.destroyed) return known;
    try {
      const link = await RespClient.connect({ port: node.clients.port }, { waitMs: REPLY_MS_MAX });
      this.#links.set(node, link);
      return link;
    } catch {
      return undefined;
    }
  }

  #drop(node: FaultNode): void {
    this.#links.get(node)?.socket.destroy();
    this.#links.delete(node);
  }

  close(): void {
    for (const node of [...this.#links.keys()]) this.#drop(node);
  }
}

/** The first error of a reply that is none of WAIT: an error says that nothing was done. */
function refusalIn(commands: readonly Words[], replies: readonly Reply[]): ReplyError | undefined {
  return replies.find(
    (reply, nth): reply is ReplyError =>
      reply instanceof ReplyError && commands[nth]![0] !== 'WAIT',
  );
}
