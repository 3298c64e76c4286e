/** The server's executable. */

import { ConfigError, helpText, loadFromProcess, type Loaded } from '#config';
import { Server } from './server.ts';
import { VERSION } from './version.ts';

async function serve({ settings, warnings }: Loaded): Promise<void> {
  const server = new Server(settings);
  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals > 1) process.kill(process.pid, 'SIGKILL');
      void server.stop();
    });
  }
  await server.start(warnings);
}

async function main(): Promise<void> {
  const loaded = loadFromProcess();
  const { settings, action, warnings } = loaded;
  const print = (text: string): void => {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  };
  switch (action.kind) {
    case 'help':
      print(helpText);
      return;
    case 'version':
      print(`svc-server ${VERSION}`);
      return;
    case 'check-config':
      for (const { message } of warnings) print(`warning: ${message}`);
      print('the configuration holds');
      return;
    case 'print-config':
      print(settings.toToml({ hideSecrets: true }));
      return;
    case 'intrinsic-latency':
      throw new Error('--intrinsic-latency: this version has no latency test');
    case 'serve':
      await serve(loaded);
  }
}

main().catch((error: unknown) => {
  const text =
    error instanceof ConfigError || error instanceof Error ? error.message : String(error);
  process.stderr.write(`svc: ${text}\n`);
  process.exitCode = 1;
});
