/** Files of the system about the machine, as texts of known machines. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HitShares } from './hit-shares.ts';
import { MachineReader } from './machine-reader.ts';

const machine = suite('machine');

const FILES: Readonly<Record<string, string>> = {
  '/proc/self/cgroup': '0::/system.slice/svc.service\n',
  '/sys/fs/cgroup/system.slice/svc.service/cpu.stat':
    'usage_usec 900\nnr_throttled 4\nthrottled_usec 1234\n',
  '/proc/pressure/memory':
    'some avg10=0.00 avg60=0.00 avg300=0.00 total=77\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=55\n',
  '/proc/pressure/io':
    'some avg10=1.00 avg60=0.00 avg300=0.00 total=99\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=11\n',
  '/proc/net/snmp':
    'Ip: Forwarding\nIp: 1\nTcp: RtoAlgorithm OutSegs RetransSegs\nTcp: 1 5000 25\nUdp: A\nUdp: 1\n',
  '/proc/net/dev':
    'Inter-| Receive\n face |bytes\n    lo: 9 0 0 0 0 0 0 0 9 0\n  eth0: 100 0 0 0 0 0 0 0 300 0\n wlan0:5 0 0 0 0 0 0 0 6 0\n',
  '/sys/class/net/eth0/speed': '1000\n',
  '/sys/class/net/wlan0/speed': '-1\n',
};

machine('is read from the files of Linux', () => {
  assert.equal(new MachineReader((file) => FILES[file]).read(), {
    memoryStallUs: 55,
    ioStallUs: 99,
    throttledUs: 1234,
    segmentsOut: 5000,
    segmentsAgain: 25,
    interfaces: [{ name: 'eth0', bytes: 300, bytesPerSecondMax: 125_000_000 }],
  });
});

machine('is unknown where there are no such files', () => {
  assert.equal(new MachineReader(() => undefined).read(), {
    memoryStallUs: undefined,
    ioStallUs: undefined,
    throttledUs: undefined,
    segmentsOut: 0,
    segmentsAgain: 0,
    interfaces: [],
  });
});

machine('hit shares are of the last minute, and the best of a quarter of an hour', () => {
  const shares = new HitShares();
  let [hits, misses, nowUs] = [0, 0, 1];
  const pass = (seconds: number, hitShare: number): void => {
    for (let at = 0; at < seconds; at += 10) {
      hits += 1_000 * hitShare;
      misses += 1_000 * (1 - hitShare);
      nowUs += 10_000_000;
      shares.take(hits, misses, nowUs);
    }
  };
  shares.take(0, 0, nowUs);
  assert.equal(shares.report, { now: null, before: null });
  pass(60, 0.9);
  assert.equal(shares.report, { now: 0.9, before: 0.9 });
  pass(60, 0.5);
  assert.is(shares.report.before, 0.9);
  assert.is(shares.report.now, 0.5);
  // A quarter of an hour later the best is forgotten.
  pass(900, 0.5);
  assert.equal(shares.report, { now: 0.5, before: 0.5 });
});

machine.run();
