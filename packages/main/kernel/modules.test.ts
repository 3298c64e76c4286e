import { errors } from '#base';
import { Arguments, commandTable } from '#commands';
import type { Client } from '#router';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { JUDGE_PLACES, type JudgePlace, MainModule } from './main-module.ts';
import { Modules } from './modules.ts';
import { Progress, StartJudge } from './progress.ts';

const modules = suite('modules of main');

const client = {} as unknown as Client;
const NO_ARGUMENTS = new Arguments();

function judged(list: Modules, name: string): unknown {
  return list.gate.judge(client, commandTable.byName(name)!, NO_ARGUMENTS);
}

modules('commands wait until the server has started, and are refused while it loads', () => {
  const list = new Modules();
  const progress = new Progress();
  let passes = 0;
  const start = new StartJudge(progress, list, () => {
    passes += 1;
    list.gate.drop('start');
  });
  let isAwaited = true;
  list.add(
    new MainModule({ name: 'start', judges: { start } }),
    new MainModule({ name: 'awaited', hooks: { isAwaited: () => isAwaited } }),
  );
  assert.is(judged(list, 'PING'), errors.loading);
  assert.is(judged(list, 'INFO'), undefined);
  progress.isLoaded = true;
  assert.is(judged(list, 'PING'), 'wait');
  assert.is(judged(list, 'GET'), 'wait');
  assert.is(judged(list, 'INFO'), undefined);
  progress.isStarted = true;
  assert.is(judged(list, 'PING'), 'wait', 'a module is awaited');
  isAwaited = false;
  assert.is(judged(list, 'PING'), undefined);
  isAwaited = true;
  assert.is(judged(list, 'PING'), undefined, 'it is not asked again');
  assert.is(passes, 1);
});

modules('a judge that begins to concern a command is asked after `changed`', () => {
  const list = new Modules();
  let isPaused = false;
  const pause = { concerns: () => isPaused, judge: () => 'wait' as const };
  list.add(new MainModule({ name: 'pause', judges: { pause } }));
  assert.is(judged(list, 'SET'), undefined);
  isPaused = true;
  list.gate.changed();
  assert.is(judged(list, 'SET'), 'wait');
  isPaused = false;
  list.gate.changed();
  assert.is(judged(list, 'SET'), undefined);
});

modules('judges are asked in the order of their places, by whichever module they came', () => {
  const list = new Modules();
  const asked: JudgePlace[] = [];
  for (const place of [...JUDGE_PLACES].reverse()) {
    const judge = (): undefined => {
      asked.push(place);
    };
    list.add(new MainModule({ name: place, judges: { [place]: { judge } } }));
  }
  assert.is(judged(list, 'GET'), undefined);
  assert.equal(asked, [...JUDGE_PLACES]);
});

modules('the first refusal is the verdict, and a judge sees only what concerns it', () => {
  const list = new Modules();
  let reads = 0;
  list.add(
    new MainModule({
      name: 'writes',
      judges: {
        disk: { concerns: (entry) => entry.isWrite, judge: () => errors.noReplicas },
        role: { judge: () => errors.readOnlyReplica },
      },
    }),
    new MainModule({
      name: 'reads',
      judges: {
        client: {
          judge: () => {
            reads += 1;
            return undefined;
          },
        },
      },
    }),
  );
  assert.is(judged(list, 'SET'), errors.noReplicas);
  assert.is(judged(list, 'GET'), errors.readOnlyReplica);
  assert.is(reads, 2);
});

modules('judges of one place are asked in the order of their modules', () => {
  const list = new Modules();
  const asked: string[] = [];
  const judge = (name: string): MainModule =>
    new MainModule({
      name,
      judges: {
        client: {
          judge: () => {
            asked.push(name);
            return undefined;
          },
        },
      },
    });
  list.add(judge('a'), judge('b'));
  assert.is(judged(list, 'GET'), undefined);
  list.add(judge('c'));
  assert.is(judged(list, 'GET'), undefined, 'a judge that comes later is asked too');
  assert.equal(asked, ['a', 'b', 'a', 'b', 'c']);
});

modules('all start in the order in which they were added, and stop in the reverse', async () => {
  const list = new Modules();
  const log: string[] = [];
  const module = (name: string): MainModule =>
    new MainModule({
      name,
      hooks: {
        start: () => log.push(`start ${name}`),
        stop: () => log.push(`stop ${name}`),
        leave: async () => {
          await Promise.resolve();
          log.push(`leave ${name}`);
        },
      },
    });
  list.add(module('a'), new MainModule({ name: 'none' }), module('b'));
  list.start();
  await list.leave(() => true);
  list.stop();
  assert.equal(log, ['start a', 'start b', 'leave a', 'leave b', 'stop b', 'stop a']);
});

modules('a turn has work, and output is held back, as soon as one module says so', () => {
  const list = new Modules();
  let ends = 0;
  let hasWork = false;
  let mayWrite = true;
  const endTurn = (): void => {
    ends += 1;
  };
  list.add(
    new MainModule({ name: 'none' }),
    new MainModule({ name: 'ends', hooks: { endTurn: () => undefined } }),
    new MainModule({
      name: 'works',
      hooks: { endTurn, hasWork: () => hasWork, mayWrite: () => mayWrite },
    }),
  );
  list.endTurn();
  assert.is(ends, 1);
  assert.is(list.hasWork, false);
  hasWork = true;
  assert.is(list.hasWork, true);
  assert.is(list.mayWrite(), true);
  mayWrite = false;
  assert.is(list.mayWrite(), false);
});

modules.run();
