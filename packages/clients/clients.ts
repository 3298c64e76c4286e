/** The server's clients: letting them in, what each may do now, and closing those that go too far. */

import { User } from '#acl';
import { type CommandError, errors, type Logger } from '#base';
import { Arguments, type ClientConnection, type CommandEntry } from '#commands';
import type { Settings } from '#config';
import type { Page } from '#stats';
import type { Connection, ConnectionOwner, Taking } from '#net';
import { connectionAccept } from '#usdt';
import { OwnedReply, type ParsedCommand } from '#resp';
import { Client, type ParkingBlocks, type Router } from '#router';
import { type Access, chargeOutput, type ConnectedClients } from '#access';
import { ClientMemory } from './client-memory.ts';
import { ClosedClientsLog, type ExceededLimit } from './closed-clients-log.ts';
import { mayComeFromReplica, wordOf } from './replica-commands.ts';
import type { TlsCounts } from './tls-counts.ts';

/** Commands that a pause holds back. */
type PauseMode = 'all' | 'write';
/** Causes of a pause: each has one of its own. */
type PauseReason = 'command' | 'failover' | 'slots' | 'shutdown';

interface Pause {
  readonly mode: PauseMode;
  readonly untilMs: number;
}

/** Most bytes that may wait for a client that has not authenticated, beside what the kernel takes. */
const UNAUTHENTICATED_OUTPUT_BYTES_MAX = 1_024;

