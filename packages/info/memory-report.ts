/** Memory of the process by use, as MEMORY DOCTOR, MEMORY MALLOC-STATS and INFO report it. */

import type { Counter } from '#quantities';
import type { Page } from '#stats';
import type { ServerMetrics } from './server-metrics.ts';

/** Resident memory by owner; `rest` is the remainder, so that the sum is the total. */
interface MemoryParts {
  readonly residentBytes: number;
  /** Heaps of all threads, with their free pages. */
  readonly heapBytes: number;
  /** Buffers that objects of those heaps own: slabs, blobs and indexes of the shards are among them. */
  readonly externalBytes: number;
  readonly slabBytes: number;
  readonly blobBytes: number;
  readonly indexBytes: number;
  /** Pages of files, mostly the program's, in bytes; undefined if the system does not report it. */
  readonly fileBytes: number | undefined;
  /** Rings, pages and blocks as far as they were touched, stacks, compiled code, the other threads. */
  readonly restBytes: number;
}

export function memoryParts(metrics: ServerMetrics): MemoryParts {
  const { main, shards, rssBytes } = metrics;
  const threads = [main, ...shards];
  const sum = (pages: readonly Page[], counter: Counter): number =>
    pages.reduce((total, page) => total + page.get(counter), 0);
  const heapBytes = sum(threads, 'heapTotalBytes');
  const externalBytes = sum(threads, 'externalBytes');
  const fileBytes = metrics.resident?.files;
  return {
    residentBytes: rssBytes,
    heapBytes,
    externalBytes,
    fileBytes,
    slabBytes: sum(shards, 'segmentBytes'),
    blobBytes: sum(shards, 'blobBytes'),
    indexBytes: sum(shards, 'indexBytes'),
    restBytes: rssBytes - heapBytes - externalBytes - (fileBytes ?? 0),
  };
}

/** The bytes that are keys and values, and not what finds them. */
export function datasetBytes(metrics: ServerMetrics): number {
  return metrics.total('recordBytes') + metrics.total('blobBytes') + metrics.total('objectBytes');
}

/** MEMORY MALLOC-STATS: the shards' own allocator, and the heap of each thread. */
export function allocatorReport(metrics: ServerMetrics): string {
  const line = (name: string, page: Page, counters: readonly Counter[]): string =>
    `${name.padEnd(10)}${counters.map((counter) => String(page.get(counter)).padStart(14)).join('')}\n`;
  const head = (...names: string[]): string =>
    `${names[0]!.padEnd(10)}${names
      .slice(1)
      .map((name) => name.padStart(14))
      .join('')}\n`;
  const slabs = ['segmentBytes', 'recordBytes', 'blobBytes', 'indexBytes', 'objectBytes'] as const;
  const heaps = ['heapTotalBytes', 'heapUsedBytes', 'externalBytes'] as const;
  const shards = metrics.shards.map((page, index) => [`shard ${index}`, page] as const);
  return [
    'Slabs of the shards, in bytes: segments hold records, the rest is outside of them.\n',
    head('', 'segments', 'records', 'blobs', 'indexes', 'objects'),
    ...shards.map(([name, page]) => line(name, page, slabs)),
    '\nHeaps of the threads, in bytes, as of the last second.\n',
    head('', 'heap', 'heap used', 'external'),
    ...metrics.threads.map(([name, page]) => line(name.replace(/\d+$/, ' $&'), page, heaps)),
  ].join('');
}

/** Used memory in bytes below which the diagnosis is omitted. */
const SMALL_BYTES = 5 * 1024 * 1024;
const MIB = 1024 * 1024;

/** Check for one problem; returns its text, or undefined if there is no problem. */
type Finding = (metrics: ServerMetrics, parts: MemoryParts) => string | undefined;

/** Returns the text of MEMORY DOCTOR: problems with their meaning and remedies. */
export function memoryDiagnosis(metrics: ServerMetrics): string {
  const used = metrics.usedBytes;
  const { keyCount } = metrics;
  if (used < SMALL_BYTES) {
    return `There are ${keyCount} keys in ${used} bytes: too little data for a diagnosis.\n`;
  }
  const parts = memoryParts(metrics);
  const found = FINDINGS.map((finding) => finding(metrics, parts)).filter(
    (text) => text !== undefined,
  );
  if (found.length === 0) {
    return `No problems found: ${keyCount} keys use ${mib(used)}, resident memory is ${mib(parts.residentBytes)}.\n`;
  }
  const problems = found.length === 1 ? '1 problem' : `${found.length} problems`;
  return `Found ${problems} in the memory of ${keyCount} keys:\n${found.map((text) => ` * ${text}\n`).join('')}`;
}

