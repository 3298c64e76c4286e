/** Replies created by main: of its own commands, of errors, of gathered parts. */

import { type Bytes, type Clock, type CommandError, isResourceError } from '#base';
import { type Arguments, type CommandEntry, commandTable } from '#commands';
import { AT, countError, type Page } from '#stats';
import { commandDone, commandStart, scatterDone } from '#usdt';
import { OwnedReply } from '#resp';
import type { CommandStats, Pending } from './command-stats.ts';
import type { Client } from '../clients/client.ts';
import type { Gather } from './gather.ts';
import { refusalOf } from '../clients/refusal.ts';
import type { ClientLog, ClientRegistry } from '../clients/client-registry.ts';
import type { RunningTrace } from '../traces/running-trace.ts';

const WRITER_BYTES = 16 * 1024;
const NO_BYTES: Bytes = new Uint8Array(0);

/** Runs a command that needs main only; throws a CommandError for the client's mistakes. */
export type RunOnMain = (
  client: Client,
  entry: CommandEntry,
  args: Arguments,
  reply: OwnedReply,
) => void;

/** Writes a reply that was left for later. */
export type Write = (reply: OwnedReply) => void;

/** Replaces the reply written so far by an error. */
function answerInstead(reply: OwnedReply, error: CommandError): void {
  reply.takeChunks();
  reply.at = 0;
  reply.error(error);
}

function writing(error: CommandError): Write {
  return (reply) => {
    reply.error(error);
  };
}

interface AnswersOptions {
  readonly clientRegistry: ClientRegistry;
  readonly page: Page;
  readonly clock: Clock;
  readonly commandStats: CommandStats;
  readonly run: RunOnMain;
  readonly running: RunningTrace;
  readonly log: ClientLog;
}

/** The command whose reply was left for later, and what of it is to be logged then. */
interface Deferred {
  pending: Pending | undefined;
}

/** Time of main from which on a command is a long one. */
const LONG_US = 100;
/**
 * Behind a long command other clients come before its client's next, once main has been at commands for this time. A
 * pipeline of PUBLISH to many is written to each of them a few messages at a time so, and not one by one.
 */
const SHARE_US = 4_000;

export class Answers {
  /** True when main's last own command, or transaction of such, has taken long. */
  tookLong = false;
  readonly #running: RunningTrace;
  readonly #commandStats: CommandStats;
  readonly #clientRegistry: ClientRegistry;
  readonly #page: Page;
  readonly #clock: Clock;
  readonly #run: RunOnMain;
  readonly #log: ClientLog;
  readonly #reply = new OwnedReply(2, WRITER_BYTES);
  /** Set when the command being run leaves its reply for later. */
  #deferred: Deferred | undefined;

  constructor(options: AnswersOptions) {
    const { clientRegistry, page, clock, commandStats, run, running, log } = options;
    this.#running = running;
    this.#log = log;
    this.#commandStats = commandStats;
    this.#clientRegistry = clientRegistry;
    this.#page = page;
    this.#clock = clock;
    this.#run = run;
  }

