// SPDX-License-Identifier: Apache-2.0

import { useRef } from 'react';
import { inSentence } from '../../../components/factorWords';
import { Rich } from '../../../components/Rich';
import { write } from '../../../layers/messages';
import { decimal, digitsFor, setting, worded } from '../../../plots/number';
import { dependsOn } from '../../../state/binding';
import { useExplorer, useSpareTime } from '../context';
import { redundant, shortName, unitAfter } from '../figure/messages';

/** "1118 = 813 + 432.0 × (0.266 + 1.110 / 2.52)", or the inputs of another model. */
export function LiveNumbers() {
  const { view } = useExplorer();
  const host = useRef<HTMLParagraphElement>(null);
  const { binding } = view;
  const isCost = binding !== null && binding.parts.length > 0;
  // in seconds a packet costs some thousandths
  const cost = (value: number, name: string) =>
    decimal(value, Math.max(3, view.sliders.find((s) => s.name === name)?.digits ?? 0));
  const digits = digitsFor(view.values[1] - view.values[0]);
  useSpareTime((live) => {
    const p = host.current;
    const { prediction } = live.place;
    p?.classList.toggle('empty', prediction === null);
    if (!p || !binding || !prediction) return false;
    const slots = p.querySelectorAll<HTMLElement>('[data-n]');
    const put = (texts: readonly string[]) => {
      slots.forEach((slot, i) => {
        write(slot, texts[i] ?? '');
      });
    };
    const { inputs, parts, total } = prediction;
    if (!isCost) {
      put([worded(total, digits, view.measure.meanings)]);
      return true;
    }
    const [byte, packet] = parts;
    const { beta, gamma } = live.theta;
    const kilopackets = beta !== 0 ? packet / beta : 1e6 / ((inputs.packet_fill ?? 1) * inputs.mtu_bytes);
    const ppi = parts[2] !== 0 ? (kilopackets * gamma) / parts[2] : (inputs.packets_per_interrupt ?? Number.NaN);
    put([
      decimal(total, digits),
      decimal(byte, digits),
      decimal(kilopackets, 1),
      cost(beta, 'beta'),
      cost(gamma, 'gamma'),
      decimal(ppi, 2),
    ]);
    return true;
  });
  if (!binding) return null;
  if (!isCost)
    return (
      <p className="live plainly" ref={host}>
        <b data-n="total" />
        <Rich>{unitAfter(view.measure)}</Rich>
        <Inputs />
      </p>
    );
  return (
    <p className="live" ref={host}>
      <b data-n="total" /> = <i className="t byte" data-n="byte" /> + <span data-n="kp" /> × (
      <i className="t packet" data-n="beta" /> +{' '}
      <i className="t interrupt">
        <span data-n="gamma" /> / <span data-n="ppi" />
      </i>
      )
    </p>
  );
}

/** What goes into a model at the crosshair. */
function Inputs() {
  const { view } = useExplorer();
  const host = useRef<HTMLSpanElement>(null);
  useSpareTime((live) => {
    const span = host.current;
    const { prediction } = live.place;
    if (!span || !prediction || !view.binding) return false;
    const moving = view.binding.model.inputs.filter((_, k) => view.binding?.sources[k].from !== 'scalar');
    const words = moving.map(
      (q) =>
        `${q.name === 'mtu_bytes' ? 'MTU' : q.label.toLowerCase()} ${q.meanings[prediction.inputs[q.name]] ?? setting(prediction.inputs[q.name])}${redundant(q) || q.name === 'mtu_bytes' ? '' : ` ${q.unit}`}`,
    );
    return write(span, words.length > 0 ? ` at ${words.join(', ')}` : '');
  });
  return <span ref={host} className="note" />;
}

/** Axes that the model knows nothing of: along them it says the same everywhere. */
export function Ignored() {
  const { view } = useExplorer();
  const { binding, layout } = view;
  const ignored = (['x', 'y'] as const).flatMap((at) => {
    const axis = layout[at];
    if (!binding || !axis || axis.levels.length < 2 || dependsOn(binding, at)) return [];
    return [inSentence(shortName(axis))];
  });
  if (ignored.length === 0) return null;
  return <p className="why">This model takes no account of the {ignored.join(' and the ')}.</p>;
}
