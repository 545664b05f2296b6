// SPDX-License-Identifier: Apache-2.0
// A model to read about: what it predicts and when to use it, its equations, every quantity, what it takes for granted, where it comes from.

import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { LoadingLine } from '../../components/Loading';
import { Mathematics } from '../../components/Mathematics';
import { QuantityName } from '../../components/QuantityName';
import { Rich } from '../../components/Rich';
import { ScrollRegion } from '../../components/ScrollRegion';
import { Section } from '../../components/Section';
import { useTitle } from '../../components/title';
import { Unknown } from '../../components/Unknown';
import { aboutModel, type Told } from '../../engine/about';
import { catalogue, modelById } from '../../engine/catalogue';
import { definitionOf } from '../../engine/definitions';
import { useEquations } from '../../engine/equations';
import { notesOf } from '../../engine/notes';
import { brief } from '../../plots/number';
import type { BundledModel, PublishedNumber } from '../../state/models';
import { useFitted } from '../explorer/Equation';
import { documentOf, FIGURES } from '../figures/definitions';
import { experimentsOf, modelsOf } from '../figures/inputs';
import { Described } from '../glossary/Described';
import { rangeWords, unitWords } from '../glossary/messages';
import './about.css';
import { partsOf } from './python';

function useTold(id: string): Told | null {
  const [told, setTold] = useState<Told | null>(null);
  useEffect(() => {
    let wanted = true;
    void aboutModel(id).then((found) => wanted && setTold(found));
    return () => {
      wanted = false;
    };
  }, [id]);
  return told;
}

