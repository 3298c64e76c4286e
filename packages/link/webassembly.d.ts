/** The few parts of WebAssembly's JavaScript API that we use: TypeScript has them only with the DOM. */
declare namespace WebAssembly {
  interface MemoryDescriptor {
    initial: number;
    maximum: number;
    shared: boolean;
  }
  class Memory {
    constructor(descriptor: MemoryDescriptor);
    readonly buffer: SharedArrayBuffer;
  }
  const Module: new (bytes: Uint8Array) => object;
  class Instance {
    constructor(module: object, imports: Record<string, Record<string, unknown>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
