/**
 * MIGRATE on main: shards send the values of the keys and lock them, the target receives them, and keys that it has
 * accepted are deleted. Main does not block meanwhile. A key is deleted only after the target's reply to its RESTORE:
 * after any failure in between, it is on one of both servers, or on both.
 */

import { errors, systemClock } from '#base';
import { commandTable, type Migration, type MigrationOutcome, type MigrationPort } from '#commands';
import { ReplyConnection } from '#net';
import { commandBytes, ReplyError } from '#resp';
import type { Client, KeyMigrations, MigratedKey } from '#router';
import { keysLeft, restoreWrites, type KeyToRestore } from './restore-stream.ts';

/** Longest error of a target that is answered. */
const ANSWER_LENGTH_MAX = 1_022;

interface MigrationsOptions {
  readonly router: { readonly keyMigrations: KeyMigrations };
  /** The client whose command is being run. */
  readonly client: () => Client;
  /** Undefined without a cluster; in one, keys may be of a slot that the target does not own yet. */
  readonly cluster: object | undefined;
  /** True while the server is a replica. */
  readonly isReplica: () => boolean;
}

/** Fate of keys that were sent. */
interface Sent {
  /** Indexes of those that the target has taken. */
  readonly taken: number[];
  outcome: MigrationOutcome;
  /** True if the target closed the connection before it accepted or refused any key: one retry is possible. */
  mayRetry: boolean;
}

const OK = 'OK';
/** Part of what a server says to a payload of a later version than it reads. */
const VERSION_REFUSED = 'DUMP payload version';

export class Migrations implements MigrationPort {
  readonly #options: MigrationsOptions;
  readonly #entry = commandTable.byName('MIGRATE')!;

  constructor(options: MigrationsOptions) {
    this.#options = options;
  }

  async move(migration: Migration): Promise<MigrationOutcome> {
    const client = this.#options.client();
    const first = await this.#move(migration, client, false);
    if (!isVersionRefused(first.outcome)) return first.outcome;
    // An older server. What it cannot read stays here, and then its refusal is the answer.
    const second = await this.#move(migration, client, true);
    return second.outcome === 'moved' && second.hasUnfit ? first.outcome : second.outcome;
  }

  /** Moves the keys, but for those that have no form that an old server reads. */
  async #move(
    migration: Migration,
    client: Client,
    isForOld: boolean,
  ): Promise<{ outcome: MigrationOutcome; hasUnfit: boolean }> {
    const { keys, isCopy } = migration;
    const { isReplica } = this.#options;
    const wasReplica = isReplica();
    const wanted = { client, entry: this.#entry, keys, holds: !isCopy, isForOld };
    const found = await this.#options.router.keyMigrations.take(wanted);
    if (found.isRefused) return { outcome: { error: errors.outOfResources }, hasUnfit: false };
    if (found.keys.length === 0) return { outcome: 'none', hasUnfit: false };
    const fit = found.keys.filter(({ value }) => value !== undefined);
    let sent = await this.#send(migration, fit);
    // The target may have been restarted.
    if (sent.mayRetry) sent = await this.#send(migration, fit);
    if (!wasReplica && isReplica()) {
      // What is deleted now, its primary would still have.
      await found.end([]);
      return { outcome: { error: errors.roleChanged }, hasUnfit: false };
    }
    const isSafe = isCopy || (await found.end(sent.taken));
    const outcome = isSafe ? sent.outcome : { error: errors.unsafeReply };
    return { outcome, hasUnfit: fit.length < found.keys.length };
  }

  async #send(migration: Migration, keys: readonly MigratedKey[]): Promise<Sent> {
    const sent: Sent = { taken: [], outcome: 'moved', mayRetry: false };
    const { host, port, timeoutMs } = migration;
    const connection = await ReplyConnection.open(host, port, timeoutMs);
    if (connection === undefined) {
      sent.outcome = { brokenOff: 'connecting' };
      return sent;
    }
    try {
      if (await this.#prepare(connection, migration, sent)) {
        const left = keysLeft(keys, systemClock.wallMs());
        await this.#restore(connection, migration, left, sent);
      }
    } finally {
      connection.close();
    }
    return sent;
  }

  /** Logs in and selects the database: where that fails, no key is sent, or it would come into another. */
  async #prepare(connection: ReplyConnection, migration: Migration, sent: Sent): Promise<boolean> {
    const { credentials, database } = migration;
    const commands = [
      ...(credentials.length > 0 ? [commandBytes(['AUTH', ...credentials])] : []),
      commandBytes(['SELECT', database]),
    ];
    for (const command of commands) {
      const end = await connection.write(command);
      if (end !== undefined) {
        sent.outcome = { brokenOff: 'writing' };
        sent.mayRetry = end === 'closed';
        return false;
      }
      if ((await this.#answer(connection, sent)) !== 'ok') return false;
    }
    return true;
  }

  /** Sends the keys, and reads replies meanwhile. */
  async #restore(
    connection: ReplyConnection,
    migration: Migration,
    keys: readonly KeyToRestore[],
    sent: Sent,
  ): Promise<void> {
    let isWriting = true;
    const write = async (): Promise<void> => {
      for (const bytes of restoreWrites(keys, {
        ...migration,
        requests: this.#options.cluster !== undefined,
      })) {
        if ((await connection.write(bytes)) !== undefined) return;
      }
      isWriting = false;
    };
    const written = write();
    for (const { index } of keys) {
      const answer = await this.#answer(connection, sent, () => isWriting);
      if (answer === 'ok') sent.taken.push(index);
      if (answer === 'none') break;
    }
    connection.close();
    await written;
  }

  /** Takes an answer of the target: OK, an error, of which the first is the outcome, or none, with which it is over. */
  async #answer(
    connection: ReplyConnection,
    sent: Sent,
    isWriting: () => boolean = () => false,
  ): Promise<'ok' | 'error' | 'none'> {
    const answer = await connection.reply();
    const reply = answer.end === undefined ? answer.reply : undefined;
    if (reply === OK) return 'ok';
    if (reply instanceof ReplyError) {
      if (sent.outcome === 'moved') {
        sent.outcome = { answered: reply.message.slice(0, ANSWER_LENGTH_MAX) };
      }
      return 'error';
    }
    // Any other reply does not confirm that it has the key.
    if (sent.outcome === 'moved') {
      sent.outcome = { brokenOff: isWriting() ? 'writing' : 'reading' };
      const isClosed = answer.end === 'closed';
      sent.mayRetry = isClosed && sent.taken.length === 0;
    }
    return 'none';
  }
}

function isVersionRefused(outcome: MigrationOutcome): boolean {
  if (typeof outcome === 'string' || !('answered' in outcome)) return false;
  return outcome.answered.includes(VERSION_REFUSED);
}
