export { LuaEngine } from './lua-engine.ts';
export { LuaEngineError } from './lua-engine-error.ts';
export type { ScriptError } from './environment/errors.ts';
export type { StringSource } from './strings.ts';
export type { LuaVm } from './lua-vm.ts';
export { LuaType, REGISTRY_INDEX, type HostFunction } from './wasm/api.ts';
