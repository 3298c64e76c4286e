/** The sections of INFO about memory and processors. */

import { freemem, totalmem } from 'node:os';
import { machineLimits } from '#base';
import {
  CLIENT_QUANTITIES,
  CLUSTER_QUANTITIES,
  MEMORY_QUANTITIES,
  SCRIPT_QUANTITIES,
} from '#quantities';
import { size, type Line, type Part } from './info-lines.ts';
import { threadLines } from './info-threads.ts';
import type { ServerMetrics } from './server-metrics.ts';
import { datasetBytes, memoryParts } from './memory-report.ts';

const { eval: scriptVm, functions: functionVm, ...scripts } = SCRIPT_QUANTITIES;

export const MEMORY: readonly Part[] = [
  used,
  MEMORY_QUANTITIES.startup,
  limits,
  CLIENT_QUANTITIES.memory,
  CLUSTER_QUANTITIES.links,
  freed,
  // Memory of scripts and functions: what Lua has in use, and their sources. This name is from before functions.
  (metrics) => size('used_memory_lua', metrics.total('luaEvalBytes')),
  scriptVm,
  scripts.sources,
  scripts.cached,
  scripts.libraries,
  functionVm,
  (metrics) =>
    size('used_memory_vm_total', metrics.total('luaEvalBytes') + metrics.total('luaFunctionBytes')),
  scripts.code,
  ({ scriptBytes, libraryBytes }) => size('used_memory_scripts', scriptBytes + libraryBytes),
  scripts.engines,
  CLIENT_QUANTITIES.queryBuffers,
  CLIENT_QUANTITIES.outputBuffers,
  () => [['mem_allocator', 'svc-slab']],
  resident,
];

function used(metrics: ServerMetrics): Line[] {
  const { usedBytes, rssBytes, peakBytes } = metrics;
  return [
    ...size('used_memory', usedBytes),
    ...size('used_memory_rss', rssBytes),
    ...size('used_memory_peak', peakBytes),
    ['used_memory_peak_perc', `${((usedBytes * 100) / Math.max(peakBytes, 1)).toFixed(2)}%`],
    ['used_memory_overhead', usedBytes - datasetBytes(metrics)],
  ];
}

function limits(metrics: ServerMetrics): Line[] {
  const { settings, usedBytes } = metrics;
  const dataset = datasetBytes(metrics);
  const { ratio: fragmented, bytes: fragments } = metrics.fragmentation;
  return [
    ['used_memory_dataset', dataset],
    ['used_memory_dataset_perc', `${((dataset * 100) / Math.max(usedBytes, 1)).toFixed(2)}%`],
    ...size('total_system_memory', totalmem()),
    ['free_system_memory', freemem()],
    ...size('usable_memory', machineLimits().memoryBytes),
    ...size('maxmemory', settings.number('memory.maxmemory')),
    // Eviction goes by used_memory itself.
    ['mem_not_counted_for_evict', 0],
    ['maxmemory_policy', settings.string('memory.maxmemory-policy')],
    ...allocator(metrics),
    ['mem_fragmentation_ratio', fragmented.toFixed(2)],
    ['mem_fragmentation_bytes', fragments],
  ];
}

function freed(metrics: ServerMetrics): Line[] {
  return [
    ['mem_clients_slaves', metrics.replicaBytes],
    ['mem_replication_backlog', metrics.main.get('backlogBytes')],
    ['mem_total_replication_buffers', metrics.main.get('replicationBytes')],
    ['mem_aof_buffer', metrics.logBufferBytes],
    // What is in use is counted without it at once.
    ['lazyfree_pending_objects', 0],
    ['lazyfreed_objects', metrics.total('fateFlushed')],
  ];
}

function allocator(metrics: ServerMetrics): Line[] {
  const { allocated, active } = metrics.allocator;
  return [
    ['allocator_allocated', allocated],
    ['allocator_active', active],
    ['allocator_frag_ratio', ratio(active, allocated)],
    ['allocator_frag_bytes', active - allocated],
  ];
}

/** Returns the resident memory by owner: the parts add up to used_memory_rss. */
function resident(metrics: ServerMetrics): Line[] {
  const parts = memoryParts(metrics);
  const heapUsed = metrics.main.get('heapUsedBytes') + metrics.total('heapUsedBytes');
  return [
    ['mem_slabs', parts.slabBytes],
    ['mem_blobs', parts.blobBytes],
    ['mem_indexes', parts.indexBytes],
    ['mem_objects', metrics.total('objectBytes')],
    ['mem_shared_link', metrics.linkBytes],
    ['mem_heap_used', heapUsed],
    ['mem_rss_heaps', parts.heapBytes],
    ['mem_rss_external', parts.externalBytes],
    ...(parts.fileBytes === undefined ? [] : ([['mem_rss_files', parts.fileBytes]] as const)),
    ['mem_rss_rest', parts.restBytes],
  ];
}

function ratio(part: number, whole: number): string {
  return (whole > 0 ? part / whole : 1).toFixed(2);
}

export function cpu(metrics: ServerMetrics): readonly Line[] {
  const { user, system } = process.cpuUsage();
  const { main, shards, rates } = metrics;
  const seconds = (us: number): string => (us / 1e6).toFixed(6);
  const threads = [
    ...(main.get('cpuUserUs') + main.get('cpuSystemUs') > 0 ? mainCpu(metrics) : []),
    ...shards
      .map((page, index): Line[] => [
        [`used_cpu_sys_shard_${index}`, seconds(page.get('cpuSystemUs'))],
        [`used_cpu_user_shard_${index}`, seconds(page.get('cpuUserUs'))],
      ])
      .filter((_lines, index) => shards[index]!.get('cpuUserUs') > 0)
      .flat(),
  ];
  return [
    ['used_cpu_sys', seconds(system)],
    ['used_cpu_user', seconds(user)],
    // There are no child processes.
    ['used_cpu_sys_children', seconds(0)],
    ['used_cpu_user_children', seconds(0)],
    ...threads,
    ['main_busy_percent', rates.main.busyPercent.toFixed(2)],
    ...rates.shards.map((each, index): Line => [
      `shard${index}_busy_percent`,
      each.busyPercent.toFixed(2),
    ]),
    ...threadLines(metrics),
  ];
}

function mainCpu({ main }: ServerMetrics): Line[] {
  return [
    ['used_cpu_sys_main_thread', (main.get('cpuSystemUs') / 1e6).toFixed(6)],
    ['used_cpu_user_main_thread', (main.get('cpuUserUs') / 1e6).toFixed(6)],
  ];
}
