// SPDX-License-Identifier: Apache-2.0

import { Link, Redirect } from 'wouter';
import { tryAgain } from '../../api/copy';
import { ApiError, reasonOf } from '../../api/errors';
import { useLink } from '../../api/queries';
import { LoadingLine } from '../../components/Loading';
import { Notice } from '../../components/Notice';
import { useTitle } from '../../components/title';

/** Only an address of this page is followed, never one that leads away from this server. */
export function isOwnPath(path: string): boolean {
  return /^\/(?![/\\])/.test(path) && !path.startsWith('/l/');
}

/** A short link: replaced at once by the view it stands for. */
export function LinkPage({ token }: { token: string }) {
  const link = useLink(token);
  useTitle('Short link');
  if (link.isPending) return <LoadingLine label="Looking up the link" />;
  if (link.data && isOwnPath(link.data.path)) return <Redirect to={link.data.path} replace />;
  const unknown = link.data || (link.error instanceof ApiError && link.error.status === 404);
  return (
    <div className="page">
      <header className="lede">
        <h1>{unknown ? 'This short link is not known here' : 'The link did not resolve'}</h1>
        {unknown && (
          <p>
            Short links are kept by the server that made them. Ask for the full address, or start from the{' '}
            <Link href="/">experiments</Link>.
          </p>
        )}
      </header>
      {!unknown && (
        <Notice tone="bad" title="The server did not say" {...tryAgain(link.error, () => link.refetch())}>
          {reasonOf(link.error)}
        </Notice>
      )}
    </div>
  );
}
