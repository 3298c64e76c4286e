/**
 * The modules of main in the order in which they were added. Hooks are called in this order, `stop` in reverse. The list is
 * created before the first module, so that router, turn and clients are created with it; calls before a module is added do
 * not reach that module.
 *
 * Large because each hook has its own list, so that a turn only calls the modules that have the hook.
 */

import type { Bytes } from '#base';
import type { Arguments, CommandEntry, MessageCommand } from '#commands';
import type { MainAnswers } from '#http';
import type { ModuleMetric } from '#link';
import type { KeptPlace } from '#persistence';
import type { OwnedReply } from '#resp';
import type { Client, FeedTaker, RedirectTaker } from '#router';
import type { TwoPhaseSetting } from '../settings/two-phase-settings.ts';
import { Gate } from './gate.ts';
import { HandlerContext } from './handler-context.ts';
import type { AnswerName, InfoSection, MainHooks, MainModule } from './main-module.ts';
import type { PortName } from './main-ports.ts';

/** Functions of all modules for each hook. */
type HookLists = { readonly [Name in keyof MainHooks]: MainHooks[Name][] };

export class Modules {
  readonly gate = new Gate();
  /** Ports of all modules, and the command that is being run. */
  readonly handlers = new HandlerContext();
  /** Handlers of all modules for requests of the ops thread. */
  readonly answers: Partial<MainAnswers> = {};
  /** Settings that take two phases, in the order in which they are made. */
  readonly settings: TwoPhaseSetting[] = [];
  readonly info: InfoSection[] = [];
  readonly metrics: ModuleMetric[] = [];
  /** Passes what shards send for replicas on to all modules that take it. */
  readonly feed: FeedTaker;
  readonly #feeds: FeedTaker[] = [];
  readonly #hooks: HookLists = {
    keyEvents: [],
    redirected: [],
    published: [],
    left: [],
    endTurn: [],
    hasWork: [],
    mayWrite: [],
    tick: [],
    awaitsTick: [],
    worked: [],
    isAwaited: [],
    shardDied: [],
    frontDied: [],
    recovered: [],
    start: [],
    stopping: [],
    leave: [],
    stop: [],
  };

  constructor() {
    const feeds = this.#feeds;
    this.feed = {
      takeFeed: (shard, body) => {
        for (const feed of feeds) feed.takeFeed(shard, body);
      },
      synced: (number, piece, isFault) => {
        for (const feed of feeds) feed.synced(number, piece, isFault);
      },
      wrote: (client) => {
        for (const feed of feeds) feed.wrote(client);
      },
      drained: () => {
        for (const feed of feeds) feed.drained();
      },
    };
  }

  /** Appends modules. */
  add<Port extends PortName, Answer extends AnswerName>(
    ...modules: readonly MainModule<Port, Answer>[]
  ): void {
    for (const { contributions, ports, answers } of modules) {
      const { judges, hooks = {}, feed, setting, info, metrics = [] } = contributions;
      if (judges !== undefined) this.gate.add(judges);
      if (feed !== undefined) this.#feeds.push(feed);
      if (setting !== undefined) this.settings.push(setting);
      if (info !== undefined) this.info.push(info);
      this.metrics.push(...metrics);
      for (const name of Object.keys(this.#hooks)) this.#hook(name as keyof MainHooks, hooks);
      this.handlers.add(ports);
      Object.assign(this.answers, answers);
    }
  }

  #hook(name: keyof MainHooks, hooks: Partial<MainHooks>): void {
    const hook = hooks[name];
    if (hook !== undefined) (this.#hooks[name] as unknown[]).push(hook);
  }

  readonly keyEvents = (body: Bytes): void => {
    for (const keyEvents of this.#hooks.keyEvents) keyEvents(body);
  };

  readonly redirected: RedirectTaker = (kind, client) => {
    for (const redirected of this.#hooks.redirected) redirected(kind, client);
  };

  readonly published = (command: MessageCommand, channel: Bytes, message: Bytes): void => {
    for (const published of this.#hooks.published) published(command, channel, message);
  };

  /** Runs a command of main, with the ports of all modules. */
  readonly runCommand = (
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    reply: OwnedReply,
  ): void => {
    this.handlers.run(client, entry, args, reply);
  };

  readonly left = (client: Client): void => {
    for (const left of this.#hooks.left) left(client);
  };

  /** Output may leave the server while no module objects. */
  readonly mayWrite = (): boolean => {
    for (const mayWrite of this.#hooks.mayWrite) if (!mayWrite()) return false;
    return true;
  };

  endTurn(): void {
    for (const endTurn of this.#hooks.endTurn) endTurn();
  }

  get hasWork(): boolean {
    for (const hasWork of this.#hooks.hasWork) if (hasWork()) return true;
    return false;
  }

  tick(nowMs: number): void {
    for (const tick of this.#hooks.tick) tick(nowMs);
  }

  get awaitsTick(): boolean {
    return this.#hooks.awaitsTick.some((awaitsTick) => awaitsTick());
  }

  worked(): void {
    for (const worked of this.#hooks.worked) worked();
  }

  get isAwaited(): boolean {
    return this.#hooks.isAwaited.some((isAwaited) => isAwaited());
  }

  readonly shardDied = (shard: number, reason: unknown): void => {
    for (const shardDied of this.#hooks.shardDied) shardDied(shard, reason);
  };

  readonly frontDied = (thread: string, reason: unknown): void => {
    for (const frontDied of this.#hooks.frontDied) frontDied(thread, reason);
  };

  readonly recovered = (place: KeptPlace | undefined): void => {
    for (const recovered of this.#hooks.recovered) recovered(place);
  };

  start(): void {
    for (const start of this.#hooks.start) start();
  }

  stopping(): void {
    for (const stopping of this.#hooks.stopping) stopping();
  }

  async leave(hasTime: () => boolean): Promise<void> {
    for (const leave of this.#hooks.leave) await leave(hasTime);
  }

  stop(): void {
    for (const stop of [...this.#hooks.stop].reverse()) stop();
  }
}
