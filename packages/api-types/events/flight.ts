/** Events that all threads have recorded of late, in the order of time. */

/** An event as commands answer it: what every one has, then the fields of its kind. */
export interface FlightEntry {
  /** Unix time, by the wall clock as it was at the start: an event's time is the same whenever it is read. */
  readonly time_us: number;
  readonly thread: string;
  readonly event: string;
  readonly [field: string]: number | string | null;
}

/** Number of events that a thread has recorded, and of those that its recorder still holds. */
interface FlightThread {
  readonly thread: string;
  /** Since the start. */
  readonly recorded: number;
  readonly kept: number;
}

/** An event of the flight recorder in the debug API. */
export interface FlightEvent {
  /** Unix time with its microseconds. */
  readonly time_ms: number;
  readonly thread: string;
  readonly event: string;
  readonly [field: string]: number | string | null;
}

export interface FlightReport {
  readonly threads: readonly FlightThread[];
  /** Oldest first. */
  readonly entries: readonly FlightEntry[];
}

export interface FlightDocument {
  readonly threads: readonly FlightThread[];
  /** Oldest first. */
  readonly entries: readonly FlightEvent[];
}

/** Kinds of events of the flight recorder. */
export interface FlightKindsDocument {
  readonly kinds: readonly { readonly event: string; readonly about: string }[];
}
