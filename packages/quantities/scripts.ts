/** Quantities of scripts and functions: what there is of them, and what they have done. */

import { MAIN_COUNTER, MAIN_GAUGE, SHARD_COUNTER, SHARD_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';

export const SCRIPT_QUANTITIES = {
  cached: [
    {
      ...MAIN_GAUGE,
      counter: 'scriptsCached',
      help: 'Scripts that EVALSHA knows.',
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
      help: 'Sources of the scripts that EVALSHA knows.',
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
      help: 'Sources of the libraries of functions.',
      info: 'used_memory_functions',
      metric: 'svc_scripts_library_bytes',
    },
  ],
  eval: [
    {
      ...SHARD_GAUGE,
      counter: 'luaEvalBytes',
      unit: 'bytes',
      help: 'Memory that Lua has in use for scripts, in all shards.',
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
      help: 'Memory that Lua has in use for functions, in all shards.',
      info: 'used_memory_vm_functions',
      metric: 'svc_scripts_vm_function_bytes',
    },
  ],
  engines: [
    {
      ...SHARD_GAUGE,
      counter: 'luaBytes',
      unit: 'bytes',
      help: 'Memory of the Lua interpreters of all shards, in use or not.',
      info: 'script_interpreter_bytes',
      metric: 'svc_scripts_interpreter_bytes',
    },
  ],
  evicted: [
    {
      ...MAIN_COUNTER,
      counter: 'scriptsEvicted',
      help: 'Scripts that had to go since more than 500 were known by EVAL alone.',
      info: 'evicted_scripts',
      metric: 'svc_scripts_evicted_total',
    },
  ],
  runs: [
    {
      ...SHARD_COUNTER,
      counter: 'scriptRuns',
      help: 'Scripts and functions that were run.',
      info: 'script_runs',
      metric: 'svc_scripts_runs_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'scriptErrors',
      help: 'Scripts and functions that have ended with an error.',
      info: 'script_errors',
      metric: 'svc_scripts_errors_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'scriptsKilled',
      help: 'Scripts and functions that were stopped by SCRIPT KILL or FUNCTION KILL.',
      info: 'script_kills',
      metric: 'svc_scripts_killed_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'scriptCalls',
      help: 'Commands that scripts and functions have called.',
      info: 'script_calls',
      metric: 'svc_scripts_calls_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'scriptAsks',
      help: 'Commands of scripts and functions that main had to run, since they concern several shards or no keys.',
      info: 'script_calls_on_main',
      metric: 'svc_scripts_calls_on_main_total',
    },
    {
      ...SHARD_COUNTER,
      counter: 'scriptUs',
      unit: 'us',
      help: 'Time that scripts and functions have run.',
      info: 'script_usec',
      infoAs: 'whole-us',
      metric: 'svc_scripts_seconds_total',
    },
    {
      ...MAIN_COUNTER,
      counter: 'scriptBarriers',
      help: 'Scripts and functions for which all shards had to stop.',
      info: 'script_barriers',
      metric: 'svc_scripts_barriers_total',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
