/**
 * Gives free memory of malloc back to the system. glibc keeps the pages of freed blocks, except at the end of its
 * heaps, until `malloc_trim` is called. Source: malloc_trim(3).
 */

type Trim = () => void;

let loading: Promise<Trim | undefined> | undefined;

/**
 * Loads `malloc_trim` of the C library. Undefined where the library has none (musl, macOS), and where the optional
 * package that calls it is not installed. Loading takes 15 ms, and is done once in a thread.
 */
export async function mallocTrim(): Promise<Trim | undefined> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Trim | undefined> {
  try {
    const { default: koffi } = await import('koffi');
    const trim = koffi.load(null).func('int malloc_trim(size_t pad)') as (pad: number) => number;
    return () => {
      trim(0);
    };
  } catch {
    return undefined;
  }
}
