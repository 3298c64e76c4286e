/**
 * Scripts on main: the cache, where they run, and their requests to main while they run. With several shards, a script
 * runs alone unless its text shows that it needs one shard only: the shards that are not its host stop at its place in
 * the order, as for a transaction at a barrier, and main runs for it what its host cannot. So it may access any key,
 * and no client sees a part of its changes.
 */

import { assert, type Bytes, type CommandError, errors, unreachable } from '#base';
import { Arguments, type CommandEntry, commandTable } from '#commands';
import {
  DATABASE_SHIFT,
  encodeControl,
  FrameKind,
  type LinkMemory,
  Request,
  REQUEST_HEADER_BYTES,
  RequestFlag,
  ScriptRequest,
} from '#link';
import { type Page, READ_ONLY_FUNCTIONS } from '#stats';
import type { CommandBytes } from '#resp';
import type { Client } from '../clients/client.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { CommandQueue } from '../multi/command-queue.ts';
import type { KeyDiscovery } from '../routes/key-discovery.ts';
import type { Answers } from '../replies/answers.ts';
import type { Gathers } from '../replies/gathers.ts';
import type { Routes } from '../routes/routes.ts';
import type { ShardCalls } from '../shards/shard-calls.ts';
import { emptyHead, type RequestHead } from '../shards/shard-link.ts';
import { BusyScripts, type BusyScriptsOptions } from './busy-scripts.ts';
import { ScriptCache, type Script } from './script-cache.ts';
import { staysOnItsKeys } from './script-keys.ts';
import { FunctionHosts, STATE_HOST } from './function-hosts.ts';
import { WaitingCommands } from './waiting-commands.ts';
import { ScriptCaller, type ScriptCommand } from './script-caller.ts';

const NOTHING: Bytes = new Uint8Array(0);
const DIGEST_LENGTH = 40;
const NUMKEYS_INDEX = 2;
const FUNCTIONS_MS_MAX = 30_000;

interface ScriptsOptions {
  readonly routes: Routes;
  readonly answers: Answers;
  /** Commands of which parts were sent to shards. */
  readonly gathers: Gathers;
  readonly clientRegistry: ClientRegistry;
  readonly keyDiscovery: KeyDiscovery;
  readonly shardCalls: ShardCalls;
  readonly memory: LinkMemory;
  /** Sources about the scripts that run. */
  readonly running: BusyScriptsOptions;
  /** Starts a turn for work that arose outside of one. */
  beginTurn(): void;
  readonly page: Page;
  /** A script writes to the log; levels as in redis.LOG_*. */
  log(level: number, message: string): void;
  /** A script calls a command, and somebody wants to see that. */
  called(call: ScriptCommand): void;
}

/** A script that runs alone. */
interface ExclusiveRun {
  readonly host: number;
  /** Number of shards that have not ended it in their logs yet. */
  shardsLeft: number;
}

/** Pending request of a shard's script. */
interface PendingRequest {
  /** Executes the request, or starts it; false if it must be retried. */
  readonly act: () => boolean;
  isBegun: boolean;
}

export class Scripts {
  readonly cache: ScriptCache;
  /** Scripts that run now. */
  readonly busy: BusyScripts;
  /** Commands that wait for busy scripts. */
  readonly waiting: WaitingCommands;
  readonly functionHosts: FunctionHosts;
  readonly #options: ScriptsOptions;
  /** Running and pending scripts that run alone, in the order of the rings. */
  readonly #runs: ExclusiveRun[] = [];
  readonly #requests = new Map<number, PendingRequest>();
  readonly #callers = new Map<number, ScriptCaller>();
  /** Shard that runs a script of the transaction for which all shards are stopped; -1 if there is none. */
  #hostAtBarrier = -1;
  readonly #args = new Arguments();
  #readOnlyFunctions: ReadonlySet<string> = new Set();

  constructor(options: ScriptsOptions) {
    this.#options = options;
    this.busy = new BusyScripts(options.running);
    this.functionHosts = new FunctionHosts(options.shardCalls);
    const { routes, running } = options;
    routes.everyShardSent.add((entry) => {
      this.functionHosts.sent(entry);
    });
    this.waiting = new WaitingCommands({
      ...options,
      ...running,
      links: routes.links,
      busy: this.busy,
      thresholdMs: () => running.thresholdMs(),
      beginTurn: () => {
        options.beginTurn();
      },
    });
    this.cache = new ScriptCache(options.page, (script) => {
      this.#reportForgotten(script);
    });
  }

