/**
 * The shape of a feature of a shard. A machine runs a list of these, and knows none by its name: a feature that is off is
 * not in the list.
 */

import type { Control, FrameKind } from '#link';
import type { CallAnswerers } from '../frames/call-answerers.ts';
import type { Frame } from '../frames/frame.ts';
import type { Settings } from '../settings/settings.ts';

export type FrameTaker = (frame: Frame) => void;

/** Takers of frames, by kind. */
export type FrameTakers = Partial<Record<keyof typeof FrameKind, FrameTaker>>;

/** Takers of controls of main, by what they say. */
export type ControlTakers = {
  readonly [Kind in Control['kind']]?: (control: Extract<Control, { kind: Kind }>) => void;
};

/** Takes frames aside whose commands cannot be run yet. At most one module has it: it is asked with each frame. */
export interface FrameDetour {
  /** False while no frame need be looked at. */
  readonly isOn: boolean;
  /** Puts a frame off, with its keys held; answers whether it has. `names` are those of its keys, where they are known. */
  putsOff(frame: Frame, names?: readonly string[] | null): boolean;
}

/** Things that come to the shard by other ways than its ring. */
export interface ShardArrivals {
  /** Something has come: the thread wakes up. */
  readonly isDue: boolean;
  /** Something may come at any moment: the thread looks for a while before it sleeps. */
  readonly isExpected: boolean;
  /** True when what comes ends the batch. At most one module says so: it is asked with each frame. */
  readonly isUrgent: boolean;
  /** Does what has come wants, and shows it; answers whether anything was. */
  take(): boolean;
}

/** Work between batches, as long as nothing else is to do. */
export interface ShardSlices {
  readonly isActive: boolean;
  /** Performs a slice of work; false if nothing could be done. */
  slice(): boolean;
  /** For how many milliseconds there is nothing to do. */
  dueInMs(nowUs: number): number;
}

export interface ShardModule {
  /** Frames of main that it takes: each kind is one module's. */
  readonly frames?: FrameTakers;
  /** Takes commands that run a script: one module has it. */
  readonly runScript?: FrameTaker;
  readonly controls?: ControlTakers;
  readonly detour?: FrameDetour | undefined;
  readonly arrivals?: ShardArrivals | undefined;
  readonly slices?: ShardSlices;
  /** Says which calls of main it answers. */
  answer?(answerers: CallAnswerers): void;
  /** Settings are others now, or are heard of first. */
  apply?(settings: Settings): void;
  /** A batch has run: before its effects are shown. */
  settle?(): void;
  /** Its replies are shown. */
  publish?(): void;
  /** Brings the page up to date. */
  showFigures?(): void;
  /** A round of timed work has ended. */
  round?(): void;
  /** A piece of files was read, before the shard serves. */
  loaded?(): void;
  /** Counts what happens from now on. */
  resetStatistics?(): void;
}
