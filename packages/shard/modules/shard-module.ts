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

/** Handlers of control messages of main, by kind. */
export type ControlTakers = {
  readonly [Kind in Control['kind']]?: (control: Extract<Control, { kind: Kind }>) => void;
};

/** Defers frames whose commands cannot run yet. At most one module has it, since it is called for each frame. */
export interface FrameDetour {
  /** False while no frame need be looked at. */
  readonly isOn: boolean;
  /** Defers a frame, with its keys locked; returns true if it did. `names` are the names of its keys, if known. */
  putsOff(frame: Frame, names?: readonly string[] | null): boolean;
}

/** Things that come to the shard by other ways than its ring. */
export interface ShardArrivals {
  /** Something has come: the thread wakes up. */
  readonly isDue: boolean;
  /** Something may come at any moment: the thread looks for a while before it sleeps. */
  readonly isExpected: boolean;
  /** True when an arrival must end the batch. At most one module has it, since it is read for each frame. */
  readonly isUrgent: boolean;
  /** Processes arrivals and publishes the results; returns true if there were any. */
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
  /** Registers the handlers of calls of main. */
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
