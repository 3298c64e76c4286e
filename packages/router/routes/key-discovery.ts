/**
 * Commands that read keys which depend on values (SORT BY, GET): first the owner of their own keys is asked for those,
 * then the command is sent with them lent. If they have changed in between, the command notices that when it runs, and
 * starts again; so the reply was true at one place of the order.
 */

import { type Bytes, errors } from '#base';
import { Arguments, type CommandEntry } from '#commands';
import { decodeKeys, FrameKind } from '#link';
import { type CommandBytes, OwnedReply } from '#resp';
import type { Client } from '../clients/client.ts';
import { planInquired } from '../multi/exec-plan.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { Routes } from './routes.ts';
import { ownedCopy } from '../multi/transaction.ts';

/** Maximum number of attempts: other clients may change the keys each time, which then is an error. */
const TRIES_MAX = 1_000;

interface Inquiry {
  readonly sequence: number;
  readonly entry: CommandEntry;
  readonly command: CommandBytes;
  readonly flags: number;
  readonly database: number;
  tries: number;
}

export class KeyDiscovery {
  readonly #routes: Routes;
  readonly #clientRegistry: ClientRegistry;
  readonly #open = new Map<Client, Inquiry>();
  /** Commands to be sent next, by client; each may find a ring full. */
  readonly #resends = new Map<Client, () => boolean>();
  readonly #args = new Arguments();

  constructor(routes: Routes, clientRegistry: ClientRegistry) {
    this.#routes = routes;
    this.#clientRegistry = clientRegistry;
  }

  /** True when the command must be sent by way of key discovery. */
  concerns({ otherKeys }: CommandEntry, args: Arguments): boolean {
    return otherKeys !== undefined && this.#routes.links.length > 1 && otherKeys.areNamed(args);
  }

  /** Asks which keys the command reads; false when a ring is full, and then nothing was sent. */
  send(client: Client, entry: CommandEntry, command: CommandBytes): boolean {
    const { flags } = this.#routes.fillHead(client, entry, FrameKind.inquiry);
    const inquiry: Inquiry = {
      sequence: client.replies.nextSequence,
      entry,
      command: ownedCopy(command),
      flags,
      database: client.session.database,
      tries: 0,
    };
    if (!this.#ask(client, inquiry)) return false;
    client.replies.takeSequence();
    if (client.session.replyMode !== 'on') client.session.endMuting();
    this.#open.set(client, inquiry);
    // A transaction at a barrier handles its own waits.
    if (client.wait.isAtBarrier) return true;
    client.wait.awaitsReply = true;
    client.wait.answered = () => {
      this.#end(client);
    };
    return true;
  }

  /** The owner has named the keys; undefined: those named before have changed. */
  named(client: Client, sequence: number, names: Bytes | undefined): void {
    const inquiry = this.#open.get(client);
    if (inquiry?.sequence !== sequence) return;
    this.#resends.set(client, () =>
      names === undefined ? this.#askAgain(client, inquiry) : this.#run(client, inquiry, names),
    );
    this.retry();
  }

  /** Continues commands that found a ring full. */
  retry(): void {
    if (!this.hasResends) return;
    for (const [client, resend] of [...this.#resends]) {
      if (resend()) this.#resends.delete(client);
    }
  }

  get hasResends(): boolean {
    return this.#resends.size > 0;
  }

  /** A transaction of the client has ended. */
  forget(client: Client): void {
    this.#open.delete(client);
    this.#resends.delete(client);
  }

  #ask(client: Client, inquiry: Inquiry): boolean {
    const { command } = inquiry;
    const args = this.#args;
    args.point(command.source, command.at, command.spans, 0, command.count);
    const owner = this.#routes.ownership.ownerOf(args.source, args.at(1), args.length(1));
    const link = this.#routes.linkFor(client, owner);
    const size = link.frameSize(command.count, command.length);
    const at = link.reserve(size);
    if (at < 0) return false;
    link.writeCommand(at, size, this.#head(client, inquiry, FrameKind.inquiry), command);
    return true;
  }

  #askAgain(client: Client, inquiry: Inquiry): boolean {
    inquiry.tries += 1;
    if (inquiry.tries <= TRIES_MAX) return this.#ask(client, inquiry);
    const reply = new OwnedReply(client.session.protocol);
    reply.error(errors.keysKeepChanging);
    const bytes = reply.take();
    client.replies.deliver(inquiry.sequence, 1, bytes, 0, bytes.length);
    return true;
  }

  #run(client: Client, inquiry: Inquiry, names: Bytes): boolean {
    this.#clientRegistry.worksFor(client, inquiry.entry.id);
    const { ownership } = this.#routes;
    const plan = planInquired(inquiry, inquiry.database, decodeKeys(names), ownership);
    return this.#routes.sendLent(
      client,
      this.#head(client, inquiry, FrameKind.host),
      inquiry.command,
      plan,
    );
  }

  #head(client: Client, inquiry: Inquiry, kind: number): ReturnType<Routes['fillHead']> {
    const head = this.#routes.fillHead(client, inquiry.entry, kind);
    head.flags = inquiry.flags;
    head.sequence = inquiry.sequence;
    return head;
  }

  #end(client: Client): void {
    this.forget(client);
    client.wait.answered = undefined;
    client.wait.awaitsReply = false;
    client.releasePushes();
    this.#clientRegistry.retry(client);
  }
}
