import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readServiceManager } from './service-manager.ts';

const manager = suite('the service manager in the environment');

manager('is one with a socket that has a path, or a name in the abstract namespace', () => {
  const socketOf = (socket: string): string | undefined =>
    readServiceManager({ NOTIFY_SOCKET: socket })?.socket;
  assert.is(socketOf('/run/systemd/notify'), '/run/systemd/notify');
  assert.is(socketOf('@abstract'), '@abstract');
  assert.is(socketOf('vsock:2:9999'), undefined);
  assert.is(socketOf(''), undefined);
  assert.is(readServiceManager({}), undefined);
});

manager('has a watchdog for this process only', () => {
  const watchdogOf = (environment: Record<string, string>): number | undefined =>
    readServiceManager({ NOTIFY_SOCKET: '/notify', ...environment }, 7)?.watchdogMs;
  assert.is(watchdogOf({}), undefined);
  assert.is(watchdogOf({ WATCHDOG_USEC: '30000000' }), 30_000);
  assert.is(watchdogOf({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' }), 30_000);
  assert.is(watchdogOf({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '8' }), undefined);
  assert.is(watchdogOf({ WATCHDOG_USEC: 'soon' }), undefined);
});

manager.run();
