/** Schedules, pipelines, redirects and lost connections, against servers of a few lines and a clock that the tests set. */

import { FakeClock } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Bytes } from '#base';
import type { Transport, TransportEvents } from '#net';
import { greatestUs, percentileUs } from '#stats';
import type { LoadPlan } from '../options/plan.ts';
import { readMix } from '../requests/mix.ts';
import { readValueSizes } from '../requests/value-sizes.ts';
import { LoadEngine } from './load-engine.ts';
import { Recorder, type SecondResult, type ThreadResult } from './recorder.ts';
import { SlotMap, type NodeSlots } from './slot-map.ts';

const engines = suite('a load');

const PLACE = { host: 'here', port: 1, unixSocket: '', tls: undefined };
const USE = { cpuUs: 0, waitUs: 0, spins: false };

/** A connection of the load to a server that keeps what it gets until it is asked to reply. */
class FakeTransport implements Transport {
  readonly descriptor = -1;
  readonly node: number;
  events: TransportEvents | undefined;
  input = '';
  /** Number of commands that have come. */
  commands = 0;
  isClosed = false;
  /** Outcome of the next writes. */
  outcome: 'done' | 'kept' | 'failed' = 'done';
  readonly sink: Transport['sink'];

  constructor(node: number) {
    this.node = node;
    this.sink = {
      pendingBytes: 0,
      onWritten: () => undefined,
      write: () => 'failed',
      writeRange: (source, at, byteCount) => {
        const text = Buffer.from(source.subarray(at, at + byteCount)).toString('latin1');
        this.input += text;
        this.commands += text.split('*').length - 1;
        return this.outcome;
      },
    };
  }

  begin(events: TransportEvents): void {
    this.events = events;
  }

  reply(text: string): void {
    const bytes = Buffer.from(text, 'latin1');
    this.events?.received(bytes, 0, bytes.length);
  }

  destroy(): void {
    this.isClosed = true;
  }

  setKeepAlive(): void {
    throw new Error('not used');
  }

  pause(): void {
    throw new Error('not used');
  }

  resume(): void {
    throw new Error('not used');
  }

  finish(): void {
    throw new Error('not used');
  }
}

class Load {
  readonly clock = new FakeClock();
  readonly transports: FakeTransport[] = [];
  readonly seconds: SecondResult[] = [];
  readonly engine: LoadEngine;
  readonly recorder: Recorder;
  readonly startUs = this.clock.nowUs();

  constructor(changes: Partial<LoadPlan> = {}, nodes: readonly NodeSlots[] = []) {
    const plan: LoadPlan = {
      target: { place: PLACE, login: [], resp: 2, isCluster: nodes.length > 0 },
      commands: readMix('get', { prefix: '', elements: 1 }),
      keys: 100,
      order: { kind: 'sequential' },
      elements: 1,
      sizes: readValueSizes('4'),
      seed: 1,
      connections: 1,
      threads: 1,
      pipeline: 1,
      rate: 0,
      requests: 0,
      seconds: 0,
      warmupSeconds: 0,
      ...changes,
    };
    this.recorder = new Recorder(
      plan.commands.map(({ name }) => name),
      (second) => this.seconds.push(second),
    );
    this.engine = new LoadEngine({
      plan,
      share: { index: 0, count: plan.threads },
      clock: this.clock,
      recorder: this.recorder,
      slots: new SlotMap(PLACE, nodes),
      newBuffer: (): Bytes => new Uint8Array(64),
      connect: (client, node) => {
        this.opened.push([client, node]);
      },
    });
    for (let nth = 0; nth < plan.connections; nth += 1) this.engine.addClient();
    this.open();
    this.engine.start(this.startUs);
  }

  readonly opened: [client: number, node: number][] = [];

  /** Connects what the load has asked for. */
  open(): void {
    for (const [client, node] of this.opened.splice(0)) {
      const transport = new FakeTransport(node);
      this.transports.push(transport);
      this.engine.attach(client, node, transport);
    }
  }

