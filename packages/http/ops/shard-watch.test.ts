import { Page, Phase, THREAD_SHAPE } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClientName, type RunningCommand, ShardWatch } from './shard-watch.ts';

const watching = suite('shard watch');

const SECOND_US = 1_000_000;
const CLIENT = { conn_id: 7, addr: '127.0.0.1:5', client_name: 'job', user: 'default' };

function newPage(): Page {
  return new Page(THREAD_SHAPE, new SharedArrayBuffer(Page.bytes(THREAD_SHAPE)));
}

/** One shard, and the lines about it. */
class Subject {
  readonly main = newPage();
  readonly page = newPage();
  readonly lines: unknown[][] = [];
  nowUs = 100 * SECOND_US;
  #command: Omit<RunningCommand, 'elapsedUs'> | null = null;
  #sinceUs = 0;
  clientIn: (slot: number) => Promise<ClientName | null> = (slot) =>
    Promise.resolve(slot === 3 ? CLIENT : null);
  readonly watch: ShardWatch;

  constructor() {
    this.main.set('phase', Phase.ready);
    this.watch = new ShardWatch({
      main: this.main,
      shards: [this.page],
      running: (_shard, nowUs) =>
        this.#command === null ? null : { ...this.#command, elapsedUs: nowUs - this.#sinceUs },
      detailsOf: () => {
        const script = this.#command?.command === 'eval' ? 'abc' : null;
        return Promise.resolve({ key: 'k\u00e4y', script });
      },
      clientIn: (slot) => this.clientIn(slot),
      slowScriptMs: () => 5_000,
      wallMs: () => this.nowUs / 1_000,
      log: (...words) => this.lines.push(words),
    });
  }

  run(command: string): void {
    this.#command = { command, slot: 3 };
    this.#sinceUs = this.nowUs;
    this.page.set('idleSinceUs', 0);
    this.page.set('heartbeatUs', this.nowUs);
  }

  finish(): void {
    this.#command = null;
    this.page.set('idleSinceUs', this.nowUs);
  }

  async pass(seconds: number): Promise<void> {
    for (let nth = 0; nth < seconds * 4; nth += 1) {
      this.nowUs += SECOND_US / 4;
      this.watch.look(this.nowUs);
    }
    await this.watch.written();
  }
}

watching('a stuck shard is logged once with what it runs, and so is its end', async () => {
  const subject = new Subject();
  subject.run('debug|sleep');
  await subject.pass(3);
  const stuck = { shard: 0, command: 'debug|sleep', key: 'k\u00e4y', ...CLIENT, ms: 1_000 };
  const message = 'shard 0 has been running debug|sleep for 1.0 s';
  assert.equal(subject.lines, [['error', 'shard-stuck', message, stuck]]);
  subject.finish();
  await subject.pass(2);
  assert.equal(subject.lines.slice(1), [
    [
      ...['warn', 'shard-resumed', 'shard 0 resumed after about 3.3 s'],
      { shard: 0, command: 'debug|sleep', ms: 3_250 },
    ],
  ]);
});

watching('the end is logged after the begin, which waits for the name of the client', async () => {
  const subject = new Subject();
  let reply: (name: null) => void = () => undefined;
  subject.clientIn = () =>
    new Promise((resolve) => {
      reply = resolve;
    });
  subject.run('debug|sleep');
  for (let nth = 0; nth < 8; nth += 1) {
    subject.nowUs += SECOND_US / 4;
    subject.watch.look(subject.nowUs);
  }
  subject.finish();
  subject.watch.look(subject.nowUs);
  assert.equal(subject.lines, []);
  reply(null);
  await subject.watch.written();
  assert.equal(
    subject.lines.map(([, event]) => event),
    ['shard-stuck', 'shard-resumed'],
  );
});

watching('neither an idle shard nor a stopping server is logged', async () => {
  const subject = new Subject();
  subject.run('debug|sleep');
  subject.finish();
  await subject.pass(5);
  subject.page.set('idleSinceUs', 0);
  subject.main.set('phase', Phase.stopping);
  await subject.pass(5);
  assert.equal(subject.lines, []);
});

watching('a script is slow once, from its limit on', async () => {
  const subject = new Subject();
  for (let nth = 0; nth < 2; nth += 1) {
    subject.run('eval');
    subject.page.set('scriptSinceUs', subject.nowUs);
    await subject.pass(8);
    subject.page.set('scriptSinceUs', 0);
    subject.finish();
    await subject.pass(1);
  }
  const slow = subject.lines.filter(([, event]) => event === 'slow-script');
  assert.is(slow.length, 2);
  assert.equal(slow[0]!.slice(2), [
    'A script of shard 0 has been running for 5.0 s',
    {
      shard: 0,
      command: 'eval',
      key: 'k\u00e4y',
      script: 'abc',
      ...CLIENT,
      ms: 5_000,
      limit_ms: 5_000,
    },
  ]);
});

watching.run();
