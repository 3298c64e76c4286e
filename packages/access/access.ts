/** Authentication and authorization on main: users, passwords, rules and rate limits, and the log of denials. */

import {
  type AclDenial,
  AclLog,
  ALLOWED,
  type DenialContext,
  denialInExec,
  denialReason,
  type DenialReason,
  denialText,
  deniedName,
  deniedObject,
  indexOf,
  revokedChannels,
  type ShardDenial,
  type User,
  Users,
  type Verdict,
} from '#acl';
import { type Clock, type CommandError, errors, fromLatin1, type Logger, readable } from '#base';
import { type Arguments, clientLine, type CommandEntry, commandTable } from '#commands';
import type { Settings } from '#config';
import type { Control } from '#link';
import type { Client } from '#router';
import { USER_QUANTITIES } from '#quantities';
import { DEFAULT_USER_ROW, OTHER_USERS_ROW, type Page, UserField } from '#stats';
import type { OpsLink } from '#main';
import { FailureLog, RecentRefusals, type RefusedUser } from '#diagnostics';
import type { ConnectedClients } from './connected-clients.ts';
import { countedUsers, type CountedUsers } from './counted-users.ts';
import { allowsAllChannels, takeInitialUsers } from './initial-users.ts';
import { chargeFailure, chargeLimits, chargeOutput } from './rate-limits.ts';
import { UserRows } from './user-rows.ts';

type DeniedQuantity = Extract<
  (typeof USER_QUANTITIES)[number],
  { readonly total: `aclDenied${string}` }
>;

/** Counters of denials by the reason. */
const DENIED: ReadonlyMap<DenialReason, DeniedQuantity> = new Map(
  USER_QUANTITIES.filter((row) => row.metric === 'svc_user_denied_total').map((row) => [
    row.label[1],
    row,
  ]),
);

interface AccessOptions {
  readonly settings: Settings;
  readonly main: Page;
  readonly shards: readonly Page[];
  readonly log: Pick<Logger, 'warn'>;
  /** Monotonic microseconds. */
  nowUs(): number;
  /** Unix milliseconds. */
  nowMs(): number;
  readonly connected: Pick<ConnectedClients, 'all'>;
  /** Called when separate counts of a user start. */
  readonly counted: (name: string) => void;
}

interface NewAccessOptions {
  readonly settings: Settings;
  readonly serverMemory: { readonly mainPage: Page; readonly shardPages: readonly Page[] };
  readonly log: AccessOptions['log'];
  readonly clock: Clock;
  readonly connected: Pick<ConnectedClients, 'all'>;
  readonly ops: Pick<OpsLink, 'publishUser'>;
}

/** Puts together who decides on clients of a server. */
export function newAccess({ serverMemory, clock, ops, ...rest }: NewAccessOptions): Access {
  return new Access({
    ...rest,
    main: serverMemory.mainPage,
    shards: serverMemory.shardPages,
    nowUs: () => clock.nowUs(),
    nowMs: () => clock.wallMs(),
    counted: (name) => {
      ops.publishUser(readable(fromLatin1(name)));
    },
  });
}

export class Access {
  readonly users: Users;
  readonly log = new AclLog();
  readonly #options: AccessOptions;
  readonly #rows: UserRows;
  readonly #refusals = new RecentRefusals();
  #requiresLogin = false;
  /** True when users are not as they were at the start. */
  #haveChanged = false;
  /** Client that has asked for the change that is being made. */
  #asker: Client | undefined;
  readonly #failedLogins: FailureLog;

