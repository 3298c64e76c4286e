/** Contexts of commands: what a command may touch, by the thread it runs in. */

import type { Bytes, Steps } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ReplyWriter } from '#resp';
import type { Keyspace, Store } from '#store';
import type { TraceParent } from './trace-context.ts';
import type { TrackingState } from './tracking-state.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { ShardScripts } from './script-ports.ts';
import type { ShardSettings } from './shard-settings.ts';

/** Classes of keyspace notifications, by their letter in `notify-keyspace-events`. */
export type EventClass =
  '$' | 'l' | 's' | 'h' | 'z' | 't' | 'g' | 'x' | 'e' | 'd' | 'm' | 'n' | 'o' | 'c';

/** Caches what `read` makes of the settings until one of them has changed: for what every command asks. */
export function kept<T>(
  read: (settings: ShardSettings) => T,
): (context: Pick<ShardContext, 'settings'>) => T {
  let revision: object | undefined;
  let value: T;
  return ({ settings }) => {
    if (settings.revision !== revision) {
      value = read(settings);
      ({ revision } = settings);
    }
    return value;
  };
}

/** Wait of a command that found nothing. */
export interface Wait {
  /** Milliseconds; 0 = without end; negative = not at all. */
  readonly timeoutMs: number;
  /** A number of ValueType. */
  readonly type: number;
  /** True to run the command also when the key was deleted or has another type. */
  readonly onNoKey?: boolean;
  /** Number of the command's keys that are waited for, where not all. */
  readonly keyCount?: number;
  /** While offering: there is something to answer. */
  readonly isReady?: boolean;
  /** True when the command has something to answer; without this, a key of the type waited for is enough. */
  readonly ready?: (context: ShardContext, args: Arguments) => boolean;
  /** Finishes the command when it runs again; if absent, the whole command is repeated. */
  readonly retry?: (context: ShardContext, args: Arguments) => void;
  /**
   * Unix millisecond at which the command may have something to answer though no key has changed; it is read again after
   * each attempt.
   */
  readonly dueMs?: number;
}

