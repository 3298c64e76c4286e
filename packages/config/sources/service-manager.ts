/** The variables that a service manager such as systemd sets for a service of `Type=notify`. Source: sd_notify(3). */

interface ServiceManager {
  /** Path of a datagram socket; one that begins with `@` is in the abstract namespace. */
  readonly socket: string;
  /** Time in which it expects a sign of life; undefined if it expects none from this process. */
  readonly watchdogMs: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns what the manager of this process wants; undefined if there is none. */
export function readServiceManager(
  environment: Environment = process.env,
  pid = process.pid,
): ServiceManager | undefined {
  const socket = environment['NOTIFY_SOCKET'] ?? '';
  // Other kinds of addresses (vsock) are those of virtual machines.
  if (!/^[/@]./.test(socket)) return undefined;
  const watchdogUs = Number(environment['WATCHDOG_USEC'] ?? 0);
  const owner = environment['WATCHDOG_PID'] ?? '';
  // A parent's watchdog is in the environment too.
  const isOurs = owner === '' || Number(owner) === pid;
  return { socket, watchdogMs: isOurs && watchdogUs > 0 ? watchdogUs / 1_000 : undefined };
}
