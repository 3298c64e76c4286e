import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Worker } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';

const garbage = suite('garbage');

const MIB = 1024 * 1024;
const module = fileURLToPath(new URL('./garbage.js', import.meta.url));

/** Drops a buffer in a thread, collects, and returns the bytes owned before and after that. */
function inThread(): Promise<readonly [number, number]> {
  const code = `
    const { parentPort } = require('node:worker_threads');
    const { getHeapStatistics } = require('node:v8');
    const owned = () => getHeapStatistics().external_memory;
    import(${JSON.stringify(module)}).then(({ collectGarbage }) => {
      new Uint8Array(${64 * MIB});
      const before = owned();
      setImmediate(() => {
        collectGarbage();
        parentPort.postMessage([before, owned()]);
      });
    });`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

garbage('is collected in many threads that begin with it at once', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, inThread));
  for (const [before, behind] of all) {
    assert.ok(before >= 64 * MIB, `${before} bytes before`);
    assert.ok(behind < 32 * MIB, `${behind} bytes behind`);
  }
});

garbage.run();
