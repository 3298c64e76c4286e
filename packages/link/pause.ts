/** Blocks the calling thread. */
export function pause(seconds: number): void {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(nobody, 0, 0, seconds * 1_000);
}
