/** One user: its rules in words and as they are, its limits, clients and denials. */

import type { JSX } from 'preact';
import type { Denial, UserEntry } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { bytes, counted, NONE, rate, whole } from '../../../model/format.ts';
import { Detail } from '../../detail.tsx';
import { Fact } from '../../parts.tsx';
import { Denials } from './denials.tsx';

interface UserDetailProps {
  readonly user: UserEntry;
  readonly denials: readonly Denial[];
  readonly close: () => void;
}

export function UserDetail({ user, denials, close }: UserDetailProps): JSX.Element {
  return (
    <Detail title="User" close={close}>
      <p class="mono">{visible(user.name)}</p>
      <ul class="prose">
        {user.rules_in_words.map((words) => (
          <li key={words}>{visible(words)}</li>
        ))}
      </ul>
      <pre class="source mono" tabIndex={0} aria-label="Rules">
        {visible(user.rules)}
      </pre>
      <Figures user={user} />
      <Clients user={user} />
      {denials.length > 0 && <Denials denials={denials} ofOne />}
    </Detail>
  );
}

function Figures({
  user: { limits, denied, limited },
}: Pick<UserDetailProps, 'user'>): JSX.Element {
  const { commands_per_sec: commands, bytes_per_sec: perSecond } = limits;
  return (
    <dl class="facts">
      <Fact
        label="Limit of commands"
        value={commands === null ? 'none' : rate(commands)}
        note={limited === null ? undefined : `${whole(limited.commands)} refused`}
      />
      <Fact
        label="Limit of bytes"
        value={perSecond === null ? 'none' : `${bytes(perSecond)}/s`}
        note={limited === null ? undefined : `${whole(limited.bytes)} refused`}
      />
      <Fact
        label="Denied"
        value={denied === null ? NONE : whole(denied.command + denied.key + denied.channel)}
        note={denied === null ? undefined : deniedWords(denied)}
      />
      <Fact label="Failed logins" value={denied === null ? NONE : whole(denied.auth)} />
    </dl>
  );
}

/** Denials by reason, where there were any. */
function deniedWords(denied: NonNullable<UserEntry['denied']>): string {
  return (['command', 'key', 'channel'] as const)
    .filter((reason) => denied[reason] > 0)
    .map((reason) => counted(denied[reason], reason))
    .join(', ');
}

function Clients({
  user: { name, clients, connections },
}: Pick<UserDetailProps, 'user'>): JSX.Element {
  if (clients.length === 0) return <p class="prose">No clients authenticated as this user.</p>;
  const more = (connections ?? clients.length) - clients.length;
  return (
    <p class="prose">
      <a href={`#/clients?filter=${encodeURIComponent(name)}`}>
        {counted(connections ?? clients.length, 'client')}
      </a>
      : {clients.map((id) => `#${id}`).join(', ')}
      {more > 0 && `, and ${whole(more)} more`}
    </p>
  );
}