  /** Runs one of main's own commands and answers it. */
  runOnMain(client: Client, entry: CommandEntry, args: Arguments): void {
    const { values } = this.#page;
    const sequence = client.replies.takeSequence();
    const wasMuted = client.session.isMuted;
    const trace = client.traces.currentAt(sequence);
    const reply = this.#begin(client);
    this.#deferred = undefined;
    this.#running.trace = trace;
    if (commandStart.isWatched) commandStart.fire(entry.lowerName, '', client.id);
    const startUs = this.#clock.nowUs();
    values[AT.executingSinceUs] = startUs;
    values[AT.executing] = entry.id + 1;
    try {
      this.#run(client, entry, args, reply);
    } catch (error) {
      const refusal = refusalOf(error);
      if (this.#takeDeferred() !== undefined) this.#unblock(client);
      answerInstead(reply, refusal);
    }
    values[AT.executing] = 0;
    this.#running.trace = undefined;
    const endUs = this.#clock.nowUs();
    const executeUs = endUs - startUs;
    this.took(executeUs, endUs);
    this.#commandStats.ran(entry, executeUs);
    this.#countFailure(entry, reply);
    trace?.ran(executeUs, reply.errorText);
    if (commandDone.isWatched) {
      commandDone.fire(entry.lowerName, Math.round(executeUs), reply.errorText === null ? 0 : 1);
    }
    const deferred = this.#takeDeferred();
    if (deferred !== undefined) {
      deferred.pending = this.#commandStats.postpone(client, entry, args, executeUs);
      return;
    }
    // CLIENT REPLY ON, and RESET, are themselves answered.
    const isMuted = wasMuted && client.session.replyMode !== 'on';
    const replyBytes = isMuted ? 0 : reply.writtenBytes;
    this.#commandStats.logRan(client, entry, args, { executeUs, replyBytes });
    this.#deliver(client, sequence, isMuted);
  }

  /** True when others are to come before the next of its client, which has just sent that command. */
  hasTakenLong({ route }: CommandEntry): boolean {
    return this.tookLong && (route === 'onMain' || route === 'exec');
  }

  /** Notes the time of a command, or of a transaction, that main has run. */
  took(executeUs: number, endUs: number): void {
    this.tookLong = executeUs >= LONG_US && endUs - this.#clientRegistry.nowUs >= SHARE_US;
  }

  /**
   * Leaves the reply of the command being run for later; its client waits meanwhile. With `timedOut`,
   * what the command answers when its time is over, CLIENT UNBLOCK can end the wait.
   */
  defer(client: Client, timedOut?: Write): (write: Write) => void {
    const sequence = (client.replies.nextSequence - 1) >>> 0;
    const { isMuted } = client.session;
    const deferred: Deferred = { pending: undefined };
    this.#deferred = deferred;
    client.wait.awaitsReply = true;
    client.wait.deferredSequence = sequence;
    let isOpen = true;
    if (timedOut !== undefined) this.#clientRegistry.block(client);
    const answer = (write: Write): void => {
      if (!isOpen || !client.wait.awaitsReply || client.wait.deferredSequence !== sequence) return;
      isOpen = false;
      this.#unblock(client);
      this.#clientRegistry.ran(client);
      // A client that was blocked for longer than the idle timeout is not idle: its reply follows.
      client.account.lastCommandMs = this.#clientRegistry.nowMs;
      const reply = new OwnedReply(client.session.protocol);
      try {
        write(reply);
      } catch (error) {
        answerInstead(reply, refusalOf(error));
      }
      const bytes = reply.take();
      if (deferred.pending !== undefined) {
        this.#commandStats.logPostponed(client, deferred.pending, isMuted ? 0 : bytes.length);
      }
      client.replies.deliver(sequence, 1, bytes, 0, isMuted ? 0 : bytes.length);
      client.releasePushes();
      this.#clientRegistry.finishIfGone(client);
      this.#clientRegistry.retry(client);
    };
    if (timedOut !== undefined) {
      client.wait.unblock = (error, ended) => {
        answer(error === undefined ? timedOut : writing(error));
        ended(true);
      };
    }
    return answer;
  }

  /** Counts what a client waited for as answered: a blocked client has taken no command since. */
  giveUpWait(client: Client): void {
    if (!client.wait.awaitsReply) return;
    this.#unblock(client);
    client.replies.deliver(client.wait.deferredSequence, 1, NO_BYTES, 0, 0);
  }

  /** Says that a command waits for EXEC. */
  queued(client: Client): void {
    this.#begin(client).simple('QUEUED');
    client.account.lastCommandMs = this.#clientRegistry.nowMs;
    this.#deliver(client, client.replies.takeSequence(), client.session.isMuted);
  }

  /** Replies with an error without running the command. */
  reject(client: Client, entry: CommandEntry, error: CommandError): void {
    this.#page.rejected(entry.countedAs);
    this.error(client, error, entry);
  }

  /** Replies that a command which was sent is not run. */
  refuseSent(client: Client, entry: CommandEntry, sequence: number, error: CommandError): void {
    this.#page.rejected(entry.countedAs);
    this.#reportRefused(client, error, entry);
    countError(this.#page, error.text);
    client.replies.give(sequence, 1, Buffer.from(`-${error.text}\r\n`, 'latin1'));
    this.#clientRegistry.finishIfGone(client);
  }

  /** Replies that a command which needs no execution has failed. */
  fail(client: Client, entry: CommandEntry, error: CommandError): void {
    this.#commandStats.ran(entry, 0);
    this.#page.failed(entry.countedAs);
    this.error(client, error, entry);
  }

  /** Replies with an error, which without an entry belongs to no command. */
  error(client: Client, error: CommandError, entry?: CommandEntry): void {
    this.#begin(client).error(error);
    this.#reportRefused(client, error, entry);
    countError(this.#page, error.text);
    client.traces.currentAt(client.replies.nextSequence)?.failed(error.text);
    client.account.lastCommandMs = this.#clientRegistry.nowMs;
    this.#deliver(client, client.replies.takeSequence(), client.session.isMuted);
  }

  /** Arguments are omitted: they may be secrets. */
  #reportRefused(client: Client, { text }: CommandError, entry: CommandEntry | undefined): void {
    if (!this.#log.isOn('debug')) return;
    const [error = ''] = text.split(/['"`(]|, with args/, 1);
    const fields = {
      conn_id: client.id,
      command: entry?.lowerName ?? null,
      error: error.trimEnd(),
    };
    this.#log.debug('command-refused', 'Command failed with an error reply', fields);
  }

  /** Replies to all pending commands of a client with an error, and closes it: there will be no other replies. */
  abandon(client: Client, error: CommandError): void {
    client.isDeaf = true;
    if (client.replies.outstanding > 0) {
      const reply = new OwnedReply(client.session.protocol);
      reply.error(error);
      const line = reply.take();
      client.socket.output.appendBytes(line, 0, line.length);
    }
    client.socket.closeAfterReplies();
  }

  /** Merges the parts of a gathered command, which are all there, and answers. */
  finish(gather: Gather): void {
    const { client, sequence, commandId, refusal } = gather;
    if (refusal !== undefined) {
      this.refuseSent(client, commandTable.entries[commandId]!, sequence, refusal);
      return;
    }
    this.#clientRegistry.worksFor(client, commandId);
    const reply = this.#begin(client);
    try {
      gather.write(reply);
    } catch (error) {
      answerInstead(reply, refusalOf(error));
    }
    client.traces.at(sequence)?.gathered(reply.errorText);
    if (scatterDone.isWatched) {
      const us = Math.round(this.#clock.nowUs() - gather.takenUs);
      scatterDone.fire(commandTable.entries[commandId]!.lowerName, us, gather.shardCount);
    }
    this.#commandStats.gathered(gather, gather.isMuted ? 0 : reply.writtenBytes);
    this.#countFailure(commandTable.entries[commandId]!, reply);
    this.#hand(client, sequence, gather.isMuted);
    this.#clientRegistry.finishIfGone(client);
  }

  /** Counts what follows for the client's user. */
  actFor(client: Client): void {
    this.#page.actor = client.session.identity.row;
  }

  #begin(client: Client): OwnedReply {
    this.actFor(client);
    const reply = this.#reply;
    reply.at = 0;
    reply.protocol = client.session.protocol;
    reply.clearError();
    return reply;
  }

  /** Delivers what the writer holds. */
  #deliver(client: Client, sequence: number, isMuted: boolean): void {
    this.#hand(client, sequence, isMuted);
    client.session.endMuting();
  }

  /** Hands over a reply; if there is no memory for it, the client is disconnected. */
  #hand(client: Client, sequence: number, isMuted: boolean): void {
    const pieces = this.#reply.takeChunks();
    const bytes = this.#reply.take();
    try {
      if (!isMuted) for (const piece of pieces) client.replies.give(sequence, 0, piece);
      client.replies.deliver(sequence, 1, bytes, 0, isMuted ? 0 : bytes.length);
    } catch (error) {
      if (!isResourceError(error)) throw error;
      client.socket.destroy();
      // What is not answered would be waited for.
      if (!client.replies.hasHad(sequence)) client.replies.deliver(sequence, 1, NO_BYTES, 0, 0);
    }
  }

  #countFailure(entry: CommandEntry, { errorText }: OwnedReply): void {
    if (errorText === null) return;
    this.#page.failed(entry.countedAs);
    countError(this.#page, errorText);
  }

  #takeDeferred(): Deferred | undefined {
    const deferred = this.#deferred;
    this.#deferred = undefined;
    return deferred;
  }

  #unblock(client: Client): void {
    client.wait.awaitsReply = false;
    if (client.wait.isBlocked) this.#clientRegistry.unblock(client);
  }
}
