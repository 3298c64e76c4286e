/** Programs that tests share: started when a test first asks for them, ended with the run. */

import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EtcdMember, programOrNone, type ServiceName, SERVICES_VARIABLE } from '#testkit';

/** A program that runs. */
interface Service {
  readonly endpoint: string;
  stop(): void;
}

const starters: Readonly<Record<ServiceName, () => Promise<Service>>> = {
  etcd: startEtcd,
  browser: startBrowser,
};

/** Socket at which tests ask for services. */
export class Services {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'svc-services-'));
  readonly #started = new Map<ServiceName, Promise<Service>>();
  readonly #server = net.createServer({ allowHalfOpen: true }, (socket) => {
    this.#serve(socket);
  });

  static async open(): Promise<Services> {
    const services = new Services();
    await new Promise<void>((resolve, reject) => {
      services.#server.once('error', reject).listen(services.#place, resolve);
    });
    services.#server.unref();
    return services;
  }

  get #place(): string {
    return path.join(this.#folder, 'socket');
  }

  /** Variables by which test processes find the socket. */
  get environment(): Readonly<Record<string, string>> {
    return { [SERVICES_VARIABLE]: this.#place };
  }

  /** Ends what was started. */
  close(): void {
    this.#server.close();
    for (const starting of this.#started.values()) {
      starting.then((service) => service.stop()).catch(() => undefined);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #serve(socket: net.Socket): void {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.on('data', (piece: string) => (text += piece));
    socket.on('end', () => {
      this.#answer(text.trim()).then(
        (endpoint) => socket.end(endpoint),
        (error: unknown) => socket.end(`error ${(error as Error).message}`),
      );
    });
  }

  async #answer(name: string): Promise<string> {
    if (!isServiceName(name)) throw new Error('no such service');
    const starting = this.#started.get(name) ?? starters[name]();
    this.#started.set(name, starting);
    return (await starting).endpoint;
  }
}

function isServiceName(name: string): name is ServiceName {
  return Object.hasOwn(starters, name);
}

async function startEtcd(): Promise<Service> {
  const [member] = (await EtcdMember.make(1)) as [EtcdMember];
  await member.start([member]);
  return {
    endpoint: `127.0.0.1:${member.port}`,
    stop: () => {
      void member.remove();
    },
  };
}

async function startBrowser(): Promise<Service> {
  // Loaded by runs that need it alone.
  const { chromium } = await import('playwright-core');
  const server = await chromium.launchServer({
    executablePath: programOrNone('chromium') ?? 'chromium',
    args: ['--no-sandbox'],
  });
  return {
    endpoint: server.wsEndpoint(),
    stop: () => {
      server.process().kill('SIGKILL');
    },
  };
}
