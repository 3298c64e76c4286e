/** Parts of WebAssembly's JavaScript API that the interpreter needs beside those of the link memory. */
declare namespace WebAssembly {
  class Table {
    readonly length: number;
    grow(count: number): number;
    get(index: number): unknown;
    set(index: number, value: unknown): void;
  }

  interface Global {
    value: number;
  }
}
