/** Memory that runs out: allocations that fail as V8's do, one after the other. */

/** Message of V8's error when the system gives no memory. */
const MESSAGE = 'Array buffer allocation failed';

const NAMES = ['ArrayBuffer', 'Uint8Array', 'Int32Array', 'Uint32Array', 'Float64Array'] as const;

/**
 * Runs what allocates with the `nth` (from 0) allocation of at least `bytesMin` failing; answers whether there was one.
 * What `run` throws besides is thrown.
 */
export function withoutMemory(nth: number, bytesMin: number, run: () => void): boolean {
  let left = nth;
  let hasFailed = false;
  const before = NAMES.map((name) => [name, globalThis[name]] as const);
  const scope = globalThis as Record<string, unknown>;
  for (const [name, constructor] of before) {
    const unit = 'BYTES_PER_ELEMENT' in constructor ? constructor.BYTES_PER_ELEMENT : 1;
    scope[name] = new Proxy(constructor, {
      construct(target, args: unknown[], newTarget) {
        const [length] = args;
        if (!hasFailed && typeof length === 'number' && length * unit >= bytesMin) {
          left -= 1;
          if (left < 0) {
            hasFailed = true;
            throw new RangeError(MESSAGE);
          }
        }
        return Reflect.construct(target, args, newTarget) as object;
      },
    });
  }
  const bytes = Uint8Array.prototype;
  Object.defineProperty(bytes, 'slice', {
    configurable: true,
    value(this: Uint8Array, from = 0, to = this.length) {
      // What is copied so is allocated as any other.
      const copy = new Uint8Array(Math.max(to - from, 0));
      copy.set(this.subarray(from, to));
      return copy;
    },
  });
  try {
    run();
  } catch (error) {
    if (!(error instanceof RangeError) || error.message !== MESSAGE) throw error;
  } finally {
    Reflect.deleteProperty(bytes, 'slice');
    for (const [name, constructor] of before) scope[name] = constructor;
  }
  return hasFailed;
}