  /** Sends a command that has to do with scripts; false when a ring is full, and then nothing was sent. */
  send(client: Client, entry: CommandEntry, args: Arguments, command: CommandBytes): boolean {
    const { routes, answers } = this.#options;
    this.waiting.scriptSent();
    const script = this.#scriptOf(entry, args);
    // A digest is looked for behind the number of keys, which is the shard's to refuse.
    const isRefusedThere = args.length(1) === DIGEST_LENGTH && !hasKeyCount(args);
    if (script === undefined && entry.script === 'digest' && !isRefusedThere) {
      answers.fail(client, entry, errors.noScript);
      return true;
    }
    const owner = routes.commonOwner(entry, args);
    const isAtOwner = owner >= 0 && entry.script !== 'function';
    const host = isAtOwner ? owner : this.#hostOf(entry, args);
    if (script !== undefined) this.#introduceTo(host, entry, script);
    const stays = script?.staysOnItsKeys === true && owner >= 0;
    if (stays || routes.links.length === 1 || entry.script === 'load') {
      return routes.sendTo(client, entry, host, command);
    }
    return this.#sendExclusive(client, entry, host, command);
  }

  /**
   * Sends a command of a transaction for which all shards are stopped; false if a ring is full. No keys are lent to its
   * host: it requests missing ones, like any script.
   */
  sendAtBarrier(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    command: CommandBytes,
  ): boolean {
    this.waiting.scriptSent();
    this.#introduce(entry, args);
    const host = this.#hostOf(entry, args);
    if (!this.#options.routes.sendTo(client, entry, host, command)) return false;
    this.#hostAtBarrier = host;
    return true;
  }

  /** The transaction that `sendAtBarrier` was for has ended. */
  barrierEnded(): void {
    this.#hostAtBarrier = -1;
  }

  /** Sends the source of its script to the host of a command, if the host does not have it. */
  #introduce(entry: CommandEntry, args: Arguments): void {
    const script = this.#scriptOf(entry, args);
    if (script === undefined) return;
    this.#introduceTo(this.#hostOf(entry, args), entry, script);
  }

  /** Sends the sources of scripts of a transaction to its host. */
  introduceAll(queue: CommandQueue, host: number): void {
    this.waiting.scriptSent();
    for (const entry of queue.pointAtEach(this.#args)) {
      const script = this.#scriptOf(entry, this.#args);
      if (script !== undefined) this.#introduceTo(host, entry, script);
    }
  }

  #introduceTo(host: number, entry: CommandEntry, script: Script): void {
    script.knownTo[host] = true;
    // Other commands bring the source along. They may have to wait for keys, and this one may not.
    if (entry.script !== 'digest' || script.learnedBy[host] === true) return;
    script.learnedBy[host] = true;
    const digest = Buffer.from(script.digest, 'latin1');
    const head = { ...emptyHead(), kind: FrameKind.script };
    this.#options.routes.links[host]!.sendMessage(head, Buffer.concat([digest, script.source]));
  }

  /** Forgets all scripts, here and in the shards. */
  flush(): void {
    this.cache.clear();
    const body = encodeControl({ kind: 'forget-scripts', digest: null });
    const head = { ...emptyHead(), kind: FrameKind.control };
    for (const link of this.#options.routes.links) link.sendMessage({ ...head }, body);
  }

  #reportForgotten({ digest, knownTo }: Script): void {
    const body = encodeControl({ kind: 'forget-scripts', digest });
    const head = { ...emptyHead(), kind: FrameKind.control };
    for (const link of this.#options.routes.links) {
      if (knownTo[link.index] === true) link.sendMessage({ ...head }, body);
    }
  }

