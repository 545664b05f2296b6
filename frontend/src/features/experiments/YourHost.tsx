// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../components/Copy';
import { Kind } from '../../components/Kind';
import { addressOf } from '../../state/address';

/** The two commands that fill a row of the table: record while a workload runs, then send the log here. */
function commands(): string[] {
  return [
    'coalescope-logger -i eth1 -e my-host -f mtu_bytes=1500 -o run-01.runlog -- iperf3 -s -1 -J',
    `coalescope upload run-01.runlog --server ${addressOf('/').replace(/\/$/, '')}`,
  ];
}

/** A command whose lines end between its words: without this, they end at a hyphen, too. */
const unbroken = (command: string): ReactNode[] =>
  command.split(' ').flatMap((word, i) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of one command
    const whole = <span key={i}>{word}</span>;
    return i === 0 ? [whole] : [' ', whole];
  });

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
        {commands().map((command) => (
          <div key={command} className="command">
            <code>{unbroken(command)}</code>
            <CopyButton text={command} of={command} />
          </div>
        ))}
      </td>
    </tr>
  );
}
