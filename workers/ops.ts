/** The ops thread: takes everybody's log records, and is the only one that writes them. */

import { workerData, type MessagePort } from 'node:worker_threads';
import type { LogLevel, LogRecord } from '#base';
import type { SettingsSnapshot } from '#config';
import { LogWriter, type LogWriterOptions } from '#telemetry';

/** What the thread is started with. */
interface OpsData {
  readonly settings: SettingsSnapshot;
  readonly port: MessagePort;
}

type OpsMessage =
  | { readonly kind: 'log'; readonly records: readonly LogRecord[] }
  | { readonly kind: 'settings'; readonly settings: SettingsSnapshot }
  | { readonly kind: 'stop' };

const { settings, port } = workerData as OpsData;
const writer = new LogWriter(logOptions(settings));

port.on('message', (message: OpsMessage) => {
  switch (message.kind) {
    case 'log':
      writer.write(message.records);
      break;
    case 'settings':
      writer.setLevel(message.settings['logging.level'] as LogLevel);
      break;
    case 'stop':
      void writer.close().then(() => {
        port.postMessage({ kind: 'stopped' });
        port.close();
      });
      break;
  }
});

function logOptions(from: SettingsSnapshot): LogWriterOptions {
  const path = from['logging.file-path'];
  const file = {
    path,
    sizeMbMax: from['logging.rotation.max-size-mb'],
    frequency: from['logging.rotation.frequency'] as 'daily' | 'hourly' | 'never',
    filesMax: from['logging.rotation.max-files'],
  };
  return {
    level: from['logging.level'] as LogLevel,
    format: from['logging.format'] as LogWriterOptions['format'],
    output: from['logging.output'] as LogWriterOptions['output'],
    ...(path === '' ? {} : { file }),
  };
}
