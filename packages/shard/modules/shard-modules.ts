/** Modules of one shard, in one list for each part of their interface: a list has only modules with that part. */

import { assert, unreachable } from '#base';
import { FrameKind, type Control } from '#link';
import type { CallAnswerers } from '../frames/call-answerers.ts';
import type { Settings } from '../settings/settings.ts';
import type {
  FrameDetour,
  FrameTaker,
  ShardArrivals,
  ShardModule,
  ShardSlices,
} from './shard-module.ts';

type ModuleWith<Part extends keyof ShardModule> = ShardModule & {
  readonly [Name in Part]-?: NonNullable<ShardModule[Name]>;
};

type ControlTaker = (control: Control) => void;

export class ShardModules {
  /** Takers of frames, by kind. */
  readonly takers: (FrameTaker | undefined)[] = [];
  readonly runScript: FrameTaker;
  readonly detour: FrameDetour | undefined;
  readonly arrivals: readonly ShardArrivals[];
  readonly urgent: ShardArrivals | undefined;
  readonly slices: readonly ShardSlices[];
  readonly #controls = new Map<string, ControlTaker>();
  readonly #applying: readonly ModuleWith<'apply'>[];
  readonly #settling: readonly ModuleWith<'settle'>[];
  readonly #publishing: readonly ModuleWith<'publish'>[];
  readonly #showing: readonly ModuleWith<'showFigures'>[];
  readonly #rounds: readonly ModuleWith<'round'>[];
  readonly #loading: readonly ModuleWith<'loaded'>[];
  readonly #counting: readonly ModuleWith<'resetStatistics'>[];

  constructor(modules: readonly ShardModule[], answerers: CallAnswerers) {
    for (const { frames, controls } of modules) {
      for (const [name, taker] of Object.entries(frames ?? {})) this.#takeFrames(name, taker);
      for (const [name, taker] of Object.entries(controls ?? {})) {
        assert(!this.#controls.has(name), 'a control has one taker');
        this.#controls.set(name, taker as ControlTaker);
      }
    }
    const runners = having(modules, 'runScript');
    this.runScript = runners[0]?.runScript ?? unreachable('somebody runs scripts');
    const detours = having(modules, 'detour');
    assert(runners.length === 1 && detours.length <= 1, 'one module at most takes each frame');
    this.detour = detours[0]?.detour;
    this.arrivals = having(modules, 'arrivals').map(({ arrivals }) => arrivals);
    const urgent = this.arrivals.filter(({ isUrgent }) => isUrgent);
    assert(urgent.length <= 1, 'what comes for one module at most ends batches');
    this.urgent = urgent[0];
    this.slices = having(modules, 'slices').map(({ slices }) => slices);
    this.#applying = having(modules, 'apply');
    this.#settling = having(modules, 'settle');
    this.#publishing = having(modules, 'publish');
    this.#showing = having(modules, 'showFigures');
    this.#rounds = having(modules, 'round');
    this.#loading = having(modules, 'loaded');
    this.#counting = having(modules, 'resetStatistics');
    for (const module of having(modules, 'answer')) module.answer(answerers);
  }

  #takeFrames(name: string, taker: FrameTaker): void {
    const kind = FrameKind[name as keyof typeof FrameKind];
    assert(this.takers[kind] === undefined, 'a frame has one taker');
    this.takers[kind] = taker;
  }

  /** Handles a control message of main. */
  obey(control: Control): void {
    const taker = this.#controls.get(control.kind) ?? unreachable('somebody takes each control');
    taker(control);
  }

  /** Settings are others now, or are heard of first. */
  apply(settings: Settings): void {
    for (const module of this.#applying) module.apply(settings);
  }

  /** A batch has run: before its effects are shown. */
  settle(): void {
    for (const module of this.#settling) module.settle();
  }

  /** The replies of a batch are shown. */
  publish(): void {
    for (const module of this.#publishing) module.publish();
  }

  /** Brings the page up to date. */
  showFigures(): void {
    for (const module of this.#showing) module.showFigures();
  }

  /** A round of timed work has ended. */
  endRound(): void {
    for (const module of this.#rounds) module.round();
  }

  /** A piece of files was read, before the shard serves. */
  loaded(): void {
    for (const module of this.#loading) module.loaded();
  }

  /** Counts what happens from now on. */
  resetStatistics(): void {
    for (const module of this.#counting) module.resetStatistics();
  }

  /** True when something has come by another way than the ring. */
  get hasArrivals(): boolean {
    for (const arrival of this.arrivals) if (arrival.isDue) return true;
    return false;
  }

  /** True when arrivals are possible. */
  get areArrivalsExpected(): boolean {
    for (const arrival of this.arrivals) if (arrival.isExpected) return true;
    return false;
  }
}

/** Returns the modules with this part. */
function having<Part extends keyof ShardModule>(
  modules: readonly ShardModule[],
  part: Part,
): readonly ModuleWith<Part>[] {
  return modules.filter((module): module is ModuleWith<Part> => module[part] !== undefined);
}
