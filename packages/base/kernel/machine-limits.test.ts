/** Limits of containers, from the files of cgroups. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readMachineLimits } from './machine-limits.ts';

const limits = suite('machine limits');

const MIB = 2 ** 20;
const machine = { processors: 8, memoryBytes: 16 * 1024 * MIB };

type Files = Readonly<Record<string, string>>;

function read(files: Files): ReturnType<typeof readMachineLimits> {
  return readMachineLimits((file) => files[file], machine);
}

limits('without cgroups they are those of the machine', () => {
  assert.equal(read({}), {
    processors: 8,
    memoryBytes: machine.memoryBytes,
    processorLimit: undefined,
    memoryLimitBytes: undefined,
  });
});

limits('a container of version 2 sees its group as the root', () => {
  assert.equal(
    read({
      '/proc/self/cgroup': '0::/\n',
      '/sys/fs/cgroup/cpu.max': '250000 100000\n',
      '/sys/fs/cgroup/memory.max': '536870912\n',
    }),
    {
      processors: 2,
      memoryBytes: 512 * MIB,
      processorLimit: 2.5,
      memoryLimitBytes: 512 * MIB,
    },
  );
});

limits('the lowest limit of a group and those above it counts', () => {
  const files = {
    '/proc/self/cgroup': '0::/svc.slice/svc.service\n',
    '/sys/fs/cgroup/svc.slice/cpu.max': '300000 100000\n',
    '/sys/fs/cgroup/svc.slice/svc.service/cpu.max': 'max 100000\n',
    '/sys/fs/cgroup/svc.slice/memory.max': 'max\n',
    '/sys/fs/cgroup/svc.slice/svc.service/memory.max': '1073741824\n',
  };
  assert.is(read(files).processors, 3);
  assert.is(read(files).memoryLimitBytes, 1024 * MIB);
});

limits('less than a processor is one thread', () => {
  const files = { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '50000 100000\n' };
  assert.is(read(files).processors, 1);
  assert.is(read(files).processorLimit, 0.5);
});

limits('limits above the machine change nothing', () => {
  const files = {
    '/proc/self/cgroup': '0::/\n',
    '/sys/fs/cgroup/cpu.max': '1600000 100000\n',
    '/sys/fs/cgroup/memory.max': String(64 * 1024 * MIB),
  };
  assert.is(read(files).processors, 8);
  assert.is(read(files).memoryBytes, machine.memoryBytes);
  assert.is(read(files).memoryLimitBytes, undefined);
});

const VERSION_1 = '5:memory:/docker/4f\n4:cpu,cpuacct:/docker/4f\n0::/docker/4f\n';

limits('version 1 has a hierarchy for each controller', () => {
  const files = {
    '/proc/self/cgroup': VERSION_1,
    '/sys/fs/cgroup/cpu,cpuacct/docker/4f/cpu.cfs_quota_us': '400000\n',
    '/sys/fs/cgroup/cpu,cpuacct/docker/4f/cpu.cfs_period_us': '100000\n',
    '/sys/fs/cgroup/memory/docker/4f/memory.limit_in_bytes': '268435456\n',
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
  };
  assert.is(read(files).processors, 4);
  assert.is(read(files).memoryLimitBytes, 256 * MIB);
});

limits('a container of version 1 has its files in the root of what is mounted', () => {
  const files = {
    '/proc/self/cgroup': VERSION_1,
    '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '200000\n',
    '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '134217728\n',
  };
  assert.is(read(files).processors, 2);
  assert.is(read(files).memoryLimitBytes, 128 * MIB);
});

limits('version 1 without limits has a quota of -1 and a number of pages', () => {
  const files = {
    '/proc/self/cgroup': VERSION_1,
    '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
    '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
  };
  assert.is(read(files).processorLimit, undefined);
  assert.is(read(files).memoryLimitBytes, undefined);
});

limits.run();
