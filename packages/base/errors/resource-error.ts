/** Errors with which V8 and Node refuse what is too large for them. */

/**
 * Messages of V8: lengths beyond its limits, memory that the machine does not give, calls nested too deeply. Other
 * RangeErrors (an offset out of bounds, a value out of range) are mistakes of the code that made them.
 */
const LIMIT_MESSAGE =
  /^(?:Invalid (?:string|typed array|array buffer|array) length|Array buffer allocation failed|(?:Map|Set|BigInt) maximum size exceeded|Maximum (?:BigInt size|call stack size) exceeded|WebAssembly\.Memory\.grow\(\): )/;

/** Messages of Node's own checks of sizes, which come before V8's: buffers, and texts made from them. */
const SIZE_MESSAGE =
  /^The value of "(?:size|length)" is out of range\. It must be >= 0 && <= \d+\./;

/** True when a command has asked for more than this process can hold, which is that command's error and no fault of ours. */
export function isResourceError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_STRING_TOO_LONG' || code === 'ERR_BUFFER_TOO_LARGE') return true;
  if (!(error instanceof RangeError)) return false;
  return code === 'ERR_OUT_OF_RANGE'
    ? SIZE_MESSAGE.test(error.message)
    : LIMIT_MESSAGE.test(error.message);
}