  /** Lets time pass, in which the load wakes when it wants to. */
  pass(us: number, reply: () => void = () => undefined): void {
    const untilUs = this.clock.nowUs() + us;
    while (this.clock.nowUs() < untilUs) {
      const waitUs = Math.min(this.engine.waitUs, untilUs - this.clock.nowUs());
      // A fraction of a microsecond is lost in sums.
      this.clock.advanceUs(Math.max(waitUs, 0.01));
      this.engine.turn();
      reply();
    }
  }

  result(): ThreadResult {
    this.engine.finish();
    return this.recorder.result(USE);
  }
}

const NIL = '$-1\r\n';

engines('a closed loop keeps each connection busy, and sends as many as were asked for', () => {
  const load = new Load({ connections: 2, pipeline: 3, requests: 10 });
  assert.equal(
    load.transports.map(({ commands }) => commands),
    [3, 3],
  );
  const [first, second] = load.transports;
  load.clock.advanceMs(2);
  first!.reply(NIL.repeat(2));
  assert.is(first!.commands, 3, 'the batch is not complete');
  first!.reply(NIL);
  assert.is(first!.commands, 6);
  second!.reply(NIL.repeat(3));
  assert.is(second!.commands, 4, 'one is left of ten');
  assert.is(load.engine.isDone, false);
  first!.reply(NIL.repeat(3));
  second!.reply(NIL);
  assert.is(load.engine.isDone, true);
  const result = load.result();
  assert.is(result.commands[0]!.commands, 10);
  assert.is(result.unanswered, 0);
  assert.is(Math.round(result.commands[0]!.maxUs), 2_000);
});

engines('an open loop sends at its times, however late replies are', () => {
  const load = new Load({ rate: 1_000, seconds: 1, connections: 20 });
  const sentAt: number[] = [];
  const total = (): number => load.transports.reduce((sum, { commands }) => sum + commands, 0);
  load.pass(15_000, () => {
    while (sentAt.length < total()) sentAt.push((load.clock.nowUs() - load.startUs) / 1_000);
  });
  assert.equal(
    sentAt.map((ms) => Math.round(ms * 100) / 100),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].slice(0, sentAt.length),
  );
  assert.ok(sentAt.length >= 15);
});

engines('threads of an open loop share the schedule', () => {
  const load = new Load({ rate: 1_000, seconds: 1, connections: 20, threads: 4 });
  load.pass(20_500);
  const total = load.transports.reduce((sum, { commands }) => sum + commands, 0);
  assert.is(total, 6, 'at 0, 4, 8, 12, 16 and 20 ms');
});

/** A server that replies at once, but stops for a while; returns the results of the load. */
function withStandstill(changes: Partial<LoadPlan>): ThreadResult {
  const load = new Load({ connections: 1, seconds: 2, ...changes });
  const [transport] = load.transports;
  let replied = 0;
  const isStopped = (): boolean => {
    const ms = (load.clock.nowUs() - load.startUs) / 1_000;
    return ms >= 500 && ms < 1_500;
  };
  const reply = (): void => {
    while (!isStopped() && replied < transport!.commands) {
      replied += 1;
      load.clock.advanceUs(50);
      transport!.reply(NIL);
    }
  };
  while (!load.engine.isDone) {
    reply();
    load.pass(isStopped() ? 100_000 : 100, reply);
  }
  return load.result();
}

engines(
  'omission is corrected: a standstill of a second is in all commands that were due in it',
  () => {
    const result = withStandstill({ rate: 1_000 });
    const [{ latency, commands, maxUs }] = result.commands as [ThreadResult['commands'][number]];
    assert.is(commands, 2_000);
    assert.is(result.unsent, 0);
    assert.ok(maxUs > 990_000 && maxUs < 1_200_000, `${maxUs} us`);
    // Half of all commands were due in the standstill, and waited up to a second.
    const p75 = percentileUs(latency, 0.75);
    assert.ok(p75 > 400_000 && p75 < 700_000, `${p75} us`);
  },
);

engines('a closed loop does not see it: one command waits', () => {
  const result = withStandstill({ rate: 0 });
  const [{ latency, maxUs }] = result.commands as [ThreadResult['commands'][number]];
  assert.ok(maxUs > 900_000);
  assert.ok(percentileUs(latency, 0.99) < 1_000);
});

