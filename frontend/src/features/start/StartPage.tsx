// SPDX-License-Identifier: Apache-2.0
import { Link } from 'wouter';
import { currentCopy } from '../../api/copy';
import { CopyButton } from '../../components/Copy';
import { useTitle } from '../../components/title';
import { addressOf } from '../../state/address';
import { stepsFor } from './steps';
import './start.css';

/** A published copy has no server that takes runs: the program's own serves here. */
const OWN_SERVER = 'http://127.0.0.1:8000';

/** For somebody with a network interface and no data yet. */
export function StartPage() {
  useTitle('Measure my machine');
  const server = currentCopy() ? OWN_SERVER : addressOf('/').replace(/\/$/, '');
  return (
    <div className="page start">
      <header className="lede">
        <h1>Where do I start?</h1>
        <p>
          With a Linux host and a network interface: record, sweep, and read what to set. The commands are run in the
          program’s folder.
        </p>
      </header>
      <ol>
        {stepsFor(server).map(({ title, words, commands }) => (
          <li key={title}>
            <div>
              <h2>{title}</h2>
              <p>{words}</p>
              {commands.map((command) => (
                <div key={command} className="command">
                  <code>{command}</code>
                  <CopyButton text={command} of={command} />
                </div>
              ))}
            </div>
          </li>
        ))}
      </ol>
      <p>
        Numbers that you already have need no command:{' '}
        <Link href={currentCopy() ? '/open' : '/upload'}>open a table</Link>. What coalescing does, step by step:{' '}
        <Link href="/how-it-works">How it works</Link>.
      </p>
    </div>
  );
}
