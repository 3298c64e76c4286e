/** Functions and constants of the table `redis` that need nothing of the server. */

import { createHash } from 'node:crypto';
import { Layout, type LuaVm } from '../lua-vm.ts';
import { LuaType, type HostFunction } from '../wasm/api.ts';
import type { ScriptErrors } from './errors.ts';

/** Levels of `redis.log`, which libraries have too while they load. */
export const LOG_LEVELS = { LOG_DEBUG: 0, LOG_VERBOSE: 1, LOG_NOTICE: 2, LOG_WARNING: 3 } as const;

/** Flags of `redis.set_repl`. */
export const REPLICATION_FLAGS = {
  REPL_NONE: 0,
  REPL_AOF: 1,
  REPL_SLAVE: 2,
  REPL_REPLICA: 2,
  REPL_ALL: 3,
} as const;

/** Makes `sha1hex`, `error_reply` and `status_reply`. */
export function pureFunctions(vm: LuaVm, errors: ScriptErrors): Record<string, HostFunction> {
  const { api } = vm;
  const isOneString = (L: number): boolean =>
    vm.count(L) === 1 && vm.typeAt(vm.argument(L, 1)) === LuaType.String;
  const refuse = (L: number): number => {
    errors.push(L, 'wrong number or type of arguments');
    return 1;
  };
  return {
    sha1hex(L) {
      if (vm.count(L) !== 1) errors.raise(L, 'wrong number of arguments');
      const text = api.lua_tolstring(L, 1, vm.cell);
      const length = text === 0 ? 0 : vm.words[vm.cell >> 2]!;
      const hash = createHash('sha1').update(vm.bytes.subarray(text, text + length));
      vm.pushText(L, hash.digest('hex'));
      return 1;
    },
    error_reply(L) {
      if (!isOneString(L)) return refuse(L);
      const object = vm.objectAt(vm.argument(L, 1));
      const text = vm.textOf(object);
      errors.push(L, vm.bytes[object + Layout.stringBytes] === 0x2d ? text : `-${text}`);
      return 1;
    },
    status_reply(L) {
      if (!isOneString(L)) return refuse(L);
      api.lua_createtable(L, 0, 1);
      api.lua_pushvalue(L, 1);
      vm.setField(L, 'ok');
      return 1;
    },
  };
}

/** Makes what EVAL scripts have beside them: a debugger is never there, and effects are replicated always. */
export function evalFunctions(vm: LuaVm): Record<string, HostFunction> {
  const answer = (value: number) => (L: number) => {
    vm.api.lua_pushboolean(L, value);
    return 1;
  };
  return { breakpoint: answer(0), debug: () => 0, replicate_commands: answer(1) };
}
