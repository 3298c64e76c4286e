/**
 * Takes ArrayBuffers that are in use out of the bytes by which V8 decides when to collect garbage.
 *
 * V8 marks its heap whenever the ArrayBuffers of a thread have grown by 64 MiB: a shard that is filled then pauses for 5 to
 * 20 ms, and nothing is freed. Bytes that were dropped are put back, so that V8 collects them in time. Reports of external
 * memory are not changed by it. Source: v8::Isolate::AdjustAmountOfExternalAllocatedMemory.
 */

import { loadIsolateCalls } from '../kernel/system-calls.ts';

/** Smaller changes wait for the next call. */
const STEP_BYTES = 4 * 1_024 * 1_024;

/** Notes how many bytes of the thread's ArrayBuffers are in use now. */
export type NoteUsedBuffers = (bytes: number) => void;

/** Returns the function for the calling thread; one that does nothing where V8's count cannot be changed. */
export async function loadUsedBuffers(): Promise<NoteUsedBuffers> {
  const calls = await loadIsolateCalls().catch(() => undefined);
  if (calls === undefined) return () => undefined;
  let noted = 0;
  return (bytes) => {
    const more = bytes - noted;
    if (Math.abs(more) < STEP_BYTES) return;
    noted = bytes;
    calls.adjustExternalBytes(-more);
  };
}
