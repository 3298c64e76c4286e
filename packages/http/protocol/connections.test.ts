import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Connections } from './connections.ts';

const connections = suite('HTTP connections');

const MOST = 64;

class FakeSocket extends EventEmitter {
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/** Connections of a server that is none; sockets are opened, and ask, when the test says so. */
class Scene {
  readonly server = new EventEmitter();
  readonly connections = new Connections(this.server as Server);
  readonly sockets: FakeSocket[] = [];

  open(count = 1): void {
    for (let nth = 0; nth < count; nth += 1) {
      const socket = new FakeSocket();
      this.sockets.push(socket);
      this.server.emit('connection', socket);
    }
  }

  /** Begins a request of the socket; what comes back ends it. */
  ask(index: number): () => void {
    const response = new EventEmitter();
    this.server.emit('request', { socket: this.sockets[index] }, response);
    return () => response.emit('close');
  }

  get closed(): number[] {
    return [...this.sockets.keys()].filter((index) => this.sockets[index]!.destroyed);
  }
}

connections('who has asked nothing for longest makes room first', () => {
  const scene = new Scene();
  scene.open(MOST);
  scene.ask(0);
  scene.ask(2)();
  scene.open(2);
  assert.equal(scene.closed, [1, 3]);
  scene.open(MOST - 3);
  assert.equal(scene.closed.includes(2), true, 'then who has ended a request');
  assert.equal(scene.closed.includes(0), false);
  assert.is(scene.connections.count, MOST);
});

connections('then who has been at a request for longest', () => {
  const scene = new Scene();
  scene.open(MOST);
  const ends = [...scene.sockets.keys()].map((index) => scene.ask(index));
  // A second request of the same socket makes it no younger; one begun anew does.
  scene.ask(0);
  ends[1]!();
  scene.ask(1);
  scene.open(1);
  assert.equal(scene.closed, [0]);
  // Those that have come since have asked nothing yet, and do not go before the old ones.
  scene.open(1);
  assert.equal(scene.closed, [0, 2]);
  ends[0]!();
  assert.is(scene.connections.count, MOST);
  assert.is(scene.connections.refused, 2);
});

connections.run();
