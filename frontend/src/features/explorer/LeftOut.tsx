// SPDX-License-Identifier: Apache-2.0
import { Link } from 'wouter';
import { Notice } from '../../components/Notice';

/** Says so whenever runs are left out of what is shown. */
export function LeftOut(props: { asked: readonly string[]; known: readonly string[]; putBack: () => void }) {
  const { asked, known, putBack } = props;
  const strange = asked.length - known.length;
  if (known.length === 0)
    return (
      <Notice tone="plain" title="No runs are excluded from this view" action={{ label: 'Clear', onClick: putBack }}>
        The address leaves out {strange === 1 ? 'a run that does' : `${strange} runs that do`} not count here anyway.
      </Notice>
    );
  return (
    <Notice
      tone="warn"
      title={`${known.length} ${known.length === 1 ? 'run is' : 'runs are'} left out of this view`}
      action={{ label: 'Include again', onClick: putBack }}
    >
      {known.map((id, k) => (
        <span key={id}>
          {k > 0 && ', '}
          <Link href={`/runs/${id}`}>{id.slice(0, 8)}</Link>
        </span>
      ))}
      . Means, intervals and the fit are of the other runs. Nothing is deleted.
      {strange > 0 && ` ${strange} more ${strange === 1 ? 'does' : 'do'} not count here anyway.`}
    </Notice>
  );
}
