import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Connections, IDLE_MAX, NEWCOMERS_MAX, REQUESTS_MAX } from './connections.ts';
import type { Socket } from 'node:net';

const connections = suite('HTTP connections');

const SECOND_MS = 1_000;

class FakeSocket extends EventEmitter {
  readonly remoteAddress = '127.0.0.1';
  readonly remotePort: number;
  destroyed = false;

  constructor(remotePort: number) {
    super();
    this.remotePort = remotePort;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/** Connections of a server that is none; sockets are opened, and ask, when the test says so. */
class Scene {
  nowMs = 0;
  readonly server = new EventEmitter();
  readonly connections = new Connections(this.server as Server, () => this.nowMs);
  readonly sockets: FakeSocket[] = [];

  open(count = 1): void {
    for (let nth = 0; nth < count; nth += 1) {
      const socket = new FakeSocket(this.sockets.length);
      this.sockets.push(socket);
      this.server.emit('connection', socket);
    }
  }

  /** Begins a request of the socket; returns what ends it, or undefined where it has no place. */
  ask(index: number): (() => void) | undefined {
    return this.connections.began(this.sockets[index] as unknown as Socket)?.ended;
  }

  get closed(): number[] {
    return [...this.sockets.keys()].filter((index) => this.sockets[index]!.destroyed);
  }
}

connections('who has asked nothing for longest makes room first', () => {
  const scene = new Scene();
  scene.open(IDLE_MAX);
  scene.nowMs += SECOND_MS;
  scene.ask(0);
  scene.ask(2)!();
  scene.open(3);
  assert.equal(scene.closed, [1, 3]);
  assert.is(scene.connections.count, IDLE_MAX + 1, 'who asks takes no place of those who do not');
});

connections('one that has just come makes room for no other, unless there are very many', () => {
  const scene = new Scene();
  scene.open(NEWCOMERS_MAX);
  assert.equal(scene.closed, []);
  scene.open(1);
  assert.equal(scene.closed, [0]);
  scene.nowMs += SECOND_MS;
  scene.open(1);
  assert.is(scene.connections.count, IDLE_MAX);
});

connections('a request takes the place of the one under way for longest, if that is long', () => {
  const scene = new Scene();
  scene.open(REQUESTS_MAX + 2);
  const ends = Array.from({ length: REQUESTS_MAX }, (_, index) => scene.ask(index)!);
  assert.is(scene.ask(REQUESTS_MAX), undefined);
  // A second request on the same socket does not reset its age; a new one starts at zero.
  scene.nowMs += SECOND_MS;
  scene.ask(0);
  ends[1]!();
  scene.ask(1);
  assert.ok(scene.ask(REQUESTS_MAX));
  assert.equal(scene.closed, [0]);
  assert.ok(scene.ask(REQUESTS_MAX + 1));
  assert.equal(scene.closed, [0, 2]);
  ends[0]!();
  assert.is(scene.connections.count, REQUESTS_MAX);
  assert.is(scene.connections.refused, 2);
});

connections.run();
