/** A member of an etcd as a process, which can be killed and restarted with its data. */

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { request } from '../clients/http-client.ts';
import type { Pair } from '../tls/certificates.ts';
import { until } from '../until.ts';
import { endWithTest } from './end-with-test.ts';
import { freePort } from './child-server.ts';

export interface EtcdMemberOptions {
  /** Further arguments. */
  readonly args?: readonly string[];
  /** Certificate that it has for clients, who then have to show one of that authority. */
  readonly tls?: { readonly server: Pair; readonly authority: Pair };
}

export class EtcdMember {
  readonly name: string;
  /** Port that clients are served at. */
  readonly port: number;
  readonly #peerPort: number;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'svc-etcd-'));
  readonly #options: EtcdMemberOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();

  private constructor(name: string, port: number, peerPort: number, options: EtcdMemberOptions) {
    this.#options = options;
    this.name = name;
    this.port = port;
    this.#peerPort = peerPort;
  }

  /** Makes members of one etcd on free ports; none is started yet. */
  static async make(count: number, options: EtcdMemberOptions = {}): Promise<EtcdMember[]> {
    const members: EtcdMember[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const port = await freePort();
      members.push(new EtcdMember(`member-${nth}`, port, await freePort(port), options));
    }
    return members;
  }

  get #peer(): string {
    return `http://127.0.0.1:${this.#peerPort}`;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Starts it as one of the members, and waits until it listens. */
  async start(members: readonly EtcdMember[]): Promise<void> {
    const { args = [], tls } = this.#options;
    const client = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
    const child = spawn(
      'etcd',
      [
        ...['--name', this.name, '--data-dir', path.join(this.#folder, 'data')],
        ...['--log-level', 'error'],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', this.#peer, '--initial-advertise-peer-urls', this.#peer],
        '--initial-cluster',
        members.map((member) => `${member.name}=${member.#peer}`).join(','),
        ...(tls === undefined ? [] : tlsArguments(tls)),
        ...args,
      ],
      { stdio: 'ignore' },
    );
    endWithTest(child);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.on('exit', () => {
        if (this.#child === child) this.#child = undefined;
        resolve();
      });
    });
    await until(() => listens(this.port), 'etcd listens');
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Ends it without a word; its data are kept. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** True when it leads the others, as it says itself; false also where it does not answer. */
  async leads(): Promise<boolean> {
    const asking = { method: 'POST', body: '{}' };
    try {
      const answer = await request(this.port, '/v3/maintenance/status', asking);
      const { header, leader } = answer.json() as Status;
      return leader !== undefined && leader === header?.member_id;
    } catch {
      return false;
    }
  }
}

function tlsArguments({
  server,
  authority,
}: NonNullable<EtcdMemberOptions['tls']>): readonly string[] {
  return [
    ...['--cert-file', server.certificate, '--key-file', server.key],
    ...['--trusted-ca-file', authority.certificate, '--client-cert-auth'],
  ];
}

interface Status {
  readonly header?: { readonly member_id?: string };
  readonly leader?: string;
}

async function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {
      resolve(false);
    });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
