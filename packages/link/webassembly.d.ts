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
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
