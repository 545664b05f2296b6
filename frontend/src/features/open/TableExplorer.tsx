// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'react';
import type { Cell, Cells, Experiment } from '../../api/types';
import { Notice } from '../../components/Notice';
import { useTitle } from '../../components/title';
import type { Subject } from '../../state/subject';
import { Explorer } from '../explorer/Explorer';
import { slugOf } from '../upload/slug';

/** The explorer on a table that the server knows nothing of; without `onUpload` there is none to send it to. */
export function TableExplorer(props: {
  experiment: Experiment;
  cells: readonly Cell[];
  independence: Cells['independence'];
  onUpload?: (() => void) | undefined;
  onClose: () => void;
}) {
  const { experiment, cells, independence, onUpload, onClose } = props;
  useTitle(experiment.title);
  const subject = useMemo<Subject>(
    () => ({
      of: 'experiment',
      experiment: { ...experiment, slug: slugOf(experiment.title) },
      cells,
      independence,
      opened: true,
    }),
    [experiment, cells, independence],
  );
  return (
    <Explorer
      subject={subject}
      above={
        <div className="left-out">
          <Notice
            tone="plain"
            title="This table is in this page alone"
            {...(onUpload && { action: { label: 'Upload it', onClick: onUpload } })}
          >
            A link to the view does not carry it.{' '}
            <button type="button" className="inline" onClick={onClose}>
              Open another file
            </button>{' '}
            ·
          </Notice>
        </div>
      }
    />
  );
}