/** Every line once: outputs refer to each other. */
function Equations({ model }: { model: BundledModel }) {
  const equations = useEquations(model.id);
  const lines = [...new Set(model.outputs.flatMap(({ name }) => equations?.[name] ?? []))];
  const block = useRef<HTMLDivElement>(null);
  useFitted(block, lines.join(''));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long equation scrolls sideways, also by keyboard
    <div ref={block} className="eq" tabIndex={0} role="group" aria-label={`Equations of ${model.title}`}>
      <ul>
        {lines.map((html) => (
          <li key={html} className="one">
            <Mathematics html={html} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Row {
  readonly of: BundledModel['inputs'][number];
  /** Where it starts, of a parameter. */
  readonly start?: number;
  readonly typical: readonly number[] | null;
}

function Quantities({ label, rows }: { label: string; rows: readonly Row[] }) {
  const starts = rows.some((r) => r.start !== undefined);
  return (
    <ScrollRegion label={label}>
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">Symbol</th>
            <th scope="col">Name</th>
            <th scope="col">Unit</th>
            {starts && <th scope="col">Starts at</th>}
            <th scope="col">Typical</th>
            <th scope="col">Domain</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ of, start, typical }) => (
            <tr key={of.name}>
              <td>
                <Mathematics className="sym" html={of.symbolMath} />
              </td>
              <th scope="row">
                <QuantityName name={of.name}>
                  <Rich>{of.label}</Rich>
                </QuantityName>
              </th>
              <td>{unitWords(of)}</td>
              {starts && <td className="n">{start === undefined ? '' : (of.meanings[start] ?? brief(start, 6))}</td>}
              <td className="n">{typical ? rangeWords([...typical], '') : '–'}</td>
              <td className="n">{rangeWords(of.domain, '') || 'any number'}</td>
              <td className="means">
                <Described>{definitionOf(of.name)?.description ?? ''}</Described>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

const List = ({ of }: { of: readonly string[] }) => (
  <ul className="points">
    {of.map((words) => (
      <li key={words}>{words}</li>
    ))}
  </ul>
);

function Published({ numbers }: { numbers: readonly PublishedNumber[] }) {
  if (numbers.length === 0) return <p>None of the documents prints a number that this model predicts by itself.</p>;
  return (
    <ScrollRegion label="Published numbers">
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Published</th>
            <th scope="col">This model</th>
            <th scope="col">How</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {numbers.map(({ document, what, published, ours, how, from, remark }) => (
            <tr key={`${document} ${what}`}>
              <th scope="row">
                {what} <small>{document}</small>
              </th>
              <td>{published}</td>
              <td>{ours}</td>
              <td>{how}</td>
              <td className="means">
                {from}
                {remark && <small> {remark}</small>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Uses({ model }: { model: BundledModel }) {
  const figures = FIGURES.filter((f) => modelsOf(f, catalogue).some((used) => used.model.id === model.id));
  const data = [...new Set(figures.flatMap((f) => experimentsOf(f).map((c) => c.experiment)))];
  if (figures.length === 0) return <p>No figure of the documents is drawn with it.</p>;
  return (
    <>
      <ul className="points">
        {figures.map((f) => (
          <li key={f.id}>
            <Link href={`/figures/${f.id}`}>
              {documentOf(f).short}, {f.label.toLowerCase()}
            </Link>
            : <Rich>{f.title}</Rich>
          </li>
        ))}
      </ul>
      {data.length > 0 && (
        <p>
          OnMounted there beside the experiments{' '}
          {data.map((slug, i) => (
            <span key={slug}>
              {i > 0 && ', '}
              <Link href={`/explorer/${slug}`}>{slug}</Link>
            </span>
          ))}
          .
        </p>
      )}
    </>
  );
}

function Source({ source }: { source: Told['source'] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll sideways, also by keyboard
    <pre className="python" tabIndex={0} role="region" aria-label="Python of the model">
      <code>
        {partsOf(source.text).map(({ kind, text }, i) =>
          kind === 'plain' ? (
            text
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one constant text
            <span key={i} className={kind}>
              {text}
            </span>
          ),
        )}
      </code>
    </pre>
  );
}

function Shown({ model }: { model: BundledModel }) {
  const told = useTold(model.id);
  useTitle(`About ${model.title}`);
  const { inputs, parameters, outputs } = model;
  const { notes, citation } = notesOf(model);
  return (
    <article className="page about">
      {!told && <LoadingLine label="Loading what is known of the model" />}
      <header className="lede">
        <h1>{model.title}</h1>
        <p>
          <Rich>{model.summary}</Rich>
        </p>
      </header>
      <p className="ways">
        <Link className="action" href={`/models/${model.id}`}>
          Explore it
        </Link>
        <Link href={`/workshop?model=${model.id}`}>Open in the workshop</Link>
        <Link href="/models">All models</Link>
        <Link href="/glossary">Glossary</Link>
      </p>
      {told && (
        <>
          <Section id="use" title="When to use it">
            <p>{told.use}</p>
          </Section>
          <Section id="equations" title="Equations">
            <Equations model={model} />
          </Section>
          <Section id="quantities" title="Quantities">
            <Quantities label="Inputs" rows={inputs.map((of) => ({ of, typical: of.typical }))} />
            <Quantities
              label="Parameters"
              rows={parameters.map((of) => ({ of, start: of.default, typical: [of.lo, of.hi] }))}
            />
            <Quantities label="Outputs" rows={outputs.map((of) => ({ of, typical: of.typical }))} />
          </Section>
          <Section id="assumptions" title="What it assumes">
            <List of={told.assumptions} />
          </Section>
          <Section id="limits" title="Where it does not hold, and where it jumps">
            <List of={told.limits} />
          </Section>
          <Section id="source" title="Where it comes from">
            <p>{citation}.</p>
            {notes.length > 0 && <List of={notes} />}
          </Section>
          <Section id="published" title="Published numbers">
            <Published numbers={told.published} />
          </Section>
          <Section id="figures" title="Figures and experiments">
            <Uses model={model} />
          </Section>
          <Section id="python" title="Python">
            <p>
              The function that all of this is traced from: <code>{told.source.file}</code>, line {told.source.line}.{' '}
              <Link href={`/workshop?model=${model.id}`}>Change it in the workshop</Link>
            </p>
            <Source source={told.source} />
          </Section>
        </>
      )}
    </article>
  );
}

export function AboutPage({ id }: { id: string }) {
  const model = modelById(id);
  if (model) return <Shown model={model} />;
  return <Unknown what="model" name={id} all="/models" />;
}
