// SPDX-License-Identifier: Apache-2.0
import { Link } from 'wouter';
import { Rich } from '../../components/Rich';
import { useTitle } from '../../components/title';
import { catalogue } from '../../engine/catalogue';
import { notesOf } from '../../engine/notes';
import type { BundledModel } from '../../state/models';
import { Equation } from '../explorer/Equation';
import { Curve } from './Curve';
import '../explorer/explorer.css';
import './models.css';

const named = (quantities: readonly { readonly label: string }[]): string =>
  quantities
    .map(({ label }) => label.toLowerCase().replace(/\b(cpu|mtu|tcp)\b/g, (word) => word.toUpperCase()))
    .join(', ');

function Entry({ model }: { model: BundledModel }) {
  const [first] = model.outputs;
  return (
    <li className="entry">
      <div>
        <h2>
          <Link href={`/models/${model.id}`}>{model.title}</Link>
        </h2>
        <p>
          <Rich>{model.summary}</Rich>
        </p>
        <p className="note">{notesOf(model).citation}</p>
        <p className="note">
          <Link href={`/models/${model.id}/about`} aria-label={`About it: ${model.title}`}>
            About it
          </Link>{' '}
          ·{' '}
          <Link href={`/workshop?model=${model.id}`} aria-label={`Open ${model.title} in the workshop`}>
            Open in the workshop
          </Link>
        </p>
      </div>
      <Equation model={model} output={first.name} label={`Equation of ${model.title}`} />
      <Curve model={model} />
      <p className="predicts">
        <b>predicts</b> {named(model.outputs)}
        <br />
        <b>from</b> {named(model.inputs)}
        {model.parameters.length > 0 && (
          <>
            <br />
            <b>with</b> {named(model.parameters)}
          </>
        )}
      </p>
    </li>
  );
}

export function ModelsPage() {
  useTitle('Models');
  return (
    <div className="page models">
      <header className="lede">
        <h1>Models</h1>
        <p>
          What papers say of MTU, interrupt delay and CPU time, each as one function that can be drawn and fitted to
          data. Open one to explore it without data, or write your own in the{' '}
          <Link href="/workshop">model workshop</Link>. <Link href="/how-it-works">How it works</Link> shows what they
          are about, in slow motion; the <Link href="/glossary">glossary</Link> defines every quantity.
        </p>
      </header>
      <ul className="entries">
        {catalogue.models.map((model) => (
          <Entry key={model.id} model={model} />
        ))}
      </ul>
    </div>
  );
}
