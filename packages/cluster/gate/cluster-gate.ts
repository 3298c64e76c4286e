/** Judges commands in a cluster: which node is to run them, and whether this one may now. */

import { type CommandError, errors, keySlot } from '#base';
import {
  Arguments,
  type AskingSpan,
  type CommandEntry,
  commandTable,
  endpointOf,
  type EndpointType,
  findKeys,
  slotOfScan,
} from '#commands';
import type { Client } from '#router';
import type { Lease } from '../agreement/lease.ts';
import { SlotCode, type SlotPlace, type SlotTable } from '../slots/slot-table.ts';

/** Outcomes of looking for a command's slot that are no slot. */
const NO_SLOT = -1;
const SEVERAL_SLOTS = -2;

const ASKING = commandTable.byName('ASKING');
const CLUSTERSCAN = commandTable.byName('CLUSTERSCAN');
const MULTI = commandTable.byName('MULTI');

/** Commands that a cluster refuses, with the error; some only with certain arguments. */
const refused: ReadonlyMap<
  CommandEntry | undefined,
  (args: Arguments) => CommandError | undefined
> = new Map([
  [commandTable.byName('SWAPDB'), refuses('SWAPDB is not allowed')],
  [commandTable.byName('REPLICAOF'), refuses('REPLICAOF not allowed')],
  [commandTable.byName('SLAVEOF'), refuses('REPLICAOF not allowed')],
  [commandTable.byName('FAILOVER'), refuses('FAILOVER not allowed')],
]);

/** Commands that are refused too where nodes have one database. */
const refusedInOne: typeof refused = new Map([
  [commandTable.byName('SELECT'), refusesOther('SELECT is not allowed')],
  [commandTable.byName('MOVE'), refuses('MOVE is not allowed')],
  [commandTable.byName('COPY'), refusesDatabase('Copying to another database is not allowed')],
]);

type Refuses = (args: Arguments) => CommandError | undefined;

function refuses(what: string): Refuses {
  const error = errors.notInCluster(what);
  return () => error;
}

/** Lets database 0 be chosen, which is the one there is. */
function refusesOther(what: string): Refuses {
  const error = errors.notInCluster(what);
  return (args) => (args.integerAt(1) === 0 || Number.isNaN(args.integerAt(1)) ? undefined : error);
}

function refusesDatabase(what: string): Refuses {
  const error = errors.notInCluster(what);
  return (args) => {
    for (let index = 3; index < args.count - 1; index += 1) {
      if (args.spellsAt(index, 'DB') && args.integerAt(index + 1) !== 0) return error;
    }
    return undefined;
  };
}

interface ClusterGateOptions {
  /** Number of databases of a node. */
  readonly databases: number;
  readonly table: SlotTable;
  readonly lease: Pick<Lease, 'writesUntilMs'>;
  /** Monotonic microseconds now. */
  readonly nowUs: () => number;
  /** Monotonic microseconds of the turn. */
  readonly turnUs: () => number;
  readonly requiresFullCoverage: () => boolean;
  readonly allowsReadsWhenDown: () => boolean;
  readonly allowsShardChannelsWhenDown: () => boolean;
  /** Kind of the places that clients are sent to. */
  readonly endpointType: () => EndpointType;
  /** Says why the lease cannot be renewed. */
  readonly problem: () => string | undefined;
  readonly mayWrite: (entry: CommandEntry, args: Arguments) => boolean;
  /** A command was sent on to another node. */
  readonly redirected: (kind: Redirect, client: Client) => void;
}

/** Kinds of commands: without slots, with keys, refused with some arguments at least, and with shard channels. */
const Kind = { slotless: 0, keys: 1, refused: 2, channels: 3 } as const;

/** Access of a command, or a transaction, to a slot. */
interface SlotUse {
  readonly mayWrite: boolean;
  /** Messages are sent or listened to, on replicas as well. */
  readonly hasChannels: boolean;
}

const READS: SlotUse = { mayWrite: false, hasChannels: false };
const WRITES: SlotUse = { mayWrite: true, hasChannels: false };
const MESSAGES: SlotUse = { mayWrite: false, hasChannels: true };

/** Kinds of answers that name another node, or none. */
type Redirect = 'moved' | 'crossslot' | 'clusterdown';

