// SPDX-License-Identifier: Apache-2.0

import { Link } from 'wouter';
import { useRecentUploads } from '../../api/queries';
import { CopyButton } from '../../components/Copy';
import { Section } from '../../components/Section';
import { decimal } from '../../plots/number';
import { size } from './tally';

const SHOWN = 10;

/** What this server took in lately, whoever sent it. */
export function RecentUploads() {
  const recent = useRecentUploads(SHOWN);
  if (!recent.data?.length) return null;
  return (
    <Section title="Latest on this server" className="recent">
      <table className="list">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Experiment</th>
            <th scope="col" className="n">
              Runs
            </th>
            <th scope="col" className="n">
              Size
            </th>
            <th scope="col">SHA-256</th>
          </tr>
        </thead>
        <tbody>
          {recent.data.map(({ sha256, filename, experiment, run_count, bytes }) => (
            <tr key={sha256}>
              <td className="file">{filename}</td>
              <td>
                <Link href={`/explorer/${experiment.slug}`}>{experiment.title}</Link>
              </td>
              <td className="n">{decimal(run_count, 0)}</td>
              <td className="n">{size(bytes)}</td>
              <td>
                <code>{sha256.slice(0, 12)}</code> <CopyButton text={sha256} of={`SHA-256 of ${filename}`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