const LOOPBACK = /^(127\.|\[::1\]|\[::ffff:127\.)/;

interface ClientsOptions {
  router: Router;
  settings: Settings;
  page: Page;
  blocks: ParkingBlocks;
  /** Ends what a client had with others. */
  left: (client: Client) => void;
  /** Called when `hasPauses` may have changed. */
  pausesChanged: () => void;
  access: Access;
  tls: TlsCounts;
  connected: ConnectedClients;
  log: Pick<Logger, 'info' | 'warn' | 'debug'>;
}

export class Clients {
  readonly #router: Router;
  readonly #settings: Settings;
  readonly #page: Page;
  readonly #blocks: ParkingBlocks;
  readonly #connected: ConnectedClients;
  #lastId = 0;
  readonly #pauses = new Map<PauseReason, Pause>();
  readonly #access: Access;
  readonly #left: (client: Client) => void;
  readonly #log: ClientsOptions['log'];
  readonly #closedLog: ClosedClientsLog;
  /** A client has left more unread than its soft limit, as of the last tick. */
  #hasOverSoft = false;
  readonly #pausesChanged: () => void;
  readonly #tls: TlsCounts;
  readonly memory: ClientMemory;

  constructor(options: ClientsOptions) {
    const { router, settings, page, blocks, left, access, tls, connected, log } = options;
    this.#connected = connected;
    this.#access = access;
    this.#tls = tls;
    this.memory = new ClientMemory({ settings, page, log, connected });
    this.#blocks = blocks;
    this.#log = log;
    this.#closedLog = new ClosedClientsLog(log);
    this.#left = left;
    this.#pausesChanged = options.pausesChanged;
    this.#router = router;
    this.#settings = settings;
    this.#page = page;
  }

  get all(): readonly Client[] {
    return this.#connected.all;
  }

  get count(): number {
    return this.#connected.count;
  }

  byId(id: number): Client | undefined {
    return this.#connected.byId(id);
  }

  /** Accepts a new connection, or refuses it with an error and closes it. */
  accept(connection: Connection): void {
    this.#page.add('connectionsTotal', 1);
    const refusal = this.#refusal(connection);
    if (refusal !== undefined) {
      this.#page.add('connectionsRejected', 1);
      const addr = connection.remoteAddress;
      this.#log.debug('client-refused', 'Connection refused', { addr, error: refusal.text });
      const reason = refusal === errors.protectedMode ? 'protected_mode' : 'max_clients';
      this.#router.readClock();
      this.#closedLog.refused(reason, addr, this.#connected.count, this.#router.nowMs);
      const reply = new OwnedReply();
      reply.error(refusal);
      const text = reply.take();
      connection.output.appendBytes(text, 0, text.length);
      connection.closeAfterReplies();
      return;
    }
    connection.setKeepAlive(this.#settings.number('server.tcp-keepalive-secs'));
    this.#router.readClock();
    const { nowMs } = this.#router;
    this.#lastId += 1;
    const client = this.#router.addClient(
      (slot) =>
        new Client(this.#lastId, slot, connection, nowMs, this.#blocks, this.#access.users.default),
    );
    if (connectionAccept.isWatched) connectionAccept.fire(client.id, client.socket.remoteAddress);
    client.session.authenticated = !this.#access.requiresLogin;
    connection.label = client.id;
    connection.owner = new Session(client, connection, this.#router, this);
    this.#add(client);
    if (connection.tls !== undefined) this.#tls.opened(connection.tls);
    this.#certify(client, connection);
    this.memory.note(client);
    this.#report('client-connected', 'Client connected', client);
  }

  /** Closes the connection of a replica that sent a command with a reply: it would be taken for a part of the stream. */
  endReplica(client: Client, what: string): void {
    const reason = `it sent ${JSON.stringify(what)}, which has a reply`;
    const message = `Replica connection closed: ${reason}`;
    this.#log.warn('replica-closed', message, { addr: client.socket.remoteAddress });
    client.roles.closing(reason);
    client.socket.destroy();
  }

  /** Takes the connection on which this server's primary sends its stream. */
  addPrimary(connection: Connection): Client {
    this.#lastId += 1;
    const { nowMs } = this.#router;
    const client = this.#router.addClient(
      (slot) =>
        new Client(this.#lastId, slot, connection, nowMs, this.#blocks, User.unrestricted()),
    );
    client.session.authenticated = true;
    client.ownRoles.isPrimary = true;
    client.session.noEvict = true;
    connection.label = client.id;
    this.#add(client);
    return client;
  }

  #add(client: Client): void {
    this.#connected.add(client);
    this.#page.set('connections', this.#connected.count);
    this.#page.add('connectedClients', 1);
  }

  removed(client: Client): void {
    this.#left(client);
    this.#access.countBytes(client);
    this.memory.forget(client);
    this.#resume(client);
    this.#connected.remove(client);
    if (client.socket.tls !== undefined) this.#tls.closed();
    this.#page.set('connections', this.#connected.count);
    this.#page.add('connectedClients', -1);
    this.#report('client-left', 'Client disconnected', client);
  }

  /** Logs a client in as the user that its certificate names, where that is wanted. */
  #certify(client: Client, { tls }: Connection): void {
    if (tls === undefined || tls.commonName === '') return;
    if (this.#settings.string('tls.client-certs-user') === 'cn') {
      this.#access.certified(client, tls.commonName);
    }
  }

  #report(event: string, message: string, { id, socket }: Client): void {
    this.#log.debug(event, message, { conn_id: id, addr: socket.remoteAddress });
  }

  #refusal(connection: Connection): CommandError | undefined {
    if (this.#connected.count >= this.#settings.number('server.max-clients')) {
      return errors.tooManyClients;
    }
    const isOpen =
      !this.#settings.boolean('security.protected-mode') ||
      this.#access.hasPassword ||
      isLocal(connection);
    return isOpen ? undefined : errors.protectedMode;
  }

  /** Returns the reason why the client may not run the command now; `wait` when it may later. */
  gate(client: Client, entry: CommandEntry, args: Arguments): CommandError | 'wait' | undefined {
    if (entry.isProtected && !this.#mayDebug(client)) return errors.debugNotAllowed;
    if (!client.session.authenticated && this.#access.requiresLogin && !entry.needsNoUser) {
      return errors.authenticationRequired;
    }
    if (!client.session.identity.isFree) {
      const denial = this.#access.refusal(client, entry, args);
      if (denial !== undefined) return denial;
    }
    return refusalInMode(client, entry);
  }

  /** True while a pause is in force. */
  get hasPauses(): boolean {
    return this.#pauses.size > 0;
  }

  /** Returns `wait` for a command that a pause holds back. */
  hold(client: Client, entry: CommandEntry, args: Arguments): 'wait' | undefined {
    return this.#isPaused(client, entry, args) ? this.#postpone(client) : undefined;
  }

  #mayDebug(client: Client): boolean {
    const who = this.#settings.string('security.enable-debug-command');
    return who === 'yes' || (who === 'local' && isLocal(client.socket));
  }

  /** Counts the client as blocked until the pause ends. */
  #postpone(client: Client): 'wait' {
    if (!client.wait.isPostponed) this.#page.add('blockedClients', 1);
    client.wait.isPostponed = true;
    return 'wait';
  }

  #resume(client: Client): void {
    if (client.wait.isPostponed) this.#page.add('blockedClients', -1);
    client.wait.isPostponed = false;
  }

  #isPaused(client: Client, entry: CommandEntry, args: Arguments): boolean {
    const mode = this.#pauseMode;
    if (mode === undefined || client.roles.isReplica) return false;
    if (mode === 'all') return true;
    if (entry.route !== 'exec') return this.#mayReplicate(entry, args);
    const queue = client.transaction?.queue;
    if (queue?.hasWrites !== true) return false;
    const queued = new Arguments();
    for (const each of queue.pointAtEach(queued)) if (this.#mayReplicate(each, queued)) return true;
    return false;
  }

  /** True when a command may change data, or be sent to replicas. */
  #mayReplicate(entry: CommandEntry, args: Arguments): boolean {
    if (entry.isWrite) return true;
    if (!entry.has('may_replicate')) return false;
    return entry.script === undefined || this.#router.scripts.mayWrite(entry, args);
  }

  /** Commands that pauses hold back now; undefined where there is none. The end of one is for the tick, which knows who waits. */
  get #pauseMode(): PauseMode | undefined {
    let found: PauseMode | undefined;
    for (const { mode, untilMs } of this.#pauses.values()) {
      if (untilMs > this.#router.nowMs && found !== 'all') found = mode;
    }
    return found;
  }

  /** Holds commands back until a moment; a pause in force is only ever made longer and stricter. */
  pause(mode: PauseMode, untilMs: number, reason: PauseReason = 'command'): void {
    const before = this.#pauses.get(reason);
    const strict = before?.mode === 'all' && before.untilMs > this.#router.nowMs;
    this.#router.broadcast({ kind: 'pause', isOn: true });
    this.#pauses.set(reason, {
      mode: strict ? 'all' : mode,
      untilMs: Math.max(before?.untilMs ?? 0, untilMs),
    });
    this.#pausesChanged();
    // No function is loaded while writes wait.
    void this.#router.scripts.learnFunctions().then(() => {
      this.#router.retryAll();
    });
  }

  unpause(reason: PauseReason = 'command'): void {
    if (!this.#pauses.delete(reason)) return;
    this.#pausesChanged();
    if (this.#pauses.size === 0) this.#router.broadcast({ kind: 'pause', isOn: false });
    // Another pause may hold them back again.
    for (const client of this.#connected.all) this.#resume(client);
    this.#router.retryAll();
  }

  /** True while something ends between two seconds: a pause, or the time for which a client may leave much unread. */
  get awaitsTick(): boolean {
    return this.#pauses.size > 0 || this.#hasOverSoft;
  }

  /** Checks what must be looked at now and then: pauses that end, idle clients, full outputs. */
  tick(nowMs: number): void {
    this.#tls.tick(nowMs);
    this.#closedLog.tick(nowMs);
    for (const [reason, { untilMs }] of this.#pauses) if (untilMs <= nowMs) this.unpause(reason);
    const timeoutMs = this.#settings.number('server.timeout-secs') * 1_000;
    this.#hasOverSoft = false;
    for (const client of this.#connected.all) {
      const waits = mayBeIdle(client);
      if (timeoutMs > 0 && !waits && nowMs - client.account.lastCommandMs > timeoutMs) {
        this.#page.add('clientTimeouts', 1);
        this.#report('client-idle', 'Client closed: idle for longer than the timeout', client);
        client.socket.destroy();
      } else if (client.account.softLimitSinceMs > 0 || client.roles.isReplica) {
        this.checkOutput(client, nowMs);
        this.#hasOverSoft ||= client.account.softLimitSinceMs > 0;
      }
    }
  }

  /** True when an unauthenticated client has too many bytes of unread replies. */
  #isUnread(client: Client, pendingBytes: number): boolean {
    const mustAuthenticate = this.#access.requiresLogin && !client.session.authenticated;
    return mustAuthenticate && pendingBytes > UNAUTHENTICATED_OUTPUT_BYTES_MAX;
  }

  /** Hard limit, soft limit and soft seconds of what a client may leave unread. */
  #limitsOf(client: Client): readonly [hard: number, soft: number, seconds: number] {
    const [hard, soft, seconds] = this.#settings.get(limitOf(client)) as readonly [
      number,
      number,
      number,
    ];
    // Bytes that are also in the backlog do not count for a replica, as in Redis.
    const least = client.roles.isReplica ? this.#settings.number('replication.backlog-size') : 0;
    return [hard > 0 ? Math.max(hard, least) : 0, soft, seconds];
  }

  /** Closes a client that leaves too much of its replies unread. */
  checkOutput(client: Client, nowMs = this.#router.nowMs): void {
    const { replies, roles, socket } = client;
    const bytes = socket.output.pendingBytes + replies.parkedBytes + roles.heldBytes;
    const exceeded = this.#exceededLimit(client, bytes, nowMs);
    if (exceeded === undefined) return;
    this.#page.add('outputLimitDisconnections', 1);
    this.#closedLog.outputExceeded(client, { bytes, ...exceeded }, nowMs);
    closeUnread(client);
  }

  /** Returns the limit that unread replies of this size exceed now, if there is one. */
  #exceededLimit(client: Client, bytes: number, nowMs: number): ExceededLimit | undefined {
    const [hard, soft, seconds] = this.#limitsOf(client);
    const { account } = client;
    const isOverSoft = soft > 0 && bytes > soft;
    if (!isOverSoft) account.softLimitSinceMs = 0;
    else if (account.softLimitSinceMs === 0) account.softLimitSinceMs = nowMs;
    if (hard > 0 && bytes > hard) return { class: classOf(client), limit: hard, seconds: 0 };
    if (this.#isUnread(client, bytes)) {
      return { class: 'unauthenticated', limit: UNAUTHENTICATED_OUTPUT_BYTES_MAX, seconds: 0 };
    }
    const isTooLong = isOverSoft && nowMs - account.softLimitSinceMs >= seconds * 1_000;
    return isTooLong ? { class: classOf(client), limit: soft, seconds } : undefined;
  }
}

