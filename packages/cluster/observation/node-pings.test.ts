/** Pings measure the way to another node, and leave no connection behind. */

import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { systemClock } from '#base';
import { Settings } from '#config';
import { Certificates, pem, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NodePings } from './node-pings.ts';

const pings = suite('pings between nodes');

/** A node with prepared replies that records its clients. */
class PlayedNode {
  readonly server: Server;
  readonly sockets: Socket[] = [];
  closed = 0;

  constructor(answer: (command: string) => string | undefined) {
    this.server = createServer((socket) => {
      this.sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.closed += 1;
      });
      socket.on('data', (bytes) => {
        const text = answer(bytes.toString('latin1'));
        if (text !== undefined) socket.write(text);
      });
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((done) => {
      this.server.listen(0, '127.0.0.1', done);
    });
    return (this.server.address() as AddressInfo).port;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

function pingsTo(port: number, settings = new Settings(), isSecure = false): NodePings {
  return new NodePings({
    settings,
    clock: systemClock,
    places: () => [{ id: 'other', host: '127.0.0.1', port, isSecure }],
  });
}

pings('have their time, and the keys that the node has told', async () => {
  const node = new PlayedNode((command) => (command.includes('DBSIZE') ? ':7\r\n' : '+OK\r\n'));
  const measured = pingsTo(await node.listen());
  measured.start();
  await until(() => measured.keys('other') === 7, 'the node was pinged');
  const report = measured.report('other')!;
  assert.ok(report.last_us !== null && report.last_us > 0);
  assert.equal([report.failures, report.problem], [0, null]);
  assert.is(measured.report('unknown'), null);
  measured.stop();
  await until(() => node.closed === node.sockets.length, 'the connection is closed');
  node.stop();
});

pings('that are stopped while a connection is made leave none', async () => {
  const measured: { pings?: NodePings } = {};
  const node = new PlayedNode(() => {
    measured.pings?.stop();
    return '+OK\r\n';
  });
  measured.pings = pingsTo(await node.listen());
  measured.pings.start();
  await until(() => node.sockets.length > 0, 'it was connected to');
  await until(() => node.closed === node.sockets.length, 'the connection is closed');
  node.stop();
});

pings('of a node that cannot be reached fail, with the reason', async () => {
  const node = new PlayedNode(() => undefined);
  const port = await node.listen();
  node.stop();
  const measured = pingsTo(port);
  measured.start();
  await until(() => (measured.report('other')?.failures ?? 0) > 0, 'a ping has failed');
  const report = measured.report('other')!;
  assert.equal([report.last_us, report.problem], [null, 'connection failed']);
  measured.stop();
});

pings(
  'of a node that listens with TLS go with the certificates of links between servers',
  async () => {
    const certificates = new Certificates();
    const { authority, server: pair } = certificates;
    const server = createSecureServer(
      { cert: pem(pair.certificate), key: pem(pair.key), ca: pem(authority.certificate) },
      (socket) => {
        socket.on('error', () => undefined);
        socket.on('data', (bytes: Buffer) => {
          socket.write(bytes.includes('DBSIZE') ? ':7\r\n' : '+OK\r\n');
        });
      },
    );
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    const settings = new Settings();
    settings.configSet([
      ['tls-ca-cert-file', authority.certificate],
      ['tls-cert-file', pair.certificate],
      ['tls-key-file', pair.key],
      ['tls-replication', 'yes'],
    ]);
    const measured = pingsTo((server.address() as AddressInfo).port, settings, true);
    measured.start();
    await until(() => measured.keys('other') === 7, 'the node was pinged');
    measured.stop();
    server.close();
    certificates.remove();
  },
);

pings.run();