engines('commands that were due and never sent are counted', () => {
  const load = new Load({ rate: 1_000, seconds: 1 });
  load.pass(22_000_000);
  assert.is(load.engine.isDone, true, 'it does not wait for ever');
  const result = load.result();
  assert.is(result.unanswered, 1);
  assert.is(result.unsent, 999);
});

engines('an interrupted load counts what was due until then', () => {
  const load = new Load({ rate: 1_000, seconds: 100 });
  load.pass(500_000);
  load.engine.stop();
  load.transports[0]!.reply(NIL);
  assert.is(load.engine.isDone, true);
  const { unsent, commands } = load.result();
  assert.is(commands[0]!.commands, 1);
  assert.ok(Math.abs(unsent - 499) <= 1, `${unsent} were not sent`);
});

engines(
  'lateness by the fault of the generator is recorded, that by the fault of the server is not',
  () => {
    const load = new Load({ rate: 1_000, seconds: 1, connections: 2 });
    load.pass(500);
    // The thread has had no processor for 20 ms.
    load.clock.advanceMs(20);
    load.engine.turn();
    assert.ok(greatestUs(load.result().late) >= 19_000);
    const other = new Load({ rate: 1_000, seconds: 1, connections: 1 });
    other.pass(20_000);
    other.transports[0]!.reply(NIL);
    assert.ok(greatestUs(other.result().late) < 100);
  },
);

engines('a warm-up is not counted', () => {
  const load = new Load({ warmupSeconds: 1, requests: 2 });
  const [transport] = load.transports;
  for (let nth = 0; nth < 10; nth += 1) {
    load.clock.advanceMs(100);
    transport!.reply(NIL);
  }
  // What was sent at the end of the warm-up is the first that counts.
  for (let nth = 0; nth < 2; nth += 1) {
    load.clock.advanceMs(10);
    transport!.reply('-ERR no\r\n');
  }
  assert.is(load.engine.isDone, true);
  const result = load.result();
  assert.is(result.warmupCommands, 10);
  assert.is(result.commands[0]!.commands, 2);
  assert.equal(result.errors, { ERR: 2 });
});

engines('results come by the second, without a gap being filled', () => {
  const load = new Load({ requests: 4 });
  const [transport] = load.transports;
  for (const ms of [100, 200, 3_000]) {
    load.clock.advanceMs(ms);
    transport!.reply('$1\r\nx\r\n');
  }
  load.result();
  assert.equal(
    load.seconds.map(({ second, commands, bytesIn }) => [second, commands, bytesIn]),
    [
      [0, 2, 14],
      [3, 1, 7],
    ],
  );
  const [, last] = load.seconds;
  assert.is(last!.bytesOut > 0, true);
});

engines('a lost connection ends its part, and the load when it was the last', () => {
  const load = new Load({ connections: 2, pipeline: 2, requests: 100 });
  const [first, second] = load.transports;
  first!.events!.closed();
  assert.is(load.engine.isDone, false);
  second!.reply(NIL.repeat(2));
  second!.reply('?');
  second!.reply('\r\n');
  assert.is(load.engine.isDone, true);
  const result = load.result();
  assert.is(result.connectionsLost, 2);
  assert.is(result.unanswered, 4);
  assert.is(result.commands[0]!.commands, 2);
  assert.match(result.lossReasons.join(), /connection reset,malformed reply: unknown form "\?"/);
});

engines('a reply that nobody asked for ends the connection', () => {
  const load = new Load({ requests: 1 });
  load.transports[0]!.reply(NIL + NIL);
  assert.equal(load.result().lossReasons, ['a reply without a request']);
});

engines('a refusal of the server is the reason for which a connection is lost', () => {
  const load = new Load({ rate: 1, requests: 5 });
  load.pass(1);
  load.transports[0]!.reply(NIL);
  load.transports[0]!.reply('-ERR max number of clients reached\r\n');
  assert.equal(load.result().lossReasons, ['ERR max number of clients reached']);
});

