/** The link of a replica, against a primary whose every byte is the test's. */

import type { Bytes } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PrimaryPast, StreamPosition } from './primary-past.ts';
import { PrimaryLink, type Follower, type LinkSocket } from './primary-link.ts';

const link = suite('primary link');

const ID = 'a'.repeat(40);
const OTHER_ID = 'b'.repeat(40);
const MARK = `${'m'.repeat(39)}n`;

type Listener = (given?: never) => void;

const ignore = (): void => undefined;
const quiet = { info: ignore, warn: ignore, debug: ignore };

class FakeSocket implements LinkSocket {
  readonly sent: string[] = [];
  readonly #listeners = new Map<string, Listener>();
  isPaused = false;
  isDestroyed = false;

  on(event: string, listener: (given: never) => void): void {
    this.#listeners.set(event, listener as Listener);
  }

  emit(event: string, given?: unknown): void {
    this.#listeners.get(event)?.(given as never);
  }

  write(bytes: string | Bytes): void {
    this.sent.push(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString());
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  destroy(): void {
    this.isDestroyed = true;
  }

  say(text: string, pieceBytes = text.length): void {
    for (let at = 0; at < text.length; at += pieceBytes) {
      this.emit('data', Buffer.from(text.slice(at, at + pieceBytes), 'latin1'));
    }
  }

  /** Commands sent since the last look, their words joined. */
  take(): readonly string[] {
    return this.sent.splice(0).map((command) =>
      command
        .split('\r\n')
        .filter((part, nth) => nth > 0 && part !== '' && !/^\$\d+$/.test(part))
        .join(' '),
    );
  }
}

class FakeFollower implements Follower {
  mayRequestPast = false;
  position: StreamPosition | undefined;
  diskOffset: number | undefined;
  readonly reported: string[] = [];
  stream = '';
  data = '';
  mayTakeMore = true;
  end = (): Promise<void> => Promise.resolve();
  settling: Promise<void> = Promise.resolve();

  takePast(past: PrimaryPast | undefined): void {
    this.reported.push(`past ${past?.id.slice(0, 1) ?? 'not told'}`);
  }

  settled(): Promise<void> {
    return this.settling;
  }

  beginSync(position: StreamPosition, bytes: number | undefined): void {
    this.data = '';
    this.reported.push(`sync ${position.id.slice(0, 1)} ${position.offset} of ${bytes ?? 'any'}`);
    this.position = position;
  }

  takeData(piece: Bytes): boolean {
    this.data += Buffer.from(piece).toString('latin1');
    return this.mayTakeMore;
  }

  endSync(): Promise<void> {
    this.reported.push('end');
    return this.end();
  }

  goOn(id: string | undefined): void {
    this.reported.push(`go on ${id?.slice(0, 1) ?? 'as before'}`);
  }

  beginStream(): void {
    this.reported.push('stream');
  }

  takeStream(piece: Bytes): void {
    this.stream += Buffer.from(piece).toString('latin1');
  }

