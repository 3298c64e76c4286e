/** The server's executable. */

import { ConfigError, loadFromProcess } from '#config';
import { Server } from './server.ts';

async function main(): Promise<void> {
  const { settings } = loadFromProcess();
  const server = new Server(settings);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      void server.stop();
    });
  }
  await server.start();
}

main().catch((error: unknown) => {
  const text = error instanceof ConfigError ? error.message : String(error);
  process.stderr.write(`svc: ${text}\n`);
  process.exitCode = 1;
});
