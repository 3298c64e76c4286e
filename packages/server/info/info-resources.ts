/** The sections of INFO about memory and processors. */

import { freemem, totalmem } from 'node:os';
import { size, type Line } from './info-lines.ts';
import { threadLines } from './info-threads.ts';
import type { Measures } from './measures.ts';
import { datasetBytes, memoryParts } from './memory-report.ts';

export function memory(measures: Measures): readonly Line[] {
  const { settings, rssBytes, main } = measures;
  const used = measures.usedBytes;
  const dataset = datasetBytes(measures);
  const { ratio: fragmented, bytes: fragments } = measures.fragmentation;
  const limit = settings.number('memory.maxmemory');
  return [
    ...size('used_memory', used),
    ...size('used_memory_rss', rssBytes),
    ...size('used_memory_peak', measures.peakBytes),
    ['used_memory_peak_perc', `${((used * 100) / Math.max(measures.peakBytes, 1)).toFixed(2)}%`],
    ['used_memory_overhead', used - dataset],
    ['used_memory_startup', main.get('startupBytes')],
    ['used_memory_dataset', dataset],
    ['used_memory_dataset_perc', `${((dataset * 100) / Math.max(used, 1)).toFixed(2)}%`],
    ...size('total_system_memory', totalmem()),
    ['free_system_memory', freemem()],
    ...size('maxmemory', limit),
    ['maxmemory_policy', settings.string('memory.maxmemory-policy')],
    ...allocator(measures),
    ['mem_fragmentation_ratio', fragmented.toFixed(2)],
    ['mem_fragmentation_bytes', fragments],
    ['mem_clients_normal', measures.clientBytes],
    ['mem_clients_slaves', 0],
    ['mem_aof_buffer', measures.logBufferBytes],
    // Memory is given back at once.
    ['lazyfree_pending_objects', 0],
    // None can be loaded.
    ['number_of_cached_scripts', 0],
    ['number_of_functions', 0],
    ['number_of_libraries', 0],
    ['mem_query_buffers', main.get('queryBytes')],
    ['mem_output_buffers', main.get('outputBytes')],
    ['mem_allocator', 'svc-slab'],
    ...resident(measures),
  ];
}

function allocator(measures: Measures): Line[] {
  const segments = measures.total('segmentBytes');
  const records = measures.total('recordBytes');
  return [
    ['allocator_allocated', records],
    ['allocator_active', segments],
    ['allocator_frag_ratio', ratio(segments, records)],
    ['allocator_frag_bytes', Math.max(0, segments - records)],
  ];
}

/** What is resident, by owner: these add up to used_memory_rss. */
function resident(measures: Measures): Line[] {
  const parts = memoryParts(measures);
  const heapUsed = measures.main.get('heapUsedBytes') + measures.total('heapUsedBytes');
  return [
    ['mem_slabs', parts.slabBytes],
    ['mem_blobs', parts.blobBytes],
    ['mem_indexes', parts.indexBytes],
    ['mem_objects', measures.total('objectBytes')],
    ['mem_shared_link', measures.linkBytes],
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

export function cpu(measures: Measures): readonly Line[] {
  const { user, system } = process.cpuUsage();
  const { main, shards, rates } = measures;
  const seconds = (us: number): string => (us / 1e6).toFixed(6);
  const threads = [
    ...(main.get('cpuUserUs') + main.get('cpuSystemUs') > 0 ? mainCpu(measures) : []),
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
    ...threadLines(measures),
  ];
}

function mainCpu({ main }: Measures): Line[] {
  return [
    ['used_cpu_sys_main_thread', (main.get('cpuSystemUs') / 1e6).toFixed(6)],
    ['used_cpu_user_main_thread', (main.get('cpuUserUs') / 1e6).toFixed(6)],
  ];
}
