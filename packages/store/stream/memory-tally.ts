/** The bytes of one stream, to which all its parts post. */
export class MemoryTally {
  bytes = 0;

  add(bytes: number): void {
    this.bytes += bytes;
  }
}