  #scriptOf(entry: CommandEntry, args: Arguments): Script | undefined {
    switch (entry.script) {
      case 'source':
        // What fails before it is compiled is not known afterwards.
        if (!hasKeyCount(args)) return undefined;
        return this.cache.ofSource(args.source, args.at(1), args.length(1), false);
      case 'load':
        return this.cache.ofSource(args.source, args.at(2), args.length(2), true);
      case 'digest':
        return this.cache.named(args.source, args.at(1), args.length(1));
      case 'function':
      case undefined:
        return undefined;
    }
  }

  #hostOf(entry: CommandEntry, args: Arguments): number {
    if (this.#mustRunAtHome(entry, args)) return STATE_HOST;
    return this.#options.routes.ownersOf(entry, args)[0] ?? 0;
  }

  /** True for a function whose library's variables are one shard's. */
  #mustRunAtHome(entry: CommandEntry, args: Arguments): boolean {
    if (entry.script !== 'function' || this.#options.routes.links.length === 1) return false;
    return this.functionHosts.mayKeepState(args.latin1(1));
  }

  /** Sends a script to its host, and has the other shards stop at the same place of the order. */
  #sendExclusive(
    client: Client,
    entry: CommandEntry,
    host: number,
    command: CommandBytes,
  ): boolean {
    const { routes } = this.#options;
    const link = routes.linkFor(client, host);
    // The other shards run what the script calls in the client's name.
    for (const { index } of routes.links) routes.linkFor(client, index);
    const size = link.frameSize(command.count, command.length);
    const at = link.reserve(size);
    const places = routes.links
      .filter(({ index }) => index !== host)
      .map((other) => {
        const otherSize = other.frameSize(0, 0);
        return { other, size: otherSize, at: other.reserve(otherSize) };
      });
    if (at < 0 || places.some((place) => place.at < 0)) return false;
    const head = routes.fillHead(client, entry, FrameKind.command);
    head.flags |= RequestFlag.exclusive;
    head.sequence = client.replies.nextSequence;
    link.writeCommand(at, size, head, command);
    client.replies.takeSequence();
    if (client.session.replyMode !== 'on') client.session.endMuting();
    const stop = { ...emptyHead(), kind: FrameKind.barrier, flags: RequestFlag.exclusive };
    for (const place of places) {
      place.other.writePayload(place.at, place.size, { ...stop }, 0, NOTHING);
    }
    this.#runs.push({ host, shardsLeft: 0 });
    this.#options.page.add('scriptBarriers', 1);
    return true;
  }

  /** Error of a command that would have to wait for a script that has run for too long; undefined when there is none. */
  busyRefusal(client: Client, entry: CommandEntry, args: Arguments): CommandError | undefined {
    const { busy } = this;
    if (entry.has('allow_busy')) return undefined;
    // Then only diagnostic commands, and those about the script, are permitted.
    if (this.#areAllBusy) return isDiagnostic(entry) ? undefined : busy.refusal;
    const { queue } = client.transaction ?? {};
    if (entry.route === 'exec') return queue?.needsShards === true ? busy.refusal : undefined;
    if (entry.route === 'onMain' || entry.route === 'container') return undefined;
    if (entry.route === 'everyShard' || this.#stopsAll(entry, args)) return busy.refusal;
    const owners = this.#options.routes.ownersOf(entry, args);
    return owners.some((shard) => busy.isBusy(shard)) ? busy.refusal : undefined;
  }

  /** True for a script that all shards have to stop for; it is not known afterwards. */
  #stopsAll(entry: CommandEntry, args: Arguments): boolean {
    if (entry.script === undefined || entry.script === 'load') return false;
    const { routes } = this.#options;
    if (routes.commonOwner(entry, args) < 0 || entry.script === 'function') return true;
    if (entry.script === 'source') return !staysOnItsKeys(args.latin1(1));
    return this.#scriptOf(entry, args)?.staysOnItsKeys === false;
  }

  /** True when no shard serves clients: all run scripts, or are stopped for one that runs alone. */
  get #areAllBusy(): boolean {
    const [run] = this.#runs;
    return this.busy.areAll || (run !== undefined && this.busy.isBusy(run.host));
  }

  /** Asks for the functions that do not write, for `mayWrite`. */
  async learnFunctions(): Promise<void> {
    const how = { question: null, timeoutMs: FUNCTIONS_MS_MAX };
    const report = await this.#options.shardCalls.askOne(0, READ_ONLY_FUNCTIONS, how);
    if (!report.missing) this.#readOnlyFunctions = new Set(report.answer);
  }

  /** False for a script that says it does not write, and for a function that did when `learnFunctions` asked. */
  mayWrite(entry: CommandEntry, args: Arguments): boolean {
    if (entry.script === 'function') {
      return !this.#readOnlyFunctions.has(args.latin1(1).toLowerCase());
    }
    return this.#scriptOf(entry, args)?.isReadOnly !== true;
  }

  /** True when a client is one of a script's. */
  owns(client: Client): boolean {
    return [...this.#callers.values()].some((caller) => caller.client === client);
  }

  /** One more shard has ended in its log what the script that runs alone has done. */
  prepared(): void {
    const [run] = this.#runs;
    if (run === undefined) unreachable('a script runs alone');
    run.shardsLeft -= 1;
    if (run.shardsLeft === 0) this.#advance(run.host);
  }

  /** Handles a request of a script. */
  requested(shard: number, what: number, body: Bytes): void {
    switch (what) {
      case ScriptRequest.command:
        this.#requests.set(shard, { isBegun: false, act: () => this.#call(shard, body) });
        break;
      case ScriptRequest.prepare:
        this.#requests.set(shard, { isBegun: false, act: () => this.#prepare(shard) });
        break;
      case ScriptRequest.end:
        this.#end(shard);
        return;
      case ScriptRequest.forget:
        this.cache.forget(Buffer.from(body).toString('latin1'));
        return;
      case ScriptRequest.log:
        this.#options.log(body[0]!, Buffer.from(body.subarray(1)).toString('latin1'));
        return;
      case ScriptRequest.called:
        this.#options.called(commandIn(body, this.#args));
        return;
      default:
        unreachable('a script asks for what there is');
    }
    this.#advance(shard);
  }

  /** Continues commands that found a ring full. */
  retry(): void {
    for (const [shard, { isBegun }] of this.#requests) if (!isBegun) this.#advance(shard);
  }

  /** True while a request of a script has not started. */
  get isWaiting(): boolean {
    for (const { isBegun } of this.#requests.values()) if (!isBegun) return true;
    return false;
  }

  /** The script of a shard that runs alone now. One that has to wait for the end of a transaction may be the first. */
  #runOf(shard: number): ExclusiveRun | undefined {
    if (shard === this.#hostAtBarrier) return undefined;
    const [run] = this.#runs;
    return run?.host === shard ? run : undefined;
  }

  /** Does what a shard's script has asked for: a shard that has not stopped for it yet does so first. */
  #advance(shard: number): void {
    const request = this.#requests.get(shard);
    if (request === undefined) return;
    if (request.isBegun) {
      // The others have ended it in their logs.
      if (this.#runOf(shard)?.shardsLeft === 0) this.#prepared(shard);
      return;
    }
    request.isBegun = true;
    if (!request.act()) request.isBegun = false;
  }

  #call(shard: number, frame: Bytes): boolean {
    return this.#callerOf(shard).send(commandIn(frame, this.#args), (reply) => {
      this.#answer(shard, ScriptRequest.command, reply);
    });
  }

  /** Has the other shards end in their logs what the script has done. */
  #prepare(shard: number): boolean {
    const { routes } = this.#options;
    const run = this.#runOf(shard);
    const others = routes.links.filter(({ index }) => index !== shard);
    const transaction = routes.nextTransaction();
    this.#transaction = transaction;
    if (run === undefined || !routes.endsTogether || others.length === 0) {
      this.#prepared(shard);
      return true;
    }
    run.shardsLeft = others.length;
    const head: Partial<RequestHead> = {
      kind: FrameKind.prepare,
      connection: this.#callerOf(shard).client.slot,
      sequence: transaction,
    };
    for (const link of others) link.sendMessage({ ...emptyHead(), ...head }, NOTHING);
    return true;
  }

  /** Number of the transaction that is being ended: one script at a time runs alone. */
  #transaction = 0;

  #prepared(shard: number): void {
    const body = Buffer.alloc(4);
    body.writeUInt32LE(this.#transaction);
    this.#answer(shard, ScriptRequest.prepare, [body]);
  }

  #answer(shard: number, what: number, body: readonly Bytes[]): void {
    this.#requests.delete(shard);
    const head = { ...emptyHead(), kind: FrameKind.ask, sequence: what };
    this.#options.routes.links[shard]!.sendMessage(head, Buffer.concat(body));
  }

  /** The script that ran alone has ended. */
  #end(shard: number): void {
    const run = this.#runs.shift();
    assert(run?.host === shard, 'scripts that run alone end in their order');
    for (const link of this.#options.routes.links) {
      if (link.index === shard) continue;
      link.sendMessage({ ...emptyHead(), kind: FrameKind.resume }, NOTHING);
    }
  }

  #callerOf(shard: number): ScriptCaller {
    const { clientRegistry, memory, routes, keyDiscovery } = this.#options;
    const known = this.#callers.get(shard);
    if (known !== undefined) return known;
    const caller = new ScriptCaller({ clientRegistry, memory, routes, keyDiscovery });
    this.#callers.set(shard, caller);
    return caller;
  }
}

