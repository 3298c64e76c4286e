/**
 * Sends the requests of one thread, and matches replies to them. It has no loop and no socket of its own.
 *
 * Closed loop: a connection sends `pipeline` requests, and the next ones when all their replies are there. Open loop: request n
 * is due at a fixed time, even if those before it have no reply yet, and its latency counts from then. Where all connections are
 * busy, it is sent late, and has waited: so a server that stops for a second shows a second in all requests that were due in
 * it (the correction of coordinated omission, as in wrk2).
 */

import type { Bytes, Clock } from '#base';
import type { Transport } from '#net';
import type { LoadPlan } from '../options/plan.ts';
import { keyNumbers, type ThreadShare } from '../requests/key-numbers.ts';
import { RandomNumbers } from '../requests/random.ts';
import { RequestWriter, valuePool } from '../requests/request-writer.ts';
import { Lane, type LaneEvents } from './lane.ts';
import type { Recorder } from './recorder.ts';
import { UNCOUNTED } from './sent-requests.ts';
import type { SlotMap } from './slot-map.ts';

const US_PER_S = 1_000_000;
/** Time after the end for what is still under way or due. */
const DRAIN_US = 10 * US_PER_S;
/** Time without any reply after which a load that has no end gives up what is under way. */
const SILENCE_US = 60 * US_PER_S;
const ASKING = Buffer.from('*1\r\n$6\r\nASKING\r\n');

/** Parts of an engine. */
interface EngineParts {
  readonly plan: LoadPlan;
  readonly share: ThreadShare;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly slots: SlotMap;
  /** Returns memory for a lane's output. */
  readonly newBuffer: () => Bytes;
  /** Starts a connection of a client to a node; `attach` gets its transport, or none. */
  readonly connect: (client: number, node: number) => void;
}

/** Connections of the load that take turns as one: in a cluster one to each node, otherwise a single one. */
interface Client {
  readonly lanes: (Lane | undefined)[];
  inFlight: number;
  isQueued: boolean;
  isDead: boolean;
}

export class LoadEngine implements LaneEvents {
  readonly #parts: EngineParts;
  readonly #plan: LoadPlan;
  readonly #recorder: Recorder;
  readonly #writers: readonly RequestWriter[];
  /** Sums of the weights up to each command. */
  readonly #weights: readonly number[];
  readonly #random: RandomNumbers;
  readonly #clients: Client[] = [];
  /** Clients that may send, in the order in which they became free. */
  readonly #free: number[] = [];
  readonly #listed: Lane[] = [];
  /** A request that is written before its node is known. */
  #scratch: Bytes = new Uint8Array(0);
  #nowUs = 0;
  /** Time of the start or of the latest reply. */
  #heardUs = 0;
  #startUs = Infinity;
  /** End of the warm-up. */
  #fromUs = Infinity;
  #endUs = Infinity;
  /** Requests of this thread that may still be planned. */
  #left: number;
  #planned = 0;
  #inFlight = 0;
  #living = 0;
  #hasStarted = false;
  /** True where the last look at the schedule left a client free: what is sent late then is late by our own fault. */
  #hadFree = true;
  #bytesOut = 0;

