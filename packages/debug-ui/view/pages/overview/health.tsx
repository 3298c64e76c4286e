/** Issues of health, and what limits the server now: each with its age, and a link to its object. */

import type { JSX } from 'preact';
import type { Health, HealthIssue, LimitFinding } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { age } from '../../../model/format.ts';
import { addressOf } from '../../address.ts';
import { wallMs } from '../../browser.ts';
import { Badge } from '../../parts.tsx';

export function HealthReport({ health }: { readonly health: Health | undefined }): JSX.Element {
  return (
    <>
      <Issues issues={health?.issues ?? []} />
      <Limits limits={health?.limited_by ?? []} />
    </>
  );
}

function Issues({ issues }: Pick<Health, 'issues'>): JSX.Element {
  // Texts contain changing numbers: screen readers announce only new issues.
  const codes = issues.map(({ severity, code }) => `${severity} ${code}`).join(', ');
  return (
    <div class="health">
      <p class="unseen" role="status">
        {codes === '' ? 'No issues.' : codes}
      </p>
      {issues.map((issue) => (
        <Issue key={`${issue.code} ${issue.object}`} issue={issue} />
      ))}
      {issues.length === 0 && (
        <p class="issue good" aria-hidden="true">
          No issues.
        </p>
      )}
    </div>
  );
}

function Issue({ issue }: { readonly issue: HealthIssue }): JSX.Element {
  const { severity, code, message, link, object } = issue;
  return (
    <p class={severity === 'critical' ? 'issue bad' : 'issue warn'}>
      <Badge tone={severity === 'critical' ? 'bad' : 'warn'} text={severity} /> <code>{code}</code>{' '}
      {visible(message)} <Since ms={issue.since_ms} />
      <ObjectLink link={link} object={object} /> <a href={`runbooks#${code}`}>runbook</a>
    </p>
  );
}

function Limits({ limits }: { readonly limits: readonly LimitFinding[] }): JSX.Element {
  if (limits.length === 0) return <p class="faint limits">Nothing limits the server now.</p>;
  return (
    <section class="limits" aria-label="Limited by">
      <h3>Limited by</h3>
      <ol>
        {limits.map((limit) => (
          <li key={`${limit.cause} ${limit.object}`}>
            <Badge tone="warn" text={limit.cause} /> {visible(limit.message)}{' '}
            <Since ms={limit.since_ms} />
            <ObjectLink link={limit.link} object={limit.object} />
            {limit.advice !== '' && <small class="prose">{visible(limit.advice)}</small>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The time since it began, without the time of day: it is on the clock of the server. */
function Since({ ms }: { readonly ms: number }): JSX.Element {
  return <span class="faint">for {age((wallMs() - ms) / 1_000)}</span>;
}

type ObjectLinkProps = Pick<HealthIssue, 'link' | 'object'>;

function ObjectLink({ link, object }: ObjectLinkProps): JSX.Element | null {
  const address = link === null ? null : addressOf(link);
  if (address === null) return null;
  return (
    <>
      {' '}
      <a href={address}>{object === null ? 'Show' : `Show ${visible(object, 64)}`}</a>
    </>
  );
}
