// SPDX-License-Identifier: Apache-2.0

import { Link } from 'wouter';
import { currentCopy } from '../api/copy';
import { useTitle } from '../components/title';

export function NotFoundPage() {
  useTitle('Not found');
  return (
    <div className="page">
      <header className="lede">
        <h1>There is no such page</h1>
        <p>
          The address leads nowhere here. Start from the <Link href="/">experiments</Link>
          {currentCopy() === null && (
            <>
              {' '}
              or <Link href="/upload">upload run logs</Link>
            </>
          )}
          .
        </p>
      </header>
    </div>
  );
}