export class ClusterGate {
  readonly #options: ClusterGateOptions;
  readonly #refused: typeof refused;
  readonly #queued = new Arguments();
  /** True if ASKING applies to the current command. */
  #isAsked = false;
  /** Kinds of commands, by their ids. */
  readonly #kinds = new Uint8Array(commandTable.entries.length);

  constructor(options: ClusterGateOptions) {
    this.#options = options;
    this.#refused = options.databases > 1 ? refused : new Map([...refused, ...refusedInOne]);
    for (const entry of commandTable.entries) {
      this.#kinds[entry.id] = this.#refused.has(entry) ? Kind.refused : kindOf(entry);
    }
  }

  /** Says why a command is not run here; what this server's primary sends is not asked for. */
  judge(client: Client, entry: CommandEntry, args: Arguments): CommandError | undefined {
    const kind = this.#kinds[entry.id]!;
    if (entry === ASKING) {
      const next = (client.replies.nextSequence + 1) >>> 0;
      client.session.asking = { from: next, to: next };
      return undefined;
    }
    const { asking } = client.session;
    this.#isAsked = asking !== undefined && this.#requests(client, asking, entry);
    if (kind === Kind.refused) {
      const refusal = this.#refused.get(entry)!(args);
      if (refusal !== undefined || !entry.hasKeys) return refusal;
    } else if (entry.route === 'exec') {
      return this.#judgeExec(client);
    } else if (kind === Kind.slotless) {
      return undefined;
    }
    return this.#judgeSlot(client, entry, args);
  }

  /** Says why a client waits for keys of a slot in vain; one that comes here key by key is waited for. */
  judgeWaiting(client: Client, entry: CommandEntry, slot: number): CommandError | undefined {
    this.#isAsked = true;
    const refusal = this.#downRefusal(WRITES);
    // What ends the wait is a write, which may never come.
    if (refusal !== undefined) {
      const isReported = refusal === errors.clusterReadsOnly;
      return this.#down(client, isReported ? errors.clusterDown : refusal);
    }
    return this.#judgeOwner(client, slot, entry.isWrite ? WRITES : READS);
  }

