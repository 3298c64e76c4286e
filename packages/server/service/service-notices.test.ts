import { FakeClock } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ServiceNotices } from './service-notices.ts';

const notices = suite('service notices');

const clock = new FakeClock();

notices('give signs of life at half of the time that is allowed, once the server is ready', () => {
  const sent: string[] = [];
  const service = new ServiceNotices((text) => sent.push(text), 10_000, clock);
  clock.advanceMs(20_000);
  service.tick();
  assert.equal(sent, []);
  service.ready('8 shards');
  service.tick();
  clock.advanceMs(4_999);
  service.tick();
  clock.advanceMs(1);
  service.tick();
  assert.equal(sent, ['READY=1\nSTATUS=8 shards', 'WATCHDOG=1', 'WATCHDOG=1']);
  assert.is(service.needsEveryTick, false);
});

notices('need every tick where idle main would be late', () => {
  const service = new ServiceNotices(() => undefined, 3_000, clock);
  assert.is(service.needsEveryTick, false);
  service.ready('1 shard');
  assert.is(service.needsEveryTick, true);
});

notices('report no reload before the start and after the stop, which they report once', () => {
  const sent: string[] = [];
  const service = new ServiceNotices((text) => sent.push(text), undefined, clock);
  service.reloading();
  service.ready();
  service.ready('1 shard');
  service.stopping();
  service.reloading();
  service.ready();
  service.stopping();
  service.tick();
  assert.equal(sent, ['READY=1\nSTATUS=1 shard', 'STOPPING=1']);
});

notices.run();
