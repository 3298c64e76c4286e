/**
 * Takes ArrayBuffers that are in use out of the bytes by which V8 decides when to collect garbage.
 *
 * V8 marks its heap whenever the ArrayBuffers of a thread have grown by 64 MiB: a shard that is filled then pauses for 5 to
 * 20 ms, and nothing is freed. Only growth beyond the largest use so far is taken out, and nothing is put back: after buffers
 * were dropped, new ones count as if nothing had been taken out, so V8 collects dropped ones in time. Reports of external
 * memory are not changed by it. Source: v8::Isolate::AdjustAmountOfExternalAllocatedMemory.
 */

import { loadIsolateCalls } from '../kernel/system-calls.ts';

/** Smaller changes wait for the next call. */
const STEP_BYTES = 4 * 1_024 * 1_024;

/**
 * Versions of V8 that count below zero when buffers are freed that were taken out: those of Node 20 and 22. Later ones end the
 * process then (`Check failed: total_before >= -delta`, Node 24 and 26).
 */
const V8_VERSIONS = /^(?:11\.3|12\.4)\./;

/** Notes how many bytes of the thread's ArrayBuffers are in use now. */
export type NoteUsedBuffers = (bytes: number) => void;

/** Returns the function for the calling thread; one that does nothing where V8's count cannot be changed. */
export async function loadUsedBuffers(): Promise<NoteUsedBuffers> {
  if (!V8_VERSIONS.test(process.versions.v8)) return () => undefined;
  const calls = await loadIsolateCalls().catch(() => undefined);
  if (calls === undefined) return () => undefined;
  let hidden = 0;
  return (bytes) => {
    const more = bytes - hidden;
    if (more < STEP_BYTES) return;
    hidden = bytes;
    calls.hideExternalBytes(more);
  };
}