  /** True when ASKING was for this command, or for the transaction that it belongs to. */
  #requests(client: Client, asking: AskingSpan, entry: CommandEntry): boolean {
    const { nextSequence } = client.replies;
    const isMeant = (nextSequence - asking.from) >>> 0 <= (asking.to - asking.from) >>> 0;
    if (!isMeant) {
      client.session.asking = undefined;
      return false;
    }
    // The command may be judged again, so ASKING is not cleared.
    const goesOn = entry === MULTI || client.transaction !== undefined;
    if (goesOn) asking.to = (nextSequence + 1) >>> 0;
    return true;
  }

  #judgeExec(client: Client): CommandError | undefined {
    const queue = client.transaction?.queue;
    if (queue === undefined) return undefined;
    let slot = NO_SLOT;
    let mayWrite = false;
    let hasChannels = false;
    let first: CommandEntry | undefined;
    for (const entry of queue.pointAtEach(this.#queued)) {
      if (this.#kinds[entry.id] === Kind.slotless) continue;
      const own = slotOf(entry, this.#queued);
      if (own === NO_SLOT) continue;
      if (slot !== NO_SLOT && own !== slot) return this.#crossSlot(client);
      slot = own;
      first ??= entry;
      if (this.#kinds[entry.id] === Kind.channels) hasChannels = true;
      else mayWrite ||= this.#options.mayWrite(entry, this.#queued);
    }
    if (first === undefined) return undefined;
    return this.#judgeOwner(client, slot, { mayWrite, hasChannels });
  }

  #judgeSlot(client: Client, entry: CommandEntry, args: Arguments): CommandError | undefined {
    const slot = slotOf(entry, args);
    if (slot === NO_SLOT) return undefined;
    if (slot === SEVERAL_SLOTS) return this.#crossSlot(client);
    const { table, lease, turnUs } = this.#options;
    const isOwn = table.codes[slot] === SlotCode.own;
    // The time of the turn is sufficient, since a reading costs 60 ns: the fence decides about replies.
    if (isOwn && !table.hasGaps && turnUs() < lease.writesUntilMs * 1_000) return undefined;
    if (entry.has('asking')) this.#isAsked = true;
    return this.#judgeOwner(client, slot, this.#useOf(entry, args));
  }

  #useOf(entry: CommandEntry, args: Arguments): SlotUse {
    if (this.#kinds[entry.id] === Kind.channels) return MESSAGES;
    return entry.mayChange && this.#options.mayWrite(entry, args) ? WRITES : READS;
  }

  #judgeOwner(client: Client, slot: number, use: SlotUse): CommandError | undefined {
    const { table } = this.#options;
    const code = table.codes[slot]!;
    const place = table.placeOf(code);
    const isServed =
      code === SlotCode.own ||
      (this.#isAsked && table.importing.has(slot)) ||
      ((client.session.readsFromReplica || use.hasChannels) &&
        !use.mayWrite &&
        place?.group === table.ownGroup);
    if (!isServed) return this.#judgeForeign(client, slot, place, use);
    const refusal = this.#downRefusal(use);
    return refusal && this.#down(client, refusal);
  }

  /** Redirects a command to the node that serves the slot. */
  #judgeForeign(
    client: Client,
    slot: number,
    place: SlotPlace | undefined,
    use: SlotUse,
  ): CommandError {
    if (place === undefined) return this.#down(client, errors.slotUnbound);
    const refusal = this.#gapsRefusal(use);
    if (refusal !== undefined) return this.#down(client, refusal);
    this.#options.redirected('moved', client);
    const port =
      client.socket.tls === undefined || place.tlsPort === 0 ? place.port : place.tlsPort;
    return errors.moved(slot, `${endpointOf(this.#options.endpointType(), place)}:${port}`);
  }

  /** Says why nothing is done here now, even where the slot is this node's. */
  #downRefusal(use: SlotUse): CommandError | undefined {
    const { lease, nowUs, problem } = this.#options;
    if (nowUs() < lease.writesUntilMs * 1_000) return this.#gapsRefusal(use);
    if (this.#isAllowedWhenDown(use)) return undefined;
    return errors.noLease(problem() ?? 'it was not renewed in time');
  }

  /** Returns why the whole cluster refuses commands: some slots are not served. */
  #gapsRefusal(use: SlotUse): CommandError | undefined {
    const { table, requiresFullCoverage, allowsReadsWhenDown } = this.#options;
    if (!table.hasGaps || !requiresFullCoverage() || this.#isAllowedWhenDown(use)) return undefined;
    return allowsReadsWhenDown() && !use.hasChannels ? errors.clusterReadsOnly : errors.clusterDown;
  }

  #isAllowedWhenDown({ mayWrite, hasChannels }: SlotUse): boolean {
    const { allowsReadsWhenDown, allowsShardChannelsWhenDown } = this.#options;
    return hasChannels ? allowsShardChannelsWhenDown() : allowsReadsWhenDown() && !mayWrite;
  }

  /** Commands that the state of the cluster forbids. */
  get refused(): 'nothing' | 'writes' | 'all' {
    if (this.#downRefusal(READS) !== undefined) return 'all';
    return this.#downRefusal(WRITES) === undefined ? 'nothing' : 'writes';
  }

  #crossSlot(client: Client): CommandError {
    this.#options.redirected('crossslot', client);
    return errors.crossSlot;
  }

  #down(client: Client, error: CommandError): CommandError {
    this.#options.redirected('clusterdown', client);
    return error;
  }
}

function kindOf(entry: CommandEntry): number {
  const { keys } = entry.command;
  if (entry.route === 'container' || keys.specs.length === 0) return Kind.slotless;
  // As in Redis, ending a subscription is a matter of the node that has the slot.
  const isMessage = !entry.hasKeys && entry.command.channels !== undefined;
  return isMessage ? Kind.channels : Kind.keys;
}

/** The one slot of a command's keys, or what else there is. */
function slotOf(entry: CommandEntry, args: Arguments): number {
  if (entry === CLUSTERSCAN) return slotOfScan(args);
  if (entry.firstArgumentIsKey) return args.firstKeySlot;
  let slot = NO_SLOT;
  for (const { index } of findKeys(entry.command.keys, args) ?? []) {
    const own = keySlot(args.source, args.at(index), args.length(index));
    if (slot !== NO_SLOT && own !== slot) return SEVERAL_SLOTS;
    slot = own;
  }
  return slot;
}