function closeUnread({ roles, socket }: Client): void {
  roles.closing('output buffer limit exceeded');
  socket.destroy();
}

/** The setting that limits what a client may leave unread. */
function limitOf(client: Client) {
  return LIMITS[classOf(client)];
}

const LIMITS = {
  replica: 'server.client-output-buffer-limit-replica',
  normal: 'server.client-output-buffer-limit-normal',
  pubsub: 'server.client-output-buffer-limit-pubsub',
} as const;

function classOf({ roles }: Client): 'replica' | 'normal' | 'pubsub' {
  if (roles.isReplica) return 'replica';
  return roles.subscriptions === undefined ? 'normal' : 'pubsub';
}

/** True for a client that has a reason to send nothing. */
function mayBeIdle(client: Client): boolean {
  const { isMonitor, isPrimary, isReplica, subscriptions } = client.roles;
  return (
    client.wait.isBlocked || isMonitor || isPrimary || isReplica || subscriptions !== undefined
  );
}

const LISTENERS_COMMANDS: ReadonlySet<string> = new Set([
  ...['SUBSCRIBE', 'PSUBSCRIBE', 'SSUBSCRIBE', 'UNSUBSCRIBE', 'PUNSUBSCRIBE', 'SUNSUBSCRIBE'],
  ...['PING', 'QUIT', 'RESET'],
]);

