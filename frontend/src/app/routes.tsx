// SPDX-License-Identifier: Apache-2.0
import { lazy } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { ExperimentsPage } from '../features/experiments/ExperimentsPage';
import { NotFoundPage } from './NotFoundPage';

const ExplorerPage = lazy(async () => ({ default: (await import('../features/explorer/ExplorerPage')).ExplorerPage }));
const ModelsPage = lazy(async () => ({ default: (await import('../features/models/ModelsPage')).ModelsPage }));
const ModelPage = lazy(async () => ({ default: (await import('../features/models/ModelPage')).ModelPage }));
const UploadPage = lazy(async () => ({ default: (await import('../features/upload/UploadPage')).UploadPage }));
const RunsPage = lazy(async () => ({ default: (await import('../features/runs/RunsPage')).RunsPage }));
const RunPage = lazy(async () => ({ default: (await import('../features/runs/RunPage')).RunPage }));
const LinkPage = lazy(async () => ({ default: (await import('../features/links/LinkPage')).LinkPage }));

/** Every address of the page. Home comes with the first load, the rest when it is asked for. */
export function Routes() {
  return (
    <Switch>
      <Route path="/">
        <ExperimentsPage />
      </Route>
      <Route path="/explorer">
        <Redirect to="/" replace />
      </Route>
      <Route path="/explorer/:slug">{({ slug }) => <ExplorerPage key={slug} slug={slug} />}</Route>
      <Route path="/experiments/:slug/runs">{({ slug }) => <RunsPage key={slug} slug={slug} />}</Route>
      <Route path="/models">
        <ModelsPage />
      </Route>
      <Route path="/models/:id">{({ id }) => <ModelPage key={id} id={id} />}</Route>
      <Route path="/upload">
        <UploadPage />
      </Route>
      <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
      <Route path="/l/:token">{({ token }) => <LinkPage key={token} token={token} />}</Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}
