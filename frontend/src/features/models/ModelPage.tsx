// SPDX-License-Identifier: Apache-2.0
// A model without any data: the same instrument, with sliders where cells would speak.
import { useMemo } from 'react';
import { useTitle } from '../../components/title';
import { Unknown } from '../../components/Unknown';
import { modelById } from '../../engine/catalogue';
import type { Subject } from '../../state/subject';
import { Explorer } from '../explorer/Explorer';

export function ModelPage({ id }: { id: string }) {
  const model = modelById(id);
  useTitle(model?.title ?? 'No such model');
  const subject = useMemo<Subject | null>(() => (model ? { of: 'model', model } : null), [model]);
  if (subject) return <Explorer subject={subject} />;
  return <Unknown what="model" name={id} all="/models" />;
}
