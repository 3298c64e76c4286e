/** Scripts that run for too long: who is stopped, and why another cannot be. */

import { errors } from '#base';
import { layoutOf, LinkMemory, ScriptControl } from '#link';
import { FakeClock } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BusyScripts } from './busy-scripts.ts';

const busy = suite('busy scripts');

const THRESHOLD_MS = 50;

/** Three shards, whose scripts the test begins and ends. */
class Fixture {
  readonly clock = new FakeClock();
  readonly controls: readonly ScriptControl[];
  readonly busyScripts: BusyScripts;
  readonly #sinceUs = [0, 0, 0];

  constructor(thresholdMs = THRESHOLD_MS) {
    const layout = layoutOf({
      shards: 3,
      requestRingBytes: 1_024,
      replyRingBytes: 1_024,
      logRingBytes: 0,
      readBytes: 64,
      blocks: 1,
      blockBytes: 512,
    });
    const memory = LinkMemory.allocate(layout.bytes);
    this.controls = layout.scripts.map((at) => new ScriptControl(memory, at));
    this.busyScripts = new BusyScripts({
      clock: this.clock,
      controls: this.controls,
      sinceUs: (shard) => this.#sinceUs[shard]!,
      commandOf: (shard) => ['EVAL', String(shard)],
      lineOf: (shard) => (shard === 2 ? 7 : 0),
      nameOf: (shard) => (shard === 2 ? null : `script ${shard}`),
      thresholdMs: () => thresholdMs,
    });
  }

  begin(shard: number, isFunction = false): void {
    this.controls[shard]!.begin(isFunction, 0);
    this.#sinceUs[shard] = this.clock.nowUs();
  }

  end(shard: number): void {
    this.controls[shard]!.end();
    this.#sinceUs[shard] = 0;
  }

  look(): void {
    this.busyScripts.look(this.clock.nowUs());
  }

  get stopped(): number[] {
    return this.controls.flatMap((control, shard) =>
      control.run !== 0 && control.mustStop ? [shard] : [],
    );
  }
}

busy('a stop ends with the run that it is for, and a late one stops nothing', () => {
  const fixture = new Fixture();
  const control = fixture.controls[0]!;
  fixture.begin(0);
  fixture.busyScripts.kill(false);
  assert.ok(control.mustStop);
  const { run } = control;
  fixture.end(0);
  assert.not.ok(control.mustStop, 'what the shard does next is no part of the run');
  control.stop(run);
  assert.not.ok(control.mustStop, 'the stop came too late');
  fixture.begin(0);
  assert.not.ok(control.mustStop);
});

busy('is busy from the limit on, and until it ends', () => {
  const fixture = new Fixture();
  const { busyScripts, clock } = fixture;
  fixture.begin(1);
  clock.advanceMs(THRESHOLD_MS - 1);
  fixture.look();
  assert.not.ok(busyScripts.isAny);
  clock.advanceMs(1);
  fixture.look();
  assert.equal(
    [0, 1, 2].map((shard) => busyScripts.isBusy(shard)),
    [false, true, false],
  );
  assert.not.ok(busyScripts.areAll);
  assert.is(busyScripts.refusal, errors.busyScript);
  fixture.end(1);
  fixture.look();
  assert.not.ok(busyScripts.isAny);
});

busy('all are', () => {
  const fixture = new Fixture();
  for (const shard of [0, 1, 2]) fixture.begin(shard, true);
  fixture.clock.advanceMs(THRESHOLD_MS);
  fixture.look();
  assert.ok(fixture.busyScripts.areAll);
  assert.is(fixture.busyScripts.refusal, errors.busyFunction);
});

busy('without a limit none is', () => {
  const fixture = new Fixture(0);
  fixture.begin(0);
  fixture.clock.advanceMs(1_000_000);
  fixture.look();
  assert.not.ok(fixture.busyScripts.isAny);
});

busy('tells what runs, the longest first', () => {
  const fixture = new Fixture();
  fixture.begin(2, true);
  fixture.clock.advanceMs(7);
  fixture.begin(0);
  fixture.controls[0]!.write();
  fixture.clock.advanceMs(2);
  const ofAll = { isFunction: false, name: 'script 0', hasWritten: false, line: 0, run: 1 };
  assert.equal(fixture.busyScripts.running, [
    {
      ...ofAll,
      shard: 2,
      isFunction: true,
      name: '',
      command: ['EVAL', '2'],
      durationMs: 9,
      line: 7,
    },
    { ...ofAll, shard: 0, command: ['EVAL', '0'], durationMs: 2, hasWritten: true },
  ]);
});

busy('one run is killed by its shard and number, and no other', () => {
  const fixture = new Fixture();
  fixture.begin(0);
  fixture.begin(1, true);
  assert.throws(() => fixture.busyScripts.killRun(1, 2), /No scripts in execution/);
  assert.throws(() => fixture.busyScripts.killRun(2, 1), /No scripts in execution/);
  const hasEnded = fixture.busyScripts.killRun(1, 1);
  assert.equal(fixture.stopped, [1]);
  assert.is(hasEnded(), false);
  fixture.end(1);
  assert.is(hasEnded(), true);
  fixture.controls[0]!.write();
  assert.throws(() => fixture.busyScripts.killRun(0, 1), /UNKILLABLE/);
});

busy('KILL stops the longest of its kind, busy or not', () => {
  const fixture = new Fixture();
  fixture.begin(2, true);
  fixture.clock.advanceMs(1);
  fixture.begin(1);
  fixture.clock.advanceMs(1);
  fixture.begin(0);
  fixture.busyScripts.kill(false);
  assert.equal(fixture.stopped, [1]);
  fixture.busyScripts.kill(true);
  assert.equal(fixture.stopped, [1, 2]);
});

busy('KILL passes over one that has written', () => {
  const fixture = new Fixture();
  fixture.begin(0);
  fixture.clock.advanceMs(1);
  fixture.begin(1);
  assert.ok(fixture.controls[0]!.write());
  fixture.busyScripts.kill(false);
  assert.equal(fixture.stopped, [1]);
  fixture.end(1);
  assert.throws(() => fixture.busyScripts.kill(false), same(errors.scriptHasWritten));
});

busy('KILL says why there is nothing to stop', () => {
  const fixture = new Fixture();
  assert.throws(() => fixture.busyScripts.kill(false), same(errors.noScriptRuns));
  fixture.begin(0);
  assert.throws(() => fixture.busyScripts.kill(true), same(errors.busyScript));
  fixture.end(0);
  fixture.begin(0, true);
  assert.throws(() => fixture.busyScripts.kill(false), same(errors.busyFunction));
});

busy('a request to stop does not reach the next run', () => {
  const fixture = new Fixture();
  fixture.begin(0);
  fixture.busyScripts.kill(false);
  fixture.end(0);
  fixture.begin(0);
  assert.equal(fixture.stopped, []);
});

function same(error: unknown): (thrown: unknown) => boolean {
  return (thrown) => thrown === error;
}

busy.run();
