// SPDX-License-Identifier: Apache-2.0
import { Link } from 'wouter';
import { CopyButton } from '../../components/Copy';
import { Kind } from '../../components/Kind';
import { addressOf } from '../../state/address';

/** What fills a row of the table, as it can be pasted in the program's folder. */
const command = () => `sudo .venv/bin/coalescope-host demo --server ${addressOf('/').replace(/\/$/, '')}`;

/** The row that is still empty, with what fills it. */
export function YourHost({ measured }: { measured: number }) {
  return (
    <tr className="own">
      <td className="nm">
        <div className="named">
          <Link className="row-link" href="/start">
            Your host
          </Link>
          <small>
            <Kind kind="measured" /> {measured ? 'Measure more, or another host' : 'Nothing measured here yet'}
          </small>
        </div>
      </td>
      <td colSpan={5} className="commands">
        <div className="command">
          <code>{command()}</code>
          <CopyButton text={command()} of={command()} />
        </div>
      </td>
    </tr>
  );
}
