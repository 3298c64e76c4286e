/** Cost of a frame on its way: written, published in batches, read and given back, in one thread. */
import { layoutOf, LinkMemory, RingReader, RingWriter } from '#link';

const FRAMES = 4_000_000;
const RING_BYTES = 1024 * 1024;

function measure(frameBytes: number, batch: number): number {
  const shape = {
    shards: 1,
    requestRingBytes: RING_BYTES,
    replyRingBytes: RING_BYTES,
    logRingBytes: 0,
  };
  const layout = layoutOf({ ...shape, readBytes: 64, blocks: 1, blockBytes: 512 });
  const memory = LinkMemory.allocate(layout.bytes);
  const writer = new RingWriter(memory, layout.requests[0]!);
  const reader = new RingReader(memory, layout.requests[0]!);
  const { words } = memory;
  let sum = 0;
  const round = (): void => {
    for (let nth = 0; nth < batch; nth += 1) {
      const at = writer.reserve(frameBytes);
      words[at >> 2] = frameBytes;
      words[(at >> 2) + 1] = nth;
      writer.commit(frameBytes);
    }
    writer.publish();
    for (let at = reader.next(); at >= 0; at = reader.next()) {
      sum += words[(at >> 2) + 1]!;
      reader.advance(words[at >> 2]!);
    }
    reader.release();
  };
  for (let warm = 0; warm < 2_000; warm += 1) round();
  const rounds = Math.ceil(FRAMES / batch);
  const begin = process.hrtime.bigint();
  for (let nth = 0; nth < rounds; nth += 1) round();
  const spent = Number(process.hrtime.bigint() - begin) / (rounds * batch);
  if (sum < 0) throw new Error('frames are read');
  return spent;
}

for (const frameBytes of [64, 128, 1024]) {
  for (const batch of [1, 16, 256]) {
    const ns = measure(frameBytes, batch).toFixed(0).padStart(6);
    console.log(
      `${String(frameBytes).padStart(5)} bytes, ${String(batch).padStart(3)} at a time ${ns} ns`,
    );
  }
}
