/**
 * Forwards published messages to the other nodes: there is no bus, so each node has a light connection to every other
 * visible one. PUBLISH is sent to all, SPUBLISH to those of the own group, and receivers do not forward it.
 */

import { type Bytes, type Clock, keySlot, type Logger } from '#base';
import type { ClusterLinkDetails, MessageCommand } from '#commands';
import type { Settings } from '#config';
import { commandBytes } from '#resp';
import type { ClusterNode } from '../agreement/cluster-node.ts';
import type { MemberAddress } from '../agreement/documents/documents.ts';
import type { Clients } from '#clients';
import type { PubSub } from '#messaging';
import { connectToPrimary } from '#replication';
import { nodeLogin } from './node-login.ts';
import { PeerLink } from './peer-link.ts';

interface Peer {
  readonly place: string;
  readonly link: PeerLink;
  isInGroup: boolean;
  /** Reason why it does not work; undefined while it does. */
  problem: string | undefined;
}

interface NodeMessagesOptions {
  readonly node: Pick<ClusterNode, 'topology' | 'group' | 'id'>;
  readonly pubsub: Pick<PubSub, 'received' | 'endShardChannels'>;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly clients: Pick<Clients, 'all'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

export class NodeMessages {
  readonly #counts = { sent: 0, lost: 0, overflows: 0 };
  readonly #options: NodeMessagesOptions;
  readonly #peers = new Map<string, Peer>();

  constructor(options: NodeMessagesOptions) {
    this.#options = options;
  }

  /** Counts of messages sent to nodes, dropped, dropped for lack of room, and received. */
  get counts() {
    return { ...this.#counts, received: this.#options.pubsub.received };
  }

  /** Connections to other nodes, and those over which they send messages. */
  get links(): readonly ClusterLinkDetails[] {
    const links: ClusterLinkDetails[] = [];
    for (const [node, { link }] of this.#peers) {
      const { state } = link;
      if (state !== undefined) links.push({ direction: 'to', node, ...state });
    }
    for (const { session, account } of this.#options.clients.all) {
      const { peerNode: node } = session;
      if (node === undefined || !this.#peers.has(node)) continue;
      links.push({ direction: 'from', node, createdMs: account.createdMs, queuedBytes: 0 });
    }
    return links;
  }

  /** Sends a message that a client has published here to the nodes that it concerns. */
  publish(command: MessageCommand, channel: Bytes, message: Bytes): void {
    let bytes: Bytes | undefined;
    for (const { link, isInGroup } of this.#peers.values()) {
      if (command === 'SPUBLISH' && !isInGroup) continue;
      bytes ??= commandBytes(['CLUSTER', 'DELIVER', command, channel, message]);
      this.#counts.sent += 1;
      link.send(bytes);
    }
  }

  /** Connects to the current nodes; ends subscriptions to shard channels that have moved to another group. */
  update(): void {
    const { node, pubsub } = this.#options;
    const { topology, group, id } = node;
    const wanted = new Map<string, { address: MemberAddress; isInGroup: boolean }>();
    for (const member of topology.membersSeenBy(id)) {
      if (member.id === id || member.node === undefined) continue;
      const isInGroup = member.group.id === group?.id;
      wanted.set(member.id, { address: member.address, isInGroup });
    }
    for (const [peer, { place, link }] of this.#peers) {
      const now = wanted.get(peer);
      if (now !== undefined && placeOf(now.address) === place) continue;
      link.end();
      this.#peers.delete(peer);
    }
    for (const [peer, { address, isInGroup }] of wanted) {
      const known = this.#peers.get(peer);
      if (known === undefined) this.#peers.set(peer, this.#newPeer(peer, address, isInGroup));
      else known.isInGroup = isInGroup;
    }
    pubsub.endShardChannels((name) => {
      const channel = Buffer.from(name, 'latin1');
      return topology.owners[keySlot(channel, 0, channel.length)] !== group?.id;
    });
  }

  /** Reconnects failed connections. */
  look(): void {
    for (const { link } of this.#peers.values()) link.open();
  }

  end(): void {
    for (const { link } of this.#peers.values()) link.end();
    this.#peers.clear();
  }

  #newPeer(id: string, address: MemberAddress, isInGroup: boolean): Peer {
    const { settings, log, clock } = this.#options;
    const { nodename = '' } = address;
    const fields = { node: id, ...(nodename === '' ? {} : { nodename }) };
    const isSecure = settings.boolean('tls.replication') && address.tlsPort > 0;
    const place = { host: address.host, port: isSecure ? address.tlsPort : address.port };
    const link = new PeerLink({
      connect: () => connectToPrimary(settings, place.host, place.port),
      login: () => nodeLogin(settings),
      greeting: ['CLUSTER', 'DELIVER', 'NODE', this.#options.node.id],
      queuedBytesMax: () => settings.number('cluster.link-sendbuf-limit'),
      wallMs: () => clock.wallMs(),
      lost: (count, isFull) => {
        this.#counts.lost += count;
        if (isFull) this.#counts.overflows += 1;
      },
      failed: (problem) => {
        if (peer.problem === problem) return;
        peer.problem = problem;
        log.warn('cluster-messages', 'Published messages cannot be sent to a node', {
          ...fields,
          problem,
        });
      },
      works: () => {
        if (peer.problem === undefined) return;
        peer.problem = undefined;
        log.info('cluster-messages', 'Published messages are sent to the node again', fields);
      },
    });
    const peer: Peer = { place: placeOf(address), link, isInGroup, problem: undefined };
    link.open();
    return peer;
  }
}

function placeOf({ host, port, tlsPort }: MemberAddress): string {
  return `${host} ${port} ${tlsPort}`;
}
