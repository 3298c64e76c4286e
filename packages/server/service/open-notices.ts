/** Opens the way to the service manager: its socket, or the program `systemd-notify` where that cannot be used. */

import { execFile } from 'node:child_process';
import { systemClock } from '#base';
import { type ConfigWarning, readServiceManager } from '#config';
import { openUnixDatagrams } from '#net';
import { type SendNotice, ServiceNotices } from './service-notices.ts';

const PROGRAM = 'systemd-notify';

/** Returns notices that do nothing where no manager awaits any. `missing` gets a warning if the socket cannot be used. */
export async function openServiceNotices(
  missing: (warning: ConfigWarning) => void,
): Promise<ServiceNotices> {
  const manager = readServiceManager();
  if (manager === undefined) return new ServiceNotices(undefined, undefined, systemClock);
  const send = await senderTo(manager.socket, missing);
  return new ServiceNotices(send, manager.watchdogMs, systemClock);
}

async function senderTo(
  socket: string,
  missing: (warning: ConfigWarning) => void,
): Promise<SendNotice> {
  try {
    const send = await openUnixDatagrams(socket);
    return (text) => {
      send(Buffer.from(text));
    };
  } catch (error) {
    const hasProgram = await isThere(PROGRAM);
    missing({
      event: 'service-socket-missing',
      severity: hasProgram ? 'warn' : 'error',
      message: `The socket of the service manager cannot be used (${(error as Error).message}): ${
        hasProgram
          ? `${PROGRAM} reports to it, which needs NotifyAccess=all`
          : `without ${PROGRAM} it gets no notices, and Type=notify fails: use Type=exec without WatchdogSec`
      }`,
    });
    return hasProgram ? sendByProgram : () => undefined;
  }
}

function isThere(program: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], (error) => {
      resolve(error === null);
    });
  });
}

/** A failure has no further effect than that of a lost datagram. */
function sendByProgram(text: string): void {
  execFile(PROGRAM, text.split('\n'), () => undefined);
}