/** True when a RESP2 client with subscriptions may run it; other replies could not be distinguished from messages. */
function mayWhileListening({ command }: CommandEntry): boolean {
  return LISTENERS_COMMANDS.has(command.name);
}

/** Returns the reason why a client that listens to messages, or is a monitor, may not run the command. */
function refusalInMode(client: Client, entry: CommandEntry): CommandError | undefined {
  const { subscriptions, isMonitor } = client.roles;
  if (subscriptions !== undefined && client.session.protocol === 2 && !mayWhileListening(entry)) {
    return errors.notAllowedInPubSub(entry.lowerName);
  }
  // As in Redis, where a monitor is a kind of replica.
  return isMonitor && touchesKeys(entry) ? errors.monitorsKeys : undefined;
}

function touchesKeys(entry: CommandEntry): boolean {
  return entry.isWrite || entry.has('readonly') || entry.has('may_replicate');
}

/** True when the peer is on this machine. */
function isLocal({ isUnix, remoteAddress }: ClientConnection): boolean {
  return isUnix || LOOPBACK.test(remoteAddress);
}

/** Ties a connection to its client. */
class Session implements ConnectionOwner {
  readonly client: Client;
  readonly #connection: Connection;
  readonly #router: Router;
  readonly #clients: Clients;

  constructor(client: Client, connection: Connection, router: Router, clients: Clients) {
    this.client = client;
    this.#connection = connection;
    this.#router = router;
    this.#clients = clients;
  }

  command(command: ParsedCommand): Taking {
    if (this.client.roles.isReplica && !mayComeFromReplica(command)) {
      this.#clients.endReplica(this.client, wordOf(command, 0));
      return 'taken';
    }
    const taking = this.#router.dispatch(this.client, command);
    const { memory } = this.#clients;
    if (memory.isLimited) memory.note(this.client);
    return taking;
  }

  queryMemoryChanged(): void {
    this.#clients.memory.note(this.client);
  }

  protocolError(text: string): 'taken' | 'held' {
    if (!this.client.roles.isReplica) return this.#router.protocolError(this.client, text);
    this.#clients.endReplica(this.client, 'something that is not a command');
    return 'taken';
  }

  /** True when replies will come by themselves, since nothing that the client has sent may wait. */
  get isOwedReplies(): boolean {
    const { replies, wait } = this.client;
    return replies.outstanding > 0 && !wait.isOccupied;
  }

  ended(): void {
    // As Redis does, a client that waits for something and hangs up waits no longer.
    this.client.hungUp();
  }

  caughtUp(): void {
    this.client.endIfAnswered();
  }

  closed(): void {
    this.#clients.removed(this.client);
    this.#router.removeClient(this.client);
  }

  wrote(): void {
    if (this.client.session.identity.isLimited) chargeOutput(this.client);
  }

  backlogged(pendingBytes: number): void {
    this.#clients.checkOutput(this.client);
    if (pendingBytes === 0) this.client.roles.drained();
    if (!this.#connection.isClosed) this.#clients.memory.note(this.client);
  }
}
