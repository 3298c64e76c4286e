/** One client: its state, buffers and properties. */

import type { JSX } from 'preact';
import type { ClientEntry } from '../../../model/api.ts';
import { flagWords, stateOf } from '../../../model/activity/client-words.ts';
import { visible } from '../../../model/escape.ts';
import { age, bytes, count, exactTime, NONE, rate, whole } from '../../../model/format.ts';
import { Detail } from '../../detail.tsx';
import { Fact } from '../../parts.tsx';
import type { Rates } from '../../rates.ts';

interface ClientDetailProps {
  readonly client: ClientEntry;
  readonly rates: Rates;
  readonly close: () => void;
}

export function ClientDetail({ client, rates, close }: ClientDetailProps): JSX.Element {
  return (
    <Detail title={`Client #${client.id}`} close={close}>
      <p class="prose">
        <code>{visible(client.addr)}</code>{' '}
        {client.name !== '' && <b class="mono">{visible(client.name)}</b>} {stateOf(client)}.
      </p>
      <dl class="facts">
        {factsOf(client, rates).map(([label, value, note]) => (
          <Fact key={label} label={label} value={value} note={note} />
        ))}
      </dl>
    </Detail>
  );
}

function factsOf(
  client: ClientEntry,
  rates: Rates,
): readonly (readonly [label: string, value: string, note?: string])[] {
  const { blocked, queued_commands: queued } = client;
  const library = `${client.lib_name} ${client.lib_ver}`.trim();
  return [
    ['Rate', rate(rates.get(String(client.id))), `${count(client.commands_total)} commands`],
    ['Last command', client.last_command ?? NONE, `idle ${age(client.idle_secs)}`],
    [
      'Blocked since',
      exactTime(blocked?.since_time_ms),
      blocked === null ? 'not blocked' : blocked.by,
    ],
    ['Commands without reply', whole(client.pending_commands)],
    ['Input buffer', bytes(client.query_buffer_bytes), `${bytes(client.bytes_recv)} received`],
    ['Unsent replies', bytes(client.output_buffer_bytes), `${bytes(client.bytes_sent)} sent`],
    ['Memory', bytes(client.memory_bytes), `${bytes(client.multi_buffer_bytes)} queued by MULTI`],
    ['Transaction', queued === null ? 'none' : `${whole(queued)} queued`],
    ['Watched keys', whole(client.watched_keys)],
    ['Subscriptions', whole(client.subscriptions)],
    ['User', visible(client.user), `database ${client.db}`],
    ['Library', library === '' ? NONE : visible(library), `RESP${client.resp}`],
    ['Flags', flagWords(client.flags) || 'none', `CLIENT LIST: ${client.flags}`],
    ['TLS', client.tls ?? 'no', `connected for ${age(client.age_secs)}`],
  ];
}
