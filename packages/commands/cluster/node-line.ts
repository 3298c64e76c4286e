/** A node as a line of CLUSTER NODES. There is no bus, so its port is 0. */

import type { ClusterNodeDetails } from './ports.ts';

export function nodeLine(node: ClusterNodeDetails): string {
  const { id, host, port, hostname, primary, epoch, isPresent } = node;
  const address = `${host}:${port}@0${hostname === '' ? '' : `,${hostname}`}`;
  const link = isPresent ? 'connected' : 'disconnected';
  // Nodes do not ping each other over a bus: the PING and PONG times are 0.
  return [id, address, flagsOf(node), primary ?? '-', 0, 0, epoch, link, ...slotWords(node)].join(
    ' ',
  );
}

function flagsOf({ isMyself, primary, isPresent }: ClusterNodeDetails): string {
  return [
    ...(isMyself ? ['myself'] : []),
    primary === undefined ? 'master' : 'slave',
    ...(isPresent ? [] : ['fail']),
  ].join(',');
}

function slotWords({ slots, migrating, importing }: ClusterNodeDetails): string[] {
  return [
    ...slots.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)),
    ...migrating.map(([slot, node]) => `[${slot}->-${node}]`),
    ...importing.map(([slot, node]) => `[${slot}-<-${node}]`),
  ];
}
