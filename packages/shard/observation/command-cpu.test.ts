/** A command's time is its thread's own, without what the thread waited for. */
import { threadCpuReader } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandCpu } from './command-cpu.ts';

const cpu = suite('processor time of commands');

cpu('is what the thread has used since the last look, without short commands', () => {
  let usedUs = 5_000;
  let readings = 0;
  const time = new CommandCpu(() => {
    readings += 1;
    return usedUs;
  });
  usedUs += 7;
  assert.is(time.of(7), 7);
  usedUs += 20;
  assert.is(time.of(3_020), 20, 'others had the processor');
  usedUs += 400;
  assert.is(time.of(400), 400, 'a long one of its own');
  usedUs += 800;
  time.begin(1_000);
  usedUs += 60;
  assert.is(time.of(60), 60, "what was used between commands is nobody's");
  usedUs += 900;
  assert.is(time.of(100), 100, 'it cannot have used more than it took');
  usedUs += 30;
  assert.is(time.of(49), 49);
  assert.is(time.of(100), 0, 'nor less than nothing');
  assert.is(readings, 7, 'short ones are not looked at');
  time.begin(1_999);
  assert.is(readings, 7, 'nor every turn');
  time.begin(2_000);
  assert.is(readings, 8);
});

cpu('is all time where the system does not tell', () => {
  const time = new CommandCpu(undefined);
  time.begin(5_000);
  assert.is(time.of(3_000), 3_000);
});

cpu('the system tells of work at once, and of rest nothing', () => {
  const read = threadCpuReader();
  if (read === undefined) return;
  const beganUs = process.hrtime.bigint();
  const before = read();
  let now = before;
  // A counter that the kernel updates rarely would be constant for milliseconds, and then jump.
  for (let look = 0; look < 1_000; look += 1) {
    const next = read();
    assert.ok(next > now, `look ${look}: ${next} after ${now}`);
    now = next;
  }
  const restedUs = 20_000;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, restedUs / 1_000);
  const used = read() - before;
  const passed = Number(process.hrtime.bigint() - beganUs) / 1_000;
  // The kernel may end the rest a little early, and wakes the thread on its time.
  assert.ok(used <= passed - restedUs / 2, `${used} of ${passed} us`);
});

cpu.run();
