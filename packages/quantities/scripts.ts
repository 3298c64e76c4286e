/** Quantities of scripts and functions: their number, memory and activity. */

import { MAIN_COUNTER, MAIN_GAUGE, SHARD_COUNTER, SHARD_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';

export const SCRIPT_QUANTITIES = {
  cached: [
    {
      ...MAIN_GAUGE,
      counter: 'scriptsCached',
      help: 'Cached scripts.',
      info: 'number_of_cached_scripts',
      metric: 'svc_scripts_cached',
    },
  ],
  libraries: [
    {
      ...SHARD_GAUGE,
      counter: 'functions',
      over: 'greatest',
      help: 'Functions of all libraries.',
      info: 'number_of_functions',
      metric: 'svc_scripts_functions',
    },
    {
      ...SHARD_GAUGE,
      counter: 'libraries',
      over: 'greatest',
      help: 'Libraries of functions.',
      info: 'number_of_libraries',
      metric: 'svc_scripts_libraries',
    },
  ],
  sources: [
    {
      ...MAIN_GAUGE,
      counter: 'scriptSourceBytes',
      unit: 'bytes',
      help: 'Memory of the sources of cached scripts.',
      info: 'used_memory_scripts_eval',
      metric: 'svc_scripts_source_bytes',
    },
  ],
  code: [
    {
      ...SHARD_GAUGE,
      counter: 'libraryBytes',
      over: 'greatest',
      unit: 'bytes',
      help: 'Memory of the sources of function libraries.',
      info: 'used_memory_functions',
      metric: 'svc_scripts_library_bytes',
    },
  ],
  eval: [
    {
      ...SHARD_GAUGE,
      counter: 'luaEvalBytes',
      unit: 'bytes',
      help: 'Memory used by Lua for scripts, over all shards.',
      info: 'used_memory_vm_eval',
      metric: 'svc_scripts_vm_eval_bytes',
      exporter: 'redis_memory_used_lua_bytes',
    },
  ],
  functions: [
    {
      ...SHARD_GAUGE,
      counter: 'luaFunctionBytes',
      unit: 'bytes',
      help: 'Memory used by Lua for functions, over all shards.',
      info: 'used_memory_vm_functions',
      metric: 'svc_scripts_vm_function_bytes',
    },
  ],
  engines: [
    {
      ...SHARD_GAUGE,
      counter: 'luaBytes',
      unit: 'bytes',
      help: 'Memory allocated by the Lua interpreters of all shards.',
      info: 'script_interpreter_bytes',
      metric: 'svc_scripts_interpreter_bytes',
    },
  ],
  evicted: [
    {
      ...MAIN_COUNTER,
      counter: 'scriptsEvicted',
      help: 'Scripts evicted from the cache because EVAL had added more than 500.',
      info: 'evicted_scripts',
      metric: 'svc_scripts_evicted_total',
    },
  ],
  runs: [
    {
      ...SHARD_COUNTER,
      counter: 'scriptRuns',
      help: 'Executed scripts and functions.',
      info: 'script_runs',
      metric: 'svc_scripts_runs_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'scriptErrors',
      help: 'Scripts and functions that ended with an error.',
      info: 'script_errors',
      metric: 'svc_scripts_errors_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'scriptsKilled',
      help: 'Scripts and functions stopped by SCRIPT KILL or FUNCTION KILL.',
      info: 'script_kills',
      metric: 'svc_scripts_killed_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'scriptCalls',
      help: 'Commands called by scripts and functions.',
      info: 'script_calls',
      metric: 'svc_scripts_calls_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'scriptAsks',
      help: 'Commands of scripts and functions that were executed by main: several shards, or no keys.',
      info: 'script_calls_on_main',
      metric: 'svc_scripts_calls_on_main_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'scriptUs',
      unit: 'us',
      help: 'Execution time of scripts and functions.',
      info: 'script_usec',
      infoAs: 'whole-us',
      metric: 'svc_scripts_seconds_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'scriptBarriers',
      help: 'Scripts and functions for which all shards stopped.',
      info: 'script_barriers',
      metric: 'svc_scripts_barriers_total',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
