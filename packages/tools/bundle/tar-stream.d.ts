/** Types of what is used of tar-stream, which has none. */
declare module 'tar-stream' {
  import type { Readable, Writable } from 'node:stream';

  interface TarEntry extends Readable {
    readonly header: { readonly name: string; readonly type: string; readonly size: number };
  }

  /** Reads a tar archive that is written into it; yields its entries in order. */
  export function extract(): Writable & AsyncIterable<TarEntry>;
}