const FINDINGS: readonly Finding[] = [nearLimit, peak, fragmentation, skew, clients, rest];

function nearLimit(metrics: ServerMetrics): string | undefined {
  const limit = metrics.settings.number('memory.maxmemory');
  const used = metrics.usedBytes;
  if (limit === 0 || used < limit * 0.9) return undefined;
  const policy = metrics.settings.string('memory.maxmemory-policy');
  const next =
    policy === 'noeviction'
      ? 'Writes will be refused: raise maxmemory, or choose a maxmemory-policy that evicts.'
      : `Keys are evicted by ${policy}: watch evicted_keys and the hit rate, or raise maxmemory.`;
  return `Near the limit: ${percent(used, limit).toFixed(1)}% of maxmemory is used. ${next}`;
}

function peak(metrics: ServerMetrics): string | undefined {
  const used = metrics.usedBytes;
  if (metrics.peakBytes < used * 1.5) return undefined;
  return (
    `High peak: usage was ${mib(metrics.peakBytes)} at most, and is ${mib(used)} now. Resident ` +
    'memory may stay high for this reason alone; MEMORY PURGE returns free memory to the system.'
  );
}

function fragmentation(metrics: ServerMetrics, { slabBytes }: MemoryParts): string | undefined {
  const records = metrics.total('recordBytes');
  if (slabBytes < SMALL_BYTES || slabBytes <= records * 1.4) return undefined;
  const times = (slabBytes / Math.max(records, 1)).toFixed(2);
  return (
    `Fragmentation: ${mib(records)} of records lie in ${mib(slabBytes)} of slabs (${times} times as ` +
    'much). It shrinks in the background, and at once by MEMORY PURGE; if it stays high, the ' +
    'shards are too busy to move records.'
  );
}

function skew({ shards }: ServerMetrics): string | undefined {
  if (shards.length < 2) return undefined;
  const bytes = shards.map((page) => page.get('usedBytes'));
  const largest = Math.max(...bytes);
  const mean = bytes.reduce((sum, each) => sum + each, 0) / bytes.length;
  if (largest < mean * 1.5) return undefined;
  return (
    `Skew: shard ${bytes.indexOf(largest)} has ${mib(largest)}, ${(largest / mean).toFixed(2)} times the ` +
    'mean. The cause is a very large key, or many keys with one {tag}: redis-cli --memkeys finds them.'
  );
}

function clients(metrics: ServerMetrics): string | undefined {
  const { clientBytes } = metrics;
  const each = clientBytes / Math.max(metrics.clients.length, 1);
  if (clientBytes < 32 * MIB && each < 200 * 1024) return undefined;
  return (
    `Client buffers: ${metrics.clients.length} clients hold ${mib(clientBytes)}. omem and qbuf in CLIENT LIST show ` +
    'which ones; client-output-buffer-limit closes clients that do not read their replies.'
  );
}

function rest(_metrics: ServerMetrics, { residentBytes, restBytes, heapBytes }: MemoryParts) {
  if (restBytes > residentBytes / 2 && restBytes > 256 * MIB) {
    return (
      `Unaccounted: ${mib(restBytes)} of ${mib(residentBytes)} resident are in no heap, slab or buffer: ` +
      'freed memory that the system has not reclaimed. It is reused before more is allocated.'
    );
  }
  if (heapBytes <= residentBytes / 2 || heapBytes < 256 * MIB) return undefined;
  return (
    `Heaps: ${mib(heapBytes)} of ${mib(residentBytes)} are JavaScript heaps. Large collections and many ` +
    'streams or blocked clients make them grow; MEMORY MALLOC-STATS shows which thread.'
  );
}

/** Returns the share of a whole in percent; 0 of nothing. */
export function percent(part: number, whole: number): number {
  return whole > 0 ? (part * 100) / whole : 0;
}

function mib(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