/** True when the number of keys is valid for the number of arguments. */
function hasKeyCount(args: Arguments): boolean {
  const count = args.integerAt(NUMKEYS_INDEX);
  return count >= 0 && count < args.count - NUMKEYS_INDEX;
}

/** True for commands that look into the server, and need no shard. */
function isDiagnostic(entry: CommandEntry): boolean {
  return entry.route === 'onMain' && ['server', 'scripting'].includes(entry.command.group);
}

/** Points `args` at the command in a frame that a shard has made. */
function commandIn(frame: Bytes, args: Arguments): ScriptCommand {
  const words = new Int32Array(frame.buffer, frame.byteOffset, frame.byteLength >>> 2);
  const count = words[Request.argumentCount]!;
  const kindWord = words[Request.kind]!;
  const at = REQUEST_HEADER_BYTES + 8 * count;
  const entry = commandTable.entries[words[Request.command]!]!;
  const spans = words.subarray(Request.spans, Request.spans + 2 * count);
  args.point(frame, at, spans, 0, count, entry.container === undefined ? 1 : 2);
  return {
    entry,
    args,
    command: { source: frame, at, length: words[Request.bodyBytes]!, spans, count },
    database: kindWord >>> DATABASE_SHIFT,
    protocol: (kindWord & RequestFlag.resp3) === 0 ? 2 : 3,
    connection: words[Request.connection]!,
    sequence: words[Request.sequence]! >>> 0,
  };
}
