/** Connections that speak HTTP to the command port, as a browser does that a web page has sent there. */

import type { Logger } from '#base';
import type { Client } from '#router';

/** Between two lines of the log about it. */
const QUIET_MS = 60_000;

/** Creates the function that closes such a connection immediately, without replies, even to earlier commands. */
export function closesHttp(log: Logger, wallMs: () => number): (client: Client) => void {
  let loggedMs = -Infinity;
  return (client) => {
    const nowMs = wallMs();
    if (Math.abs(nowMs - loggedMs) > QUIET_MS) {
      loggedMs = nowMs;
      // Redis' words, which rules for its logs look for.
      log.warn(
        'cross-protocol',
        'Possible SECURITY ATTACK detected. It looks like somebody is sending POST or Host: commands to Redis. ' +
          'This is likely due to an attacker attempting to use Cross Protocol Scripting to compromise your Redis ' +
          `instance. Connection from ${client.socket.remoteAddress} aborted.`,
        { addr: client.socket.remoteAddress },
      );
    }
    client.socket.destroy();
  };
}
