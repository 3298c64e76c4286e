/** Functions of the table `redis` that need the server: calls of commands, the log, and settings of the current script. */

import type { HostFunction, LuaEngine } from '#lua';
import type { ScriptCommands } from './script-commands.ts';

const LOG_LEVEL_MAX = 3;
/** All of redis.REPL_*. */
const REPLICATION_FLAGS = 3;

interface RunningFunctionsOptions {
  readonly engine: () => LuaEngine;
  readonly commands: ScriptCommands;
  /** Writes to the log; levels as in redis.LOG_*. */
  log(level: number, message: string): void;
}

export function runningFunctions(
  options: RunningFunctionsOptions,
): Readonly<Record<string, HostFunction>> {
  const { engine, commands } = options;
  const raise = (L: number, text: string): never => engine().errors.raise(L, text);
  return {
    call: (L) => commands.call(engine(), L, true),
    pcall: (L) => commands.call(engine(), L, false),
    log: logFunction(options),
    setresp(L) {
      const { vm } = engine();
      if (vm.count(L) !== 1) raise(L, 'redis.setresp() requires one argument.');
      const version = Math.trunc(vm.api.lua_tonumber(L, 1));
      if (version !== 2 && version !== 3) raise(L, 'RESP version must be 2 or 3.');
      commands.setProtocol(version as 2 | 3);
      return 0;
    },
    // What a script writes is always kept: a log that lacks it would not lead to the data that clients have seen.
    set_repl(L) {
      const { vm } = engine();
      if (vm.count(L) !== 1) raise(L, 'redis.set_repl() requires one argument.');
      const flags = Math.trunc(vm.api.lua_tonumber(L, 1));
      if ((flags & ~REPLICATION_FLAGS) !== 0) {
        raise(
          L,
          'Invalid replication flags. Please use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.',
        );
      }
      return 0;
    },
    acl_check_cmd(L) {
      const { vm } = engine();
      if (vm.count(L) === 0) {
        raise(L, 'Please specify at least one argument for this redis.acl_check_cmd() call');
      }
      const isAllowed = commands.mayRun(engine(), L);
      if (isAllowed === undefined) raise(L, 'Invalid command passed to redis.acl_check_cmd()');
      vm.api.lua_pushboolean(L, Number(isAllowed));
      return 1;
    },
  };
}

export function logFunction({
  engine,
  log,
}: Pick<RunningFunctionsOptions, 'engine' | 'log'>): HostFunction {
  return (L) => {
    const { vm, errors } = engine();
    const count = vm.count(L);
    if (count < 2) errors.raise(L, 'redis.log() requires two arguments or more.');
    if (vm.api.lua_isnumber(L, 1) === 0) {
      errors.raise(L, 'First argument must be a number (log level).');
    }
    const level = Math.trunc(vm.api.lua_tonumber(L, 1));
    if (level < 0 || level > LOG_LEVEL_MAX) errors.raise(L, 'Invalid log level.');
    const words: string[] = [];
    for (let nth = 2; nth <= count; nth += 1) {
      const text = vm.api.lua_tolstring(L, nth, vm.cell);
      if (text !== 0) words.push(vm.textAt(text, vm.words[vm.cell >> 2]!));
    }
    log(level, words.join(' '));
    return 0;
  };
}
