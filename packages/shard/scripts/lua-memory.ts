/** Memory of a shard's script engine, as published on its page. */

import type { LuaEngine } from '#lua';
import { AT, type Page } from '#stats';

/** Notes what an engine has taken, and what scripts and functions have in use of it; nothing where there is none. */
export function countLuaMemory({ values }: Page, engine: LuaEngine | undefined): void {
  const usable = engine?.isBroken === false ? engine : undefined;
  values[AT.luaBytes] = engine?.memoryBytes ?? 0;
  values[AT.luaEvalBytes] = usable?.eval.usedBytes ?? 0;
  values[AT.luaFunctionBytes] = usable?.functions.usedBytes ?? 0;
}
