/** MEMORY STATS: Redis' names where the meaning is Redis', then what is resident, by the system's own books. */

import type { MemoryMap } from '#base';
import type { MemoryTree } from '#commands';
import type { Page } from '#stats';
import type { ServerMetrics } from './server-metrics.ts';
import { datasetBytes, percent } from './memory-report.ts';

/** Without `map`, which some systems do not provide, only the total of resident memory is reported. */
export function memoryStats(metrics: ServerMetrics, map: MemoryMap | undefined): MemoryTree {
  const used = metrics.usedBytes;
  const dataset = datasetBytes(metrics);
  const { keyCount: keys, main, fragmentation } = metrics;
  const { allocated, active } = metrics.allocator;
  return [
    ['peak.allocated', metrics.peakBytes],
    ['total.allocated', used],
    ['startup.allocated', main.get('startupBytes')],
    ['replication.backlog', main.get('backlogBytes')],
    ['clients.slaves', metrics.replicaBytes],
    ['clients.normal', metrics.clientBytes],
    ['cluster.links', main.get('clusterLinkBytes')],
    ['aof.buffer', metrics.logBufferBytes],
    ['lua.caches', metrics.scriptBytes],
    ['functions.caches', metrics.libraryBytes],
    ...databases(metrics),
    // All of an index is slots. A block that is full is split at once, so none is ever on its way.
    ['overhead.db.hashtable.lut', metrics.total('indexBytes')],
    ['overhead.db.hashtable.rehashing', 0],
    ['overhead.total', used - dataset],
    ['db.dict.rehashing.count', 0],
    ['keys.count', keys],
    ['keys.bytes-per-key', keys > 0 ? Math.floor(dataset / keys) : 0],
    ['dataset.bytes', dataset],
    ['dataset.percentage', { double: percent(dataset, used) }],
    ['peak.percentage', { double: percent(used, metrics.peakBytes) }],
    ['allocator.allocated', allocated],
    ['allocator.active', active],
    ['allocator-fragmentation.ratio', { double: allocated > 0 ? active / allocated : 1 }],
    ['allocator-fragmentation.bytes', active - allocated],
    ['fragmentation', { double: fragmentation.ratio }],
    ['fragmentation.bytes', fragmentation.bytes],
    ['resident', resident(metrics, map)],
  ];
}

/** The indexes of each database that has keys. */
function databases(metrics: ServerMetrics): MemoryTree {
  const { shards } = metrics;
  const sum = (of: (page: Page) => number): number =>
    shards.reduce((total, page) => total + of(page), 0);
  return Array.from({ length: metrics.databases }, (_, database) => database)
    .filter((database) => sum((page) => page.keys(database)) > 0)
    .map((database) => [
      `db.${database}`,
      [
        ['overhead.hashtable.main', sum((page) => page.keyIndexBytes(database))],
        ['overhead.hashtable.expires', sum((page) => page.expiryIndexBytes(database))],
      ],
    ]);
}

function resident(metrics: ServerMetrics, map: MemoryMap | undefined): MemoryTree {
  const { rssBytes } = metrics;
  if (map === undefined) return [['total', rssBytes]];
  const { files, code, stacks, link, heaps, malloc } = map;
  const unexplained = rssBytes - (files + code + stacks + link + heaps + malloc);
  return [
    ['total', rssBytes],
    ...([
      ['files', files],
      ['code', code],
      ['stacks', stacks],
      ['link', link],
    ] as const),
    ['heaps', heapTree(metrics, heaps)],
    ['buffers', bufferTree(metrics, malloc)],
    ['unexplained', unexplained],
    ['unexplained.percentage', { double: percent(unexplained, rssBytes) }],
  ];
}

/** Bytes that the heap of each thread has taken; its pages are resident once they are touched. */
function heapTree(metrics: ServerMetrics, residentBytes: number): MemoryTree {
  return [
    ...metrics.threads.map(([name, page]) => [name, page.get('heapTotalBytes')] as const),
    ['resident', residentBytes],
  ];
}

/** Bytes asked of the C library: the data, the pages of statistics, Node's own, and what is kept for reuse. */
function bufferTree(metrics: ServerMetrics, residentBytes: number): MemoryTree {
  const slabs = metrics.total('segmentBytes');
  const blobs = metrics.total('blobBytes');
  const indexes = metrics.total('indexBytes');
  return [
    ...([
      ['slabs', slabs],
      ['blobs', blobs],
      ['indexes', indexes],
    ] as const),
    ['other', residentBytes - slabs - blobs - indexes],
    ['resident', residentBytes],
  ];
}
