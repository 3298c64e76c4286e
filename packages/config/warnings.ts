import type { ConfigWarning } from './config-warning.ts';
import type { Settings } from './runtime.ts';

/** True when an address is reachable only from this machine. */
function isLoopback(address: string): boolean {
  return /^-?(127\.|::1$|\[::1\]$|localhost$)/i.test(address);
}

/** Returns the warnings that a configuration deserves, the worst first. */
export function warningsOf(settings: Settings): ConfigWarning[] {
  return [...httpWarnings(settings), ...clientWarnings(settings), ...otherWarnings(settings)].sort(
    (one, other) => Number(other.severity === 'error') - Number(one.severity === 'error'),
  );
}

function httpWarnings(settings: Settings): ConfigWarning[] {
  const bind = settings.string('http.bind');
  if (!settings.boolean('http.enabled') || isLoopback(bind)) return [];
  if (settings.string('http.token') === '') {
    return [
      {
        event: 'http-open-to-the-network',
        severity: 'error',
        message: `http.bind is ${bind} and there is no http.token: every client that reaches it can read the debug pages and shut the server down.`,
      },
    ];
  }
  if (settings.boolean('http.tls')) return [];
  return [
    {
      event: 'http-token-in-plaintext',
      severity: 'warn',
      message: `http.bind is ${bind}: the token travels over the network in plaintext unless http.tls is on or a TLS proxy stands in front.`,
    },
  ];
}

function clientWarnings(settings: Settings): ConfigWarning[] {
  const open = settings.list('server.bind').filter((address) => !isLoopback(address));
  if (open.length === 0 || settings.string('security.requirepass') !== '') return [];
  const isProtected = settings.boolean('security.protected-mode');
  return [
    {
      event: 'no-password',
      severity: isProtected ? 'warn' : 'error',
      message: isProtected
        ? `server.bind is ${open.join(' ')} without a password: protected mode refuses every client of another machine.`
        : `server.bind is ${open.join(' ')} without a password or protected mode: every client that reaches it can read and change the data.`,
    },
  ];
}

function otherWarnings(settings: Settings): ConfigWarning[] {
  const warnings: ConfigWarning[] = [];
  const warn = (event: string, message: string): void => {
    warnings.push({ event, severity: 'warn', message });
  };
  if (
    settings.isSet('logging.rotation.frequency') ||
    settings.isSet('logging.rotation.max-size-mb')
  ) {
    if (settings.string('logging.file-path') === '') {
      warn('rotation-without-file', '[logging.rotation] has no effect without logging.file-path');
    }
  }
  if (
    settings.isSet('logging.rotation.max-files') &&
    settings.string('logging.file-path') !== '' &&
    settings.number('logging.rotation.max-size-mb') === 0 &&
    settings.string('logging.rotation.frequency') === 'never'
  ) {
    warn(
      'rotation-never',
      'logging.rotation.max-files has no effect: neither max-size-mb nor frequency starts a new file',
    );
  }
  const lagWarning = settings.number('status.durability-lag-warning-ms');
  if (lagWarning > settings.number('status.durability-lag-critical-ms')) {
    warn(
      'durability-lag-order',
      'status.durability-lag-warning-ms is above status.durability-lag-critical-ms',
    );
  }
  if (!isReachable(settings)) {
    warn('no-listener', 'There is neither an address nor a unix socket to listen on');
  }
  return warnings;
}

function isReachable(settings: Settings): boolean {
  if (settings.string('server.unix-socket') !== '') return true;
  const hasPort = settings.number('server.port') > 0 || settings.boolean('tls.enabled');
  return hasPort && settings.list('server.bind').length > 0;
}
