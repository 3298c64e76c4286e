export { LuaEngine, type LuaEngineOptions } from './lua-engine.ts';
export { LuaEngineError } from './lua-engine-error.ts';
export type { Environment } from './environment/environment.ts';
export type { ScriptError, ScriptErrors, ScriptPlace } from './environment/errors.ts';
export type { ReplySink } from './replies/reply-output.ts';
export type { ReplyProtocols } from './replies/reply-writer.ts';
export { NO_STRINGS, StringList, type StringSource } from './strings.ts';
export type { LuaVm } from './lua-vm.ts';
export { LuaStatus, LuaType, REGISTRY_INDEX, type HostFunction, type LuaApi } from './wasm/api.ts';
