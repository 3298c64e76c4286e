/** The clients that the router serves, by slot, and those whose next command must wait. */

import type { Clock, Logger } from '#base';
import { commandTable } from '#commands';
import { AT, DEFAULT_USER_ROW, type Page, UserField } from '#stats';
import type { Client } from './client.ts';

/** The log of what happens to single clients. */
export type ClientLog = Pick<Logger, 'isOn' | 'debug' | 'trace'>;

export class ClientRegistry {
  readonly #page: Page;
  readonly #values: Float64Array;
  readonly #clock: Clock;
  readonly #log: ClientLog;
  readonly #slots: (Client | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  /** Clients whose next command found no room in a ring. */
  readonly #stalled = new Set<Client>();
  /** Clients whose next command must wait for another reason. */
  readonly #held = new Set<Client>();
  /** Monotonic microseconds and unix milliseconds of the turn. */
  nowUs = 0;
  nowMs = 0;

  /** `page` is main's. */
  constructor(page: Page, clock: Clock, log: ClientLog) {
    this.#page = page;
    this.#values = page.values;
    this.#clock = clock;
    this.#log = log;
  }

  /** Sets the monotonic and the wall time of the commands dispatched next. */
  readClock(): void {
    this.nowUs = this.#clock.nowUs();
    this.nowMs = this.#clock.wallMs();
  }

  /** Takes the monotonic time only; wall-clock time is that of the turn. */
  readMonotonic(): void {
    this.nowUs = this.#clock.nowUs();
  }

  /** Records the current work of main, which other threads can report if it gets stuck. */
  worksFor(client: Client | undefined, commandId = -1): void {
    this.#values[AT.workClient] = client === undefined ? 0 : client.id;
    this.#values[AT.workCommand] = commandId + 1;
  }

  inSlot(slot: number): Client | undefined {
    return this.#slots[slot];
  }

  add(make: (slot: number) => Client): Client {
    const slot = this.#freeSlots.pop() ?? this.#slots.length;
    const client = make(slot);
    this.#slots[slot] = client;
    return client;
  }

  /** Removes a disconnected client, once the shards have replied to all of its commands. */
  remove(client: Client): void {
    this.#stalled.delete(client);
    this.#held.delete(client);
    if (client.replies.outstanding === 0 && !client.wait.isAtBarrier) this.#free(client);
  }

  /** To be called when a client got a reply: its slot may now be used again. */
  finishIfGone(client: Client): void {
    if (client.socket.isClosed && client.replies.outstanding === 0 && !client.wait.isAtBarrier) {
      this.#free(client);
    }
  }

  #free(client: Client): void {
    if (this.#slots[client.slot] !== client) return;
    client.replies.discard();
    this.#slots[client.slot] = undefined;
    this.#freeSlots.push(client.slot);
  }

  /** The client's command waits for room in a ring. Answers what `dispatch` is to answer. */
  stall(client: Client): 'full' {
    this.#stalled.add(client);
    this.#values[AT.readStalls] = this.#values[AT.readStalls]! + 1;
    return 'full';
  }

  /** The client's command waits for the replies to those before it. Answers what `dispatch` is to answer. */
  throttle(client: Client): 'full' {
    client.replies.widen();
    this.#stalled.add(client);
    return 'full';
  }

  /** Suspends a client whose command waits for asynchronous work that reports its own end. */
  hold(client: Client): 'held' {
    this.#held.add(client);
    return 'held';
  }

  /** Counts a command as processed. */
  count(client: Client): void {
    client.account.commandsTotal += 1;
    this.#values[AT.commands] = this.#values[AT.commands]! + 1;
    const { row } = client.session.identity;
    if (row !== DEFAULT_USER_ROW) this.#page.countUser(row, UserField.commands, 1);
  }

  /** Counts a finished command that the client has waited for. */
  ran(client: Client): void {
    if (!client.account.isCountedLater) return;
    client.account.isCountedLater = false;
    this.count(client);
  }

  /** The client waits inside a blocking command. */
  block(client: Client): void {
    client.wait.isBlocked = true;
    client.wait.blockedSinceMs = this.nowMs;
    this.#values[AT.blockedClients] = this.#values[AT.blockedClients]! + 1;
    if (!this.#log.isOn('trace')) return;
    const command = commandTable.entries[client.account.lastCommandId]!.lowerName;
    const fields = { conn_id: client.id, command };
    this.#log.trace('client-blocked', 'Client blocked', fields);
  }

  /** Ends the wait of a client that waits inside a blocking command. */
  unblock(client: Client): void {
    client.wait.isBlocked = false;
    client.wait.unblock = undefined;
    this.#values[AT.blockedClients] = this.#values[AT.blockedClients]! - 1;
    if (!this.#log.isOn('trace')) return;
    const fields = { conn_id: client.id, ms: Math.round(this.nowMs - client.wait.blockedSinceMs) };
    this.#log.trace('client-unblocked', 'Client unblocked', fields);
  }

  /** The client's command waits until all before it are answered. */
  holdUntilAnswered(client: Client): 'held' {
    client.wait.answered = () => {
      client.wait.answered = undefined;
      this.retry(client);
    };
    return this.hold(client);
  }

  /** True while a client, connected or not, has commands in flight that are not blocked. */
  get isBusy(): boolean {
    return this.#slots.some((client) => client !== undefined && isInFlight(client));
  }

  get hasStalled(): boolean {
    return this.#stalled.size > 0;
  }

  /** Offers again what found no room, in the order in which it came. */
  retryStalled(): void {
    if (this.#stalled.size === 0) return;
    const waiting = [...this.#stalled];
    this.#stalled.clear();
    for (const client of waiting) {
      const { replies, socket } = client;
      if (replies.outstanding > replies.limit / 2) this.#stalled.add(client);
      else socket.resume();
    }
  }

  /** Resumes a client after the work it waited for has ended. */
  retry(client: Client): void {
    if (this.#held.delete(client)) client.socket.resume();
  }

  /** Something that made clients wait has ended. */
  retryHeld(): void {
    const waiting = [...this.#held];
    this.#held.clear();
    for (const client of waiting) client.socket.resume();
  }
}

/** True while a client has commands in flight, and is not blocked. */
function isInFlight({ replies, wait }: Client): boolean {
  return replies.outstanding > 0 && !(wait.isBlocked && wait.canUnblock);
}