/** Context of a handler in a shard: what it may touch. One object per shard, pointed at each command in turn. */
export interface ShardContext {
  /** The keys of the client's database on this shard. */
  readonly keyspace: Keyspace;
  readonly store: Store;
  readonly reply: ReplyWriter;
  readonly settings: ShardSettings;
  readonly shardIndex: number;
  readonly shardCount: number;
  readonly database: number;
  /** Main's slot of the client's connection. */
  readonly connection: number;
  /** Unix time in milliseconds: one moment for the whole command. */
  readonly nowMs: number;
  /**
   * True when what ends at that Unix millisecond has ended, so that it is removed instead of being given that end. A
   * replica gives it, and leaves the removal to its primary.
   */
  isOver(endMs: number): boolean;
  /** True for commands of a primary or of a slot migration: limits and ACL rules of clients do not apply. */
  readonly isObeyed: boolean;
  /** True when the command may leave its client waiting: not in a transaction. */
  readonly mayBlock: boolean;
  /** True when `prepare` may be called: not in a transaction, nor with keys of other shards. */
  readonly mayPrepare: boolean;
  /**
   * Performs long work incrementally, between commands on other keys. The command stops without having changed
   * anything, and runs again with the result of the steps as `prepared`. Until then no other command accesses its keys,
   * but they may expire or be evicted.
   */
  prepare(steps: Steps<unknown>): void;
  /** Result of the steps of this command; undefined when it had none. */
  readonly prepared: unknown;
  /**
   * With keys of other shards here, what is done is logged as states of keys. A command that does the same to this
   * shard's own keys takes their place; it has no effect elsewhere.
   */
  logOwn(...words: (string | Bytes)[]): void;
  /** True when a key is dropped after the command: then its value may be taken instead of copied. */
  isSpare(key: Bytes, at: number, length: number): boolean;
  random(): number;
  /** Counts a look-up that found its key, or not. */
  hit(): void;
  miss(): void;
  /** True when `lookedUp` must be called for each look-up that is counted, with the key. */
  readonly reportsLookUps: boolean;
  lookedUp(key: Bytes, at: number, length: number, isHit: boolean): void;
  /**
   * Must be called once for each key that a command changed, created or removed: feeds WATCH,
   * tracking, notifications, durability and the count of changes. Where Redis announces nothing, the
   * event has no name. `changes` is how many that are; 1 unless it is said.
   */
  changed(
    type: EventClass,
    event: string,
    key: Bytes,
    at: number,
    length: number,
    changes?: number,
  ): void;
  /** Announces what has changed in another database than the client's. */
  inDatabase(database: number, announce: () => void): void;
  /** True when changes are logged to disk; otherwise commands need not rewrite themselves for the log. */
  readonly isLogged: boolean;
  /** True when the command is replicated: a command that depends on the clock or blocks must then rewrite itself. */
  readonly isReplicated: boolean;
  /**
   * Sets the command that is logged and replicated instead of the current one. Required if that would not have the same
   * effect again, because it depends on chance or on a setting, or fails after a change. Several calls set several
   * commands. Words given as bytes are kept, not copied.
   */
  logAs(words: readonly (string | Bytes)[]): void;
  /** Counts changes that do not invalidate WATCH or tracking, such as deliveries of a consumer group. */
  countChanges(count: number): void;
  /** Wakes the clients that are blocked on a key, without invalidating WATCH. */
  concernsWaiters(key: Bytes, at: number, length: number): void;
  /** Marks a change that is logged but not counted in rdb_changes_since_last_save. */
  changedUncounted(): void;
  /** True when notifications of values that are replaced by those of another type are published. */
  readonly reportsTypes: boolean;
  /** Sends a notification without counting a change (key misses, new keys, ...). */
  notify(type: EventClass, event: string, key: Bytes, at: number, length: number): void;
  /** Announces that a command has flushed a database, or all of them (-1), of `changes` keys. */
  flushed(database: number, changes: number): void;
  /** Must be called when a command has exchanged two databases. */
  swapped(one: number, other: number): void;
  /** True when the client may run the current command and read every key there is: what SORT finds by values. */
  mayReadEveryKey(args: Arguments): boolean;
  /** True when a script calls the command. */
  readonly isCalled: boolean;
  /**
   * True while a command that `each` shard runs on its own keys must only say by `block` whether there is something to
   * answer; it changes nothing that is answered.
   */
  readonly isOffering: boolean;
  /** True when a command that runs on `each` shard concerns the key here; else another shard sees to it. */
  owns(args: Arguments, index: number): boolean;
  /**
   * Sets the place of the check that a command on each shard performs next, in ascending order; the first error over
   * all shards is returned.
   */
  judging(place: number): void;
  /** True when main puts the items of `each` shard together, so that no header is written. */
  readonly answersItems: boolean;
  /** Begins the item of argument `index`, for a command on `each` shard: what is written from here on belongs to it. */
  beginItem(index: number): void;
  /** Lets the client's next transaction fail when the key changes before it. The bytes are kept. */
  watch(key: Bytes): void;
  /**
   * Leaves the client waiting, without a reply: the command is run again when one of its keys has changed
   * and is of the type waited for. Only where `mayBlock`.
   */
  block(wait: Wait): void;
  /** Lua: for the commands that run scripts. */
  readonly scripts: ShardScripts;
  /** Blocks the shard; for DEBUG SLEEP only. */
  sleep(seconds: number): void;
  /**
   * Reads what the shard's snapshot and log on disk say that it holds, into a store of its own. Throws an error with
   * what is wrong with them. Undefined where nothing is kept on disk.
   */
  readonly readLog: (() => Store) | undefined;
}

/** CLIENT REPLY: `skip` drops the next command's reply; `armed` is the SKIP command itself. */
export type ReplyMode = 'on' | 'off' | 'armed' | 'skip';

/** Connection of a client. */
export interface ClientConnection {
  /** `ip:port`, or `path:0` of a unix socket. */
  readonly remoteAddress: string;
  readonly localAddress: string;
  readonly isUnix: boolean;
  /** Version and cipher of a connection secured by TLS; undefined without it. */
  readonly tls: { readonly version: string; readonly cipher: string } | undefined;
  /** File descriptor; -1 when it is not to be had. */
  readonly descriptor: number;
}

