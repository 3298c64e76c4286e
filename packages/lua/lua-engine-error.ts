/**
 * Thrown when the interpreter has stopped in the middle of something, by a trap or because V8's stack ended: what it
 * holds is not to be trusted any more. The engine's owner throws it away and makes a new one.
 */
export class LuaEngineError extends Error {
  override readonly name = 'LuaEngineError';
}