engines('after its end a load sleeps until it gives up', () => {
  const load = new Load({ rate: 10, seconds: 1, connections: 20 });
  load.pass(1_000_000);
  assert.is(load.engine.isDone, false, 'replies are missing');
  load.pass(1);
  assert.ok(load.engine.waitUs > 9_000_000, `it wakes in ${load.engine.waitUs} us`);
});

engines('a load by number of requests gives up a server that has not replied for a minute', () => {
  const load = new Load({ requests: 5 });
  load.clock.advanceUs(59_000_000);
  load.transports[0]!.reply(NIL);
  load.clock.advanceUs(59_999_999);
  assert.is(load.engine.isDone, false);
  load.clock.advanceUs(1);
  assert.is(load.engine.isDone, true);
  assert.is(load.result().unanswered, 1);
});

engines('output that the kernel does not take stays in order', () => {
  const load = new Load({ pipeline: 2, requests: 6 });
  const [transport] = load.transports;
  transport!.outcome = 'kept';
  transport!.reply(NIL + NIL);
  assert.is(transport!.commands, 4);
  // Replies come while the write is kept: the next batch waits for its end.
  transport!.reply(NIL + NIL);
  assert.is(transport!.commands, 4);
  transport!.outcome = 'done';
  transport!.sink.onWritten(false);
  assert.is(transport!.commands, 6);
  const keys = [...transport!.input.matchAll(/key:(\d+)/g)].map(([, digits]) => Number(digits));
  assert.equal(keys, [0, 1, 2, 3, 4, 5]);
});

const NODES: readonly NodeSlots[] = [
  { host: 'a', port: 1, ranges: [[0, 8_191]] },
  { host: 'b', port: 2, ranges: [[8_192, 16_383]] },
];

engines('in a cluster each key goes to its node, and MOVED is followed and remembered', () => {
  const load = new Load({ requests: 40, pipeline: 40 }, NODES);
  const [a, b] = load.transports;
  assert.is(a!.commands + b!.commands, 40);
  assert.ok(a!.commands > 5 && b!.commands > 5);
  const before = b!.commands;
  const key = /key:\d+/.exec(a!.input)![0];
  a!.reply('-MOVED 5 b:2\r\n');
  assert.is(b!.commands, before + 1);
  assert.ok(b!.input.endsWith(`${key}\r\n`), 'it is the same key');
  a!.reply(NIL.repeat(a!.commands - 1));
  b!.reply(NIL.repeat(b!.commands));
  assert.is(load.engine.isDone, true);
  const result = load.result();
  assert.is(result.moved, 1);
  assert.is(result.commands[0]!.commands, 40);
  assert.equal(result.errors, {});
});

engines('ASK is followed to a node that was unknown, with ASKING before', () => {
  const load = new Load({ requests: 1 }, NODES);
  const asked = load.transports.find(({ commands }) => commands === 1)!;
  asked.reply('-ASK 5 c:3\r\n');
  assert.equal(load.opened, [[0, 2]]);
  load.open();
  const target = load.transports.at(-1)!;
  assert.match(target.input, /^\*1\r\n\$6\r\nASKING\r\n\*2\r\n\$3\r\nGET/);
  target.reply(`+OK\r\n${NIL}`);
  assert.is(load.engine.isDone, true);
  const result = load.result();
  assert.equal([result.asked, result.commands[0]!.commands], [1, 1]);
});

engines('without --cluster a MOVED is an error like others', () => {
  const load = new Load({ requests: 1 });
  load.transports[0]!.reply('-MOVED 5 b:2\r\n');
  assert.equal(load.result().errors, { MOVED: 1 });
});

engines('the same seed sends the same commands', () => {
  const inputOf = (seed: number): string => {
    const mix = readMix('get:2,set:1,zadd:1', { prefix: '', elements: 10 });
    const load = new Load({
      commands: mix,
      order: { kind: 'zipf', exponent: 0.9 },
      sizes: readValueSizes('1-50'),
      pipeline: 50,
      requests: 50,
      seed,
    });
    return load.transports[0]!.input;
  };
  assert.is(inputOf(4), inputOf(4));
  assert.is.not(inputOf(4), inputOf(5));
});

engines.run();
