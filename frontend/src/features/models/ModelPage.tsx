// SPDX-License-Identifier: Apache-2.0
// A model without any data: the same instrument, with sliders where cells would speak.
import { useMemo } from 'react';
import { Link } from 'wouter';
import { useTitle } from '../../components/title';
import { modelById } from '../../engine/catalogue';
import type { Subject } from '../../state/view';
import { Explorer } from '../explorer/Explorer';

export function ModelPage({ id }: { id: string }) {
  const model = modelById(id);
  useTitle(model?.title ?? 'No such model');
  const subject = useMemo<Subject | null>(() => (model ? { of: 'model', model } : null), [model]);
  if (subject) return <Explorer subject={subject} />;
  return (
    <div className="page">
      <header className="lede">
        <h1>No such model</h1>
        <p>
          There is no model named <code>{id}</code>. <Link href="/models">All models</Link>
        </p>
      </header>
    </div>
  );
}