/** Sequences of the commands that ASKING is for: the next one, or those of a transaction. */
export interface AskingSpan {
  readonly from: number;
  to: number;
}

/** Session of a client: its identity and the state that its commands have set. */
export interface SessionPort {
  database: number;
  protocol: 2 | 3;
  name: string;
  libraryName: string;
  libraryVersion: string;
  authenticated: boolean;
  readonly user: string;
  replyMode: ReplyMode;
  noEvict: boolean;
  noTouch: boolean;
  /** READONLY: the client reads from replicas, whose data may be old. */
  readsFromReplica: boolean;
  /** Id of the node that sends messages over this connection; undefined for others. */
  peerNode: string | undefined;
  /** ASKING: commands for a slot that is being imported; undefined without it. */
  asking: AskingSpan | undefined;
  /** Trace that the client's commands belong to, as its application has given it. */
  traceParent: TraceParent | undefined;
}

/** Commands of a client, counted. */
export interface AccountPort {
  /** Unix milliseconds. */
  readonly createdMs: number;
  readonly lastCommandMs: number;
  /** The last command's name, in lower case; empty before the first. */
  readonly lastCommand: string;
  readonly commandsTotal: number;
}

/** Waits of a client. */
export interface WaitPort {
  readonly isBlocked: boolean;
  /** True while CLIENT UNBLOCK can end what the client waits for. */
  readonly canUnblock: boolean;
  /** True while CLIENT PAUSE holds the client's next command back. */
  readonly isPostponed: boolean;
}

/** Roles that only a few clients have. */
export interface RolesPort {
  /** True for the connection of a replica of this server. */
  readonly isReplica: boolean;
  /** True for the connection on which this server's primary sends its stream. */
  readonly isPrimary: boolean;
  /** True after MONITOR: the client receives the commands of others. */
  readonly isMonitor: boolean;
  /** Undefined while the client listens to no channel. */
  readonly subscriptions: Subscriptions | undefined;
  /** Undefined while the client does not track keys. */
  readonly tracking: TrackingState | undefined;
}

/** One client, as commands see it. */
export interface ClientPort {
  readonly id: number;
  readonly socket: ClientConnection;
  readonly session: SessionPort;
  readonly account: AccountPort;
  readonly wait: WaitPort;
  readonly roles: RolesPort;
  /** Commands queued since MULTI; undefined outside a transaction. */
  readonly transaction:
    { readonly queue: { readonly count: number; readonly memoryBytes: number } } | undefined;
  /** Keys that the client watches, by name. */
  readonly watches: { readonly keys: ReadonlyMap<string, unknown> };
  readonly isEnding: boolean;
  readonly traffic: ClientTraffic;
  /** Memory that the client takes in all. */
  readonly memoryBytes: number;
  /** Stops reading commands, and closes once all received commands are replied to. */
  quit(): void;
}

/** Bytes of one client. */
export interface ClientTraffic {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Bytes received but not yet parsed, and the memory reserved for them. */
  readonly queryBytes: number;
  /** Bytes of an incomplete command that are understood. */
  readonly parsedBytes: number;
  readonly queryMemoryBytes: number;
  /** Replies that the client has not read. */
  readonly outputBytes: number;
  /** Bytes of replies that the kernel was not even offered. */
  readonly unsentBytes: number;
}

/** Gives the reply of a command that could not be answered at once. May be called once, from any later turn. */
export type Answer = (write: (reply: ReplyWriter) => void) => void;

/**
 * Context of a handler on main: what it may touch. Each family declares the ports it needs beside itself, by extending
 * this interface; `server` implements them all.
 */
export interface MainContext {
  readonly reply: ReplyWriter;
  readonly client: ClientPort;
  readonly nowMs: number;
  /** Unix time in microseconds, at the moment when this is read. */
  readonly unixUs: number;
  /** True when the reply may be left for later: not in a transaction. */
  readonly mayBlock: boolean;
  /**
   * Leaves the reply for later; the connection's following commands wait for it. CLIENT UNBLOCK can end
   * the wait where `timedOut` says what is answered then.
   */
  defer(timedOut?: (reply: ReplyWriter) => void): Answer;
}