  constructor(parts: EngineParts) {
    const { plan, share } = parts;
    this.#parts = parts;
    this.#plan = plan;
    this.#recorder = parts.recorder;
    this.#random = new RandomNumbers(plan.seed, share.index);
    const sources = {
      random: this.#random,
      nextKey: keyNumbers(plan.order, plan.keys, this.#random, share),
      elements: plan.elements,
      sizes: plan.sizes,
      pool: valuePool(plan.sizes, new RandomNumbers(plan.seed)),
    };
    this.#writers = plan.commands.map(({ template }) => new RequestWriter(template, sources));
    let sum = 0;
    this.#weights = plan.commands.map(({ weight }) => (sum += weight));
    this.#left = plan.requests > 0 ? shareOf(plan.requests, share) : Infinity;
  }

  /** Most bytes of a request. */
  get requestBytesMax(): number {
    return this.#writers.reduce((most, { bytesMax }) => Math.max(most, bytesMax), 0);
  }

  /** Adds a client with a connection to each node that is known; `attach` follows for each. */
  addClient(): void {
    const client = this.#clients.length;
    this.#clients.push({ lanes: [], inFlight: 0, isQueued: false, isDead: false });
    this.#living += 1;
    for (const [node] of this.#parts.slots.nodes.entries()) this.#laneOf(client, node);
  }

  /** Gives a client its connection to a node; without a transport that has failed, for the reason. */
  attach(client: number, node: number, transport: Transport | undefined, reason = ''): void {
    const lane = this.#clients[client]!.lanes[node]!;
    if (lane.isClosed) transport?.destroy();
    else if (transport === undefined) lane.end(reason);
    else lane.connect(transport);
  }

  /** Begins at a time, of which the warm-up is a part. */
  start(startUs: number): void {
    const { warmupSeconds, seconds } = this.#plan;
    this.#hasStarted = true;
    this.#startUs = startUs;
    this.#fromUs = startUs + warmupSeconds * US_PER_S;
    if (seconds > 0) this.#endUs = this.#fromUs + seconds * US_PER_S;
    this.#recorder.begin(this.#fromUs);
    this.#nowUs = this.#parts.clock.nowUs();
    this.#heardUs = this.#nowUs;
    for (const [client] of this.#clients.entries()) this.#offer(client);
    this.#flush();
  }

  /** Plans nothing more; what is under way is waited for. */
  stop(): void {
    this.#endUs = Math.min(this.#endUs, this.#parts.clock.nowUs());
    this.#countUnsent(this.#endUs);
    this.#left = 0;
  }

  /** True when all that was to be sent has its reply, or will not get one. */
  get isDone(): boolean {
    if (!this.#hasStarted) return false;
    if (this.#living === 0) return true;
    const nowUs = this.#parts.clock.nowUs();
    // What was sent last has as much time for its reply as what was due had to be sent.
    const drains = this.#plan.rate > 0 && this.#left > 0 ? 2 : 1;
    if (nowUs >= this.#endUs + drains * DRAIN_US) return true;
    const isSilent = this.#inFlight > 0 && nowUs >= this.#heardUs + SILENCE_US;
    if (this.#endUs === Infinity && isSilent) return true;
    return this.#inFlight === 0 && !this.#mayPlan(nowUs);
  }

  /** Sends what is due. */
  turn(): void {
    this.#nowUs = this.#parts.clock.nowUs();
    if (this.#plan.rate > 0) this.#sendDue();
    this.#flush();
  }

  /** Microseconds until `turn` has something to do by itself; 0 for now. */
  get waitUs(): number {
    const nowUs = this.#parts.clock.nowUs();
    if (this.#plan.rate > 0 && this.#free.length > 0 && this.#mayPlan(nowUs)) {
      return Math.max(0, this.#dueUs - nowUs);
    }
    let endUs = this.#endUs;
    while (endUs <= nowUs) endUs += DRAIN_US;
    return endUs - nowUs;
  }

  /** Counts what has got no reply, and closes all connections. */
  finish(): void {
    for (const { lanes } of this.#clients) {
      for (const lane of lanes) {
        if (lane === undefined || lane.isClosed) continue;
        this.#recorder.unanswered += lane.sent.countedCount;
        lane.close();
      }
    }
    this.#countUnsent(this.#endUs);
  }

  beforeReplies(byteCount: number): void {
    this.#nowUs = this.#parts.clock.nowUs();
    this.#heardUs = this.#nowUs;
    this.#recorder.moveBytes(byteCount, 0, this.#nowUs);
  }

  reply(lane: Lane, error: string | undefined): void {
    const { sent } = lane;
    const { command, dueUs, key } = sent;
    if (sent.count === 0) {
      // A server that has no room for a client says so before it closes the connection.
      lane.end(error ?? 'a reply without a request');
      return;
    }
    sent.shift();
    if (command === UNCOUNTED) return;
    if (error !== undefined && this.#redirect(lane, error, { command, dueUs, key })) return;
    this.#recorder.reply(command, dueUs, this.#nowUs, error);
    this.#inFlight -= 1;
    this.#clients[lane.client]!.inFlight -= 1;
  }

  afterReplies(lane: Lane): void {
    this.#offer(lane.client);
    if (this.#plan.rate > 0) this.#sendDue();
    this.#flush();
  }

  closed(lane: Lane, reason: string): void {
    const client = this.#clients[lane.client]!;
    if (client.isDead) return;
    client.isDead = true;
    this.#living -= 1;
    this.#inFlight -= client.inFlight;
    this.#recorder.lost(reason);
    for (const each of client.lanes) {
      this.#recorder.unanswered += each?.sent.countedCount ?? 0;
      each?.close();
    }
  }

  /** Time at which the next request of the schedule is due. */
  get #dueUs(): number {
    const { share } = this.#parts;
    const nth = this.#planned * share.count + share.index;
    return this.#startUs + (nth * US_PER_S) / this.#plan.rate;
  }

  #mayPlan(nowUs: number): boolean {
    if (this.#left <= 0) return false;
    if (this.#plan.rate === 0) return nowUs < this.#endUs;
    return this.#dueUs < this.#endUs && nowUs < this.#endUs + DRAIN_US;
  }

  /** Lets a client send, now or when a request is due. */
  #offer(index: number): void {
    const client = this.#clients[index]!;
    if (client.isDead || !this.#hasStarted) return;
    if (this.#plan.rate === 0) {
      if (client.inFlight > 0) return;
      for (let nth = 0; nth < this.#plan.pipeline && this.#mayPlan(this.#nowUs); nth += 1) {
        this.#issuePlanned(index, this.#nowUs);
      }
      return;
    }
    if (client.isQueued || client.inFlight >= this.#plan.pipeline) return;
    client.isQueued = true;
    this.#free.push(index);
  }

  #sendDue(): void {
    const wasFree = this.#hadFree;
    while (this.#free.length > 0) {
      const dueUs = this.#dueUs;
      if (dueUs > this.#nowUs || !this.#mayPlan(this.#nowUs)) break;
      const index = this.#free.shift()!;
      const client = this.#clients[index]!;
      client.isQueued = false;
      if (client.isDead) continue;
      if (wasFree) this.#recorder.sentLate(this.#nowUs - dueUs);
      this.#issuePlanned(index, dueUs);
      this.#offer(index);
    }
    this.#hadFree = this.#free.length > 0;
  }

  #issuePlanned(index: number, dueUs: number): void {
    this.#planned += 1;
    // After a warm-up the number of requests counts from its end.
    if (dueUs >= this.#fromUs) this.#left -= 1;
    this.#issue(index, dueUs);
  }

  /** Counts requests that were due before a time, and were not sent. */
  #countUnsent(untilUs: number): void {
    const { share, clock } = this.#parts;
    const { rate } = this.#plan;
    const lastUs = Math.min(untilUs, clock.nowUs());
    if (rate === 0 || lastUs <= this.#startUs) return;
    const due = Math.ceil(((lastUs - this.#startUs) * rate) / US_PER_S);
    this.#recorder.unsent += Math.min(this.#left, Math.max(0, shareOf(due, share) - this.#planned));
  }

  #issue(index: number, dueUs: number): void {
    const command = this.#pick();
    const client = this.#clients[index]!;
    client.inFlight += 1;
    this.#inFlight += 1;
    const { slots } = this.#parts;
    if (slots.isWhole) {
      const lane = this.#laneOf(index, 0);
      const writer = this.#writers[command]!;
      lane.reserve(writer.bytesMax);
      const end = writer.write(lane.buffer, lane.used);
      this.#noteSent(lane, end, { command, dueUs, key: writer.key });
      return;
    }
    this.#issueBySlot(index, { command, dueUs, key: -1 });
  }

  /** Sends a request to the node of its slot; with a key, to `node`, which a reply has named. */
  #issueBySlot(index: number, { command, dueUs, key }: SentRequest, node = -1): void {
    const writer = this.#writers[command]!;
    if (this.#scratch.length < writer.bytesMax) this.#scratch = new Uint8Array(writer.bytesMax);
    const end = writer.write(this.#scratch, 0, key);
    const owner = node >= 0 ? node : this.#parts.slots.ownerOf(writer.slotAt(this.#scratch, 0));
    const lane = this.#laneOf(index, owner);
    lane.reserve(end + ASKING.length);
    lane.buffer.set(this.#scratch.subarray(0, end), lane.used);
    this.#noteSent(lane, lane.used + end, { command, dueUs, key: writer.key });
  }

  #noteSent(lane: Lane, end: number, { command, dueUs, key }: SentRequest): void {
    this.#bytesOut += end - lane.used;
    lane.used = end;
    lane.sent.push(dueUs, command, key);
    this.#list(lane);
  }

  #list(lane: Lane): void {
    if (lane.isListed) return;
    lane.isListed = true;
    this.#listed.push(lane);
  }

  /** Follows MOVED and ASK; returns true if the request was sent again. */
  #redirect(lane: Lane, error: string, request: SentRequest): boolean {
    const { slots } = this.#parts;
    if (slots.isWhole) return false;
    const redirect = slots.redirectOf(error);
    if (redirect === undefined || this.#clients[lane.client]!.isDead) return false;
    const { kind, node } = redirect;
    if (kind === 'ask') {
      this.#recorder.asked += 1;
      const target = this.#laneOf(lane.client, node);
      target.reserve(ASKING.length);
      target.buffer.set(ASKING, target.used);
      target.used += ASKING.length;
      target.sent.push(0, UNCOUNTED, -1);
    } else {
      this.#recorder.moved += 1;
    }
    this.#issueBySlot(lane.client, request, node);
    return true;
  }

  #laneOf(index: number, node: number): Lane {
    const { lanes } = this.#clients[index]!;
    const known = lanes[node];
    if (known !== undefined) return known;
    const lane = new Lane(index, this.#parts.newBuffer(), this);
    lanes[node] = lane;
    this.#parts.connect(index, node);
    return lane;
  }

  #flush(): void {
    if (this.#listed.length === 0) return;
    for (const lane of this.#listed) {
      lane.isListed = false;
      lane.flush();
    }
    this.#listed.length = 0;
    if (this.#bytesOut === 0) return;
    this.#recorder.moveBytes(0, this.#bytesOut, this.#nowUs);
    this.#bytesOut = 0;
  }

  #pick(): number {
    const weights = this.#weights;
    if (weights.length === 1) return 0;
    const drawn = this.#random.fraction() * weights.at(-1)!;
    let command = 0;
    while (weights[command]! <= drawn) command += 1;
    return command;
  }
}

interface SentRequest {
  readonly command: number;
  readonly dueUs: number;
  readonly key: number;
}

/** Returns the part of a number that a thread has; all parts together are that number. */
export function shareOf(total: number, { index, count }: ThreadShare): number {
  return Math.floor(total / count) + (index < total % count ? 1 : 0);
}