  constructor(options: AccessOptions) {
    this.#options = options;
    const { settings, counted, log } = options;
    this.#failedLogins = new FailureLog((fields) => {
      log.warn('login-failed', 'Logins failed', fields);
    });
    this.#rows = new UserRows(counted);
    this.users = new Users({
      allowsAllChannels: () => allowsAllChannels(settings),
      rowOf: (name) => this.#rows.of(name),
    });
    settings.onChange('security.requirepass', (password) => {
      this.users.setDefaultPassword(password);
    });
  }

  /**
   * Takes the first users, before there are clients; throws an error that says what is wrong with them. `broadcast` sends them
   * and their changes to every shard, in order with the commands.
   */
  begin(broadcast: (control: Control) => void): void {
    const { settings } = this.#options;
    takeInitialUsers(this.users, settings);
    this.users.listener = {
      changing: (user, rules) => {
        // What came before is not charged to a new limit, and is charged to an old one.
        if (user.isLimited || rules.isLimited) this.#clientsOf(user).forEach(chargeOutput);
        const isRevoked = revokedChannels(user.rules, rules);
        if (isRevoked === undefined) return;
        for (const client of this.#clientsOf(user)) {
          const names = client.roles.subscriptions;
          if (names !== undefined && isRevoked(names)) this.#close(client);
        }
      },
      changed: (user) => {
        this.#haveChanged = true;
        broadcast({ kind: 'users', rules: [[user.name, user.rules.line]] });
        this.#note();
      },
      deleted: (user) => {
        for (const client of this.#clientsOf(user)) this.#close(client);
        broadcast({ kind: 'users', rules: [[user.name, null]] });
        this.#haveChanged = true;
        this.#note();
      },
    };
    const rules = this.users.all.map((user) => [user.name, user.rules.line] as const);
    broadcast({ kind: 'users', rules });
    this.#note();
  }

  /** Lines of the users for CONFIG REWRITE; undefined when they are as in the configuration, or in a file of their own. */
  get linesToKeep(): readonly string[] | undefined {
    if (!this.#haveChanged || this.#options.settings.string('security.acl-file') !== '') {
      return undefined;
    }
    return this.users.all.map(({ name, rules }) => `${name} ${rules.line}`);
  }

  /** Changes users for a client. */
  changeFor<Result>(client: Client, change: (users: Users) => Result): Result {
    this.#asker = client;
    try {
      return change(this.users);
    } finally {
      this.#asker = undefined;
    }
  }

  /** Updates cached values: the need to authenticate, and the numbers of users. */
  #note(): void {
    const { main } = this.#options;
    const { rules } = this.users.default;
    this.#requiresLogin = !rules.needsNoPassword || !rules.isEnabled;
    main.set('users', this.users.count);
    main.set('limitedUsers', this.users.limitedCount);
  }

  #clientsOf(user: User): readonly Client[] {
    return this.#options.connected.all.filter(({ session }) => session.identity === user);
  }

  /**
   * Closes a client whose user was deleted, or may not receive its subscriptions; the client that requested it is
   * replied to first.
   */
  #close(client: Client): void {
    this.setUser(client, this.users.default);
    client.session.authenticated = false;
    if (client === this.#asker) client.quit();
    else client.socket.destroy();
  }

  // Who a client is.

  /** True when a client must log in before it may do anything. */
  get requiresLogin(): boolean {
    return this.#requiresLogin;
  }

  /** True when the default user has a password: then everybody may try to connect. */
  get hasPassword(): boolean {
    return !this.users.default.rules.needsNoPassword;
  }

  /** Resets a client to the default user. */
  reset(client: Client): void {
    this.setUser(client, this.users.default);
    client.session.authenticated = !this.#requiresLogin;
  }

  /** Authenticates a client; false if user and password do not match. `command` is the name of its command. */
  login(client: Client, name: string, password: string, command: string): boolean {
    const user = this.users.get(name);
    if (user?.rules.accepts(password) !== true) {
      this.#failed(client, name, command);
      return false;
    }
    this.setUser(client, user);
    client.session.authenticated = true;
    return true;
  }

  /** Logs a client in whose certificate names a user; nothing changes where there is no such user, or it is off. */
  certified(client: Client, name: string): void {
    const user = this.users.get(name);
    if (user?.rules.isEnabled !== true) return;
    this.setUser(client, user);
    client.session.authenticated = true;
  }

  setUser(client: Client, user: User): void {
    this.countBytes(client);
    chargeOutput(client);
    client.session.identity = user;
  }

  #failed(client: Client, name: string, command: string): void {
    const context = contextOf(client);
    const row = this.users.get(name)?.row ?? OTHER_USERS_ROW;
    this.#deny(client, { reason: 'auth', context, object: command, user: deniedName(name) }, row);
    const { id, socket } = client;
    this.#failedLogins.add({ conn_id: id, addr: socket.remoteAddress }, this.#options.nowMs());
  }

  /** Performs periodic work: updates counts, and logs failures. */
  tick(nowMs: number): void {
    this.count();
    this.#failedLogins.tick(nowMs);
  }

  // What it may do.

  /** Returns why a client may not run a command, or not now. */
  refusal(client: Client, entry: CommandEntry, args: Arguments): CommandError | undefined {
    const { identity } = client.session;
    const verdict = identity.isUnrestricted ? ALLOWED : identity.rules.judge(entry, args);
    if (verdict !== ALLOWED) {
      const error = this.failureRefusal(client, args);
      if (error !== undefined) return error;
      const context = contextOf(client);
      client.account.lastCommandId = entry.id;
      this.#denied(client, entry, args, { verdict, context });
      return errors.noPermission(denialText(verdict, identity.name, entry));
    }
    if (!identity.isLimited) return undefined;
    const nowUs = this.#options.nowUs();
    return this.#limited(client, chargeLimits(client, entry, args, nowUs), nowUs);
  }

  /**
   * Charges a command that is no command, or is denied; the error when the client is over its user's limits. Strangers
   * do not use up the limit of the default user.
   */
  failureRefusal(client: Client, args: Arguments): CommandError | undefined {
    if (!client.session.identity.isLimited) return undefined;
    if (!client.session.authenticated && this.#requiresLogin) return undefined;
    const nowUs = this.#options.nowUs();
    return this.#limited(client, chargeFailure(client, args, nowUs), nowUs);
  }

  /** Counts a refusal for a rate limit, if there is one. */
  #limited(
    client: Client,
    error: CommandError | undefined,
    nowUs: number,
  ): CommandError | undefined {
    if (error === undefined) return undefined;
    this.#refusals.add(client.session.user, nowUs);
    const { main } = this.#options;
    const isForCommands = error === errors.tooManyCommands;
    main.add(isForCommands ? 'limitedCommands' : 'limitedBytes', 1);
    const field = isForCommands ? UserField.limitedCommands : UserField.limitedBytes;
    main.countUser(client.session.identity.row, field, 1);
    return error;
  }

  /** Returns why a command that was queued may not be run any more. */
  execRefusal(client: Client, entry: CommandEntry, args: Arguments): CommandError | undefined {
    const { identity } = client.session;
    if (identity.isUnrestricted) return undefined;
    const verdict = identity.rules.judge(entry, args);
    if (verdict === ALLOWED) return undefined;
    this.#denied(client, entry, args, { verdict, context: 'multi' });
    return errors.noPermission(denialInExec(verdict));
  }

  /** Returns the reason why a user may not run a command, with the denied object. */
  denialOf(name: string, entry: CommandEntry, args: Arguments): string | undefined {
    const rules = this.users.get(name)?.rules;
    const verdict = rules?.judge(entry, args) ?? ALLOWED;
    if (verdict === ALLOWED) return undefined;
    return denialText(verdict, name, entry, args.latin1(indexOf(verdict)));
  }

  #denied(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    { verdict, context }: { verdict: Verdict; context: DenialContext },
  ): void {
    const object = deniedObject(verdict, entry, args);
    this.#deny(client, {
      reason: denialReason(verdict),
      context,
      object,
      user: client.session.user,
    });
  }

  /** A shard has denied something. */
  deniedInShard(client: Client, { reason, context, object }: ShardDenial): void {
    this.#deny(client, { reason, context, object, user: client.session.user });
  }

  #deny(
    client: Client,
    denial: Omit<AclDenial, 'client'>,
    row = client.session.identity.row,
  ): void {
    const { main, settings } = this.#options;
    const { total, field } = DENIED.get(denial.reason)!;
    main.add(total, 1);
    main.countUser(row, UserField[field], 1);
    const nowMs = this.#options.nowMs();
    const lengthMax = settings.number('security.acllog-max-len');
    this.log.add({ ...denial, client: clientLine(client, nowMs) }, nowMs, lengthMax);
  }

  // What users have done.

  /** Adds what a client has sent and received since the last time to its user's. */
  countBytes(client: Client): void {
    const { bytesRead, output } = client.socket;
    const { row } = client.session.identity;
    const { main } = this.#options;
    main.countUser(row, UserField.bytesIn, bytesRead - client.account.countedBytesIn);
    main.countUser(row, UserField.bytesOut, output.bytesWritten - client.account.countedBytesOut);
    client.account.countedBytesIn = bytesRead;
    client.account.countedBytesOut = output.bytesWritten;
  }

  /** Brings the users' bytes and connections up to date. */
  count(): void {
    const { main } = this.#options;
    if (this.#rows.hasOthers) this.#countConnections();
    // All bytes are some user's now.
    main.setUser(DEFAULT_USER_ROW, UserField.bytesIn, main.get('bytesRead'));
    main.setUser(DEFAULT_USER_ROW, UserField.bytesOut, main.get('bytesWritten'));
  }

  #countConnections(): void {
    const { main } = this.#options;
    const connections = new Map<number, number>();
    for (const client of this.#options.connected.all) {
      this.countBytes(client);
      const { row } = client.session.identity;
      connections.set(row, (connections.get(row) ?? 0) + 1);
    }
    for (const row of this.#rows.taken) {
      main.setUser(row, UserField.connections, connections.get(row) ?? 0);
    }
  }

  /** Users with commands refused by rate limits within the last minute. */
  get refused(): readonly RefusedUser[] {
    return this.#refusals.at(this.#options.nowUs());
  }

  /** Returns what users have done, up to date. */
  counts(): CountedUsers {
    this.count();
    const { main, shards } = this.#options;
    const pages = { main, shards, commandCount: commandTable.entries.length };
    return countedUsers(this.users, this.#rows, pages);
  }
}

function contextOf({ transaction }: Client): DenialContext {
  return transaction === undefined ? 'toplevel' : 'multi';
}