  broken(reason: string): void {
    this.reported.push(`broken: ${reason}`);
  }
}

interface Fixture {
  readonly link: PrimaryLink;
  readonly follower: FakeFollower;
  readonly sockets: FakeSocket[];
  readonly clock: { ms: number };
  /** Hands over, while `isOn`; and what was answered then. */
  readonly handing: { isOn: boolean; readonly answers: boolean[] };
  readonly socket: FakeSocket;
}

function linked(
  announced: { ip?: string; user?: string; password?: string } = {},
  mayRequestPast = false,
): Fixture {
  const follower = new FakeFollower();
  follower.mayRequestPast = mayRequestPast;
  const sockets: FakeSocket[] = [];
  const clock = { ms: 1_000 };
  const handing = { isOn: false, answers: [] as boolean[] };
  const made = new PrimaryLink({
    host: 'primary',
    port: 6379,
    connect: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    follower,
    isHandingOver: () => handing.isOn,
    answered: (isAccepted) => {
      handing.answers.push(isAccepted);
    },
    announced: () => ({
      port: 7000,
      ip: '',
      user: '',
      password: '',
      version: '7.4.1',
      ...announced,
    }),
    timeoutMs: () => 60_000,
    nowMs: () => clock.ms,
    changed: ignore,
    received: ignore,
    log: quiet,
  });
  made.start();
  sockets[0]!.emit('connect');
  return { link: made, follower, sockets, clock, handing, socket: sockets[0]! };
}

/** Replies to the requests before PSYNC. */
function shakeHands({ socket }: Pick<Fixture, 'socket'>): void {
  assert.equal(socket.take(), ['PING']);
  socket.say('+PONG\r\n');
  assert.equal(socket.take(), ['REPLCONF listening-port 7000']);
  socket.say('+OK\r\n');
  assert.equal(socket.take(), ['REPLCONF capa eof capa psync2 capa svc-stamps']);
  socket.say('+OK\r\n');
  assert.equal(socket.take(), ['REPLCONF version 7.4.1']);
  socket.say('-ERR Unrecognized REPLCONF option: version\r\n');
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

for (const [form, head, tail] of [
  ['of a told length', '$9\r\n', ''],
  ['up to a mark', `$EOF:${MARK}\r\n`, MARK],
] as const) {
  for (const pieceBytes of [1, 2, 7, 1_000]) {
    link(
      `data ${form} in pieces of ${pieceBytes} are taken whole, and the stream behind`,
      async () => {
        const fixture = linked();
        const { follower, socket } = fixture;
        shakeHands(fixture);
        assert.equal(socket.take(), ['PSYNC ? -1']);
        assert.is(fixture.link.state, 'handshake');
        socket.say(`+FULLRESYNC ${ID} 100\r\n\n\n${head}`, pieceBytes);
        assert.is(fixture.link.state, 'sync');
        socket.say(`REDIS\r\nmm${tail}`, pieceBytes);
        assert.is(follower.data, 'REDIS\r\nmm');
        await turn();
        assert.is(fixture.link.state, 'connected');
        assert.equal(socket.take(), ['REPLCONF ACK 100']);
        socket.say('*1\r\n$4\r\nPING\r\n', pieceBytes);
        assert.is(follower.stream, '*1\r\n$4\r\nPING\r\n');
        assert.equal(follower.reported, [
          `sync a 100 of ${tail === '' ? 9 : 'any'}`,
          'end',
          'stream',
        ]);
      },
    );
  }
}

for (const [answer, isAccepted] of [
  [`+CONTINUE ${ID}`, true],
  [`+FULLRESYNC ${ID} 100`, true],
  ["-ERR PSYNC FAILOVER can't be sent to a master.", false],
  ["-NOMASTERLINK Can't SYNC while failing over", false],
] as const) {
  link(`who hands over hears whether the other is the primary now: ${answer.slice(0, 12)}`, () => {
    const fixture = linked();
    const { follower, handing, socket } = fixture;
    follower.position = { id: ID, offset: 7 };
    handing.isOn = true;
    shakeHands(fixture);
    assert.equal(socket.take(), [`PSYNC ${ID} 8 FAILOVER`]);
    socket.say(`${answer}\r\n`);
    assert.equal(handing.answers, [isAccepted]);
  });
}

link('what comes of the stream before the data are in place waits', async () => {
  const fixture = linked();
  const { follower, socket } = fixture;
  let done = (): void => undefined;
  follower.end = () => new Promise((resolve) => (done = resolve));
  shakeHands(fixture);
  socket.say(`+FULLRESYNC ${ID} 0\r\n$2\r\nabSTREAM`);
  const bytes = fixture.link.bytesReceived;
  assert.is(follower.stream, '');
  assert.ok(socket.isPaused);
  socket.take();
  fixture.clock.ms += 120_000;
  fixture.link.tick();
  assert.equal(socket.sent, ['\n'], 'the primary hears that the replica lives');
  assert.is(fixture.link.state, 'sync', 'nothing is read, so nothing is missed');
  done();
  await turn();
  assert.is(follower.stream, 'STREAM');
  assert.not(socket.isPaused);
  assert.is(fixture.link.bytesReceived, bytes, 'each byte is counted once');
});

link('a follower that takes no more data pauses the link', () => {
  const fixture = linked();
  const { follower, socket } = fixture;
  shakeHands(fixture);
  socket.say(`+FULLRESYNC ${ID} 0\r\n$4\r\n`);
  follower.mayTakeMore = false;
  socket.say('ab');
  assert.ok(socket.isPaused);
  fixture.link.resume();
  assert.not(socket.isPaused);
});

link('data that cannot be used break the link', async () => {
  const fixture = linked();
  fixture.follower.end = () => Promise.reject(new Error('no value'));
  shakeHands(fixture);
  fixture.socket.say(`+FULLRESYNC ${ID} 0\r\n$2\r\nab`);
  await turn();
  assert.ok(fixture.socket.isDestroyed);
  assert.is(fixture.link.lastFailure, 'no value');
  assert.is(fixture.link.state, 'connect');
});

link('a link goes on where the follower is, with the id that the primary has now', async () => {
  const fixture = linked();
  const { follower, sockets } = fixture;
  follower.position = { id: ID, offset: 41 };
  let settle = (): void => undefined;
  follower.settling = new Promise((resolve) => (settle = resolve));
  fixture.socket.emit('close');
  await turn();
  fixture.link.tick();
  assert.is(sockets.length, 1, 'not before all that came is applied');
  settle();
  await turn();
  fixture.link.tick();
  assert.is(sockets.length, 2);
  const socket = sockets[1]!;
  socket.emit('connect');
  shakeHands({ socket });
  assert.equal(socket.take(), [`PSYNC ${ID} 42`]);
  socket.say(`+CONTINUE ${OTHER_ID}\r\nSET`);
  assert.is(follower.stream, 'SET');
  assert.equal(follower.reported.slice(1), ['go on b', 'stream']);
});

link('tells how far the stream is on disk, where it is kept', async () => {
  const fixture = linked();
  shakeHands(fixture);
  fixture.socket.say(`+FULLRESYNC ${ID} 7\r\n$1\r\na`);
  await turn();
  fixture.socket.take();
  fixture.follower.diskOffset = 5;
  fixture.link.tick();
  assert.equal(fixture.socket.take(), ['REPLCONF ACK 7 FACK 5']);
});

link('a login comes behind PING, which may be refused before it', () => {
  for (const [given, sent] of [
    [{ password: 'secret' }, 'AUTH secret'],
    [{ user: 'repl', password: 'secret' }, 'AUTH repl secret'],
  ] as const) {
    const { socket, link: made } = linked(given);
    socket.take();
    socket.say('-NOAUTH Authentication required.\r\n');
    assert.equal(socket.take(), [sent]);
    socket.say('-WRONGPASS invalid username-password pair or user is disabled.\r\n');
    assert.match(made.lastFailure, 'replied to AUTH with: WRONGPASS');
    assert.not.match(made.lastFailure, 'secret');
  }
});

link('a follower that has something to lose learns of the past of the primary first', () => {
  const lines = [`master_replid:${ID}`, `master_replid2:${OTHER_ID}`];
  const reported = [...lines, 'master_repl_offset:9', 'second_repl_offset:5', ''].join('\r\n');
  for (const [answer, past] of [
    [`$${reported.length}\r\n${reported}\r\n`, 'past a'],
    ['$0\r\n\r\n', 'past not told'],
    ["-NOPERM User repl has no permissions to run the 'info' command\r\n", 'past not told'],
  ] as const) {
    const fixture = linked({}, true);
    shakeHands(fixture);
    assert.equal(fixture.socket.take(), ['INFO replication']);
    fixture.socket.say(answer, 7);
    assert.equal(fixture.follower.reported, [past]);
    assert.equal(fixture.socket.take(), ['PSYNC ? -1']);
  }
});

link('an address is told where one is set', () => {
  const { socket } = linked({ ip: '10.0.0.1' });
  socket.say('+PONG\r\n+OK\r\n');
  assert.is(socket.take().at(-1), 'REPLCONF ip-address 10.0.0.1');
});

for (const [answer, reason] of [
  ['-ERR unknown command', 'replied to PSYNC with: -ERR unknown command'],
  ["-NOMASTERLINK Can't SYNC while not connected with my master", 'cannot serve replicas now'],
  ['+FULLRESYNC short 1', 'replied to PSYNC with: +FULLRESYNC short 1'],
  [`+FULLRESYNC ${ID} 1\r\nHELLO`, 'sent "HELLO" instead of its data'],
  [`+FULLRESYNC ${ID} 1\r\n$-1`, 'sent "$-1" instead of its data'],
  [`+${'x'.repeat(9_000)}`, 'an invalid reply: a line of more than 8192 bytes'],
  ['HTTP/1.1 400 Bad Request', 'an invalid reply: unknown form "HTTP/1.1 400 Bad Request"'],
] as const) {
  link(`breaks off at ${answer.slice(0, 30)}`, () => {
    const fixture = linked();
    shakeHands(fixture);
    fixture.socket.say(`${answer}\r\n`);
    assert.match(fixture.link.lastFailure, reason);
    assert.ok(fixture.socket.isDestroyed);
  });
}

link('a primary that says nothing for too long is left', async () => {
  const fixture = linked();
  fixture.clock.ms += 60_000;
  fixture.link.tick();
  assert.not(fixture.socket.isDestroyed);
  fixture.clock.ms += 1;
  fixture.link.tick();
  assert.ok(fixture.socket.isDestroyed);
  assert.match(fixture.link.lastFailure, 'nothing received from the primary for 60000 ms');
  await turn();
  assert.is(fixture.link.state, 'connect');
});

link('a link that was stopped does nothing more', async () => {
  const fixture = linked();
  fixture.link.stop();
  assert.ok(fixture.socket.isDestroyed);
  fixture.socket.say('+PONG\r\n');
  fixture.socket.emit('close');
  await turn();
  fixture.link.tick();
  assert.equal([fixture.sockets.length, fixture.follower.reported], [1, []]);
});

link.run();
