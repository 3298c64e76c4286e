/** The source of one script, as text. */

import type { ComponentChildren, JSX } from 'preact';
import type { ShownScript } from '../../../model/activity/shown-script.ts';
import { visible, visibleSource } from '../../../model/escape.ts';
import { bytes } from '../../../model/format.ts';
import { Detail } from '../../detail.tsx';

interface ScriptSourceProps {
  readonly script: ShownScript;
  readonly close: () => void;
}

export function ScriptSource({ script, close }: ScriptSourceProps): JSX.Element {
  return (
    <Detail
      title={script.kind === 'function' ? 'Function' : 'Script'}
      aside={script.sourceBytes === null ? '' : bytes(script.sourceBytes)}
      close={close}
    >
      <p class="mono">{visible(script.name)}</p>
      {script.line !== null && <p class="issue warn">It executes line {script.line} now.</p>}
      <Source script={script} />
    </Detail>
  );
}

function Source({
  script: { kind, name, source, line },
}: Pick<ScriptSourceProps, 'script'>): JSX.Element {
  if (source !== null) {
    return (
      <pre class="source mono" tabIndex={0} aria-label="Source">
        {withMark(visibleSource(source), line)}
      </pre>
    );
  }
  if (kind === 'script') return <p class="prose">The script is no longer cached.</p>;
  // Of a running function only the name without its library is known.
  if (!name.includes('.')) {
    return (
      <p class="prose">
        <code>FUNCTION LIST WITHCODE</code> returns the libraries with their code.
      </p>
    );
  }
  const [library = ''] = name.split('.');
  return (
    <p class="prose">
      <code>FUNCTION LIST LIBRARYNAME {visible(library)} WITHCODE</code> returns its library with
      the code.
    </p>
  );
}

/** The text, with the line that is executed marked. */
function withMark(source: string, line: number | null): ComponentChildren {
  const lines = source.split('\n');
  const marked = line === null ? undefined : lines[line - 1];
  if (line === null || marked === undefined) return source;
  const before = lines.slice(0, line - 1).map((each) => `${each}\n`);
  const after = lines.slice(line).map((each) => `\n${each}`);
  return [before.join(''), <mark key="line">{marked}</mark>, after.join('')];
}
