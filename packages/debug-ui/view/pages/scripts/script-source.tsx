/** The source of one script, as text. */

import type { JSX } from 'preact';
import type { ScriptEntry } from '../../../model/api.ts';
import { visible, visibleSource } from '../../../model/escape.ts';
import { bytes } from '../../../model/format.ts';
import { Detail } from '../../detail.tsx';

interface ScriptSourceProps {
  readonly script: ScriptEntry;
  readonly close: () => void;
}

export function ScriptSource({ script, close }: ScriptSourceProps): JSX.Element {
  return (
    <Detail
      title={script.kind === 'function' ? 'Function' : 'Script'}
      aside={bytes(script.source_bytes)}
      close={close}
    >
      <p class="mono">{visible(script.name)}</p>
      <Source script={script} />
    </Detail>
  );
}

function Source({
  script: { kind, name, source },
}: Pick<ScriptSourceProps, 'script'>): JSX.Element {
  if (source !== null) {
    return (
      <pre class="source mono" tabIndex={0} aria-label="Source">
        {visibleSource(source)}
      </pre>
    );
  }
  if (kind === 'script') return <p class="prose">The script is no longer cached.</p>;
  const [library = ''] = name.split('.');
  return (
    <p class="prose">
      <code>FUNCTION LIST LIBRARYNAME {visible(library)} WITHCODE</code> returns its library with
      the code.
    </p>
  );
}
