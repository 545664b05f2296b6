// SPDX-License-Identifier: Apache-2.0
// Whether the models' own Python is there, and whether it agrees with the kernels on what is on the screen.
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { type Check, evaluateInPython, python, startPython } from '../../../engine/python';
import { tenTo } from '../../../plots/number';
import type { Binding } from '../../../state/binding';
import { predictAt } from '../../../state/prediction';
import type { View } from '../../../state/view';
import { useExplorer, useFrame } from '../context';
import type { FrameData } from '../figure/live';

const QUIET_MS = 400;

interface Sample {
  readonly check: Check;
  readonly kernel: number;
}

/** The corners, the middle and the crosshair: scalars for Python, the kernel's value beside them. */
function samplesOf(view: View, binding: Binding, live: FrameData): Sample[] {
  const { x, y } = view.layout;
  const ends = (levels: readonly number[] | undefined, at: number | null) =>
    levels ? [...new Set([levels[0], at ?? levels[0], levels[levels.length - 1]])] : [0];
  const { frames } = live.state;
  return ends(y?.levels, live.state.y).flatMap((py) =>
    ends(x?.levels, live.state.x).map((px) => {
      const { inputs, total } = predictAt(binding, px, py, frames, live.theta);
      const parameters = Object.fromEntries(binding.model.parameters.map((p) => [p.name, live.theta[p.name]]));
      return { check: { model: binding.model.id, values: { ...inputs, ...parameters } }, kernel: total };
    }),
  );
}

function largest(
  samples: readonly Sample[],
  outputs: readonly Readonly<Record<string, number | null>>[],
  output: string,
): number {
  return Math.max(
    0,
    ...samples.map(({ kernel }, i) => {
      const other = outputs[i][output];
      // no value here, and none there
      if (other === null) return Number.isFinite(kernel) ? Number.POSITIVE_INFINITY : 0;
      const size = Math.max(Math.abs(kernel), Math.abs(other));
      return size === 0 ? 0 : Math.abs(kernel - other) / size;
    }),
  );
}

const TOLERANCE = 1e-12;

function scientific(v: number): string {
  if (v === 0) return 'exactly';
  const exponent = Math.ceil(Math.log10(v));
  return `to ${Math.ceil(v / 10 ** (exponent - 1))} × ${tenTo(exponent - 1)}`;
}

export function PythonStatus() {
  const { view } = useExplorer();
  const status = useSyncExternalStore(python.subscribe, python.status);
  const [agreement, setAgreement] = useState<{ difference: number; points: number } | null>(null);
  const latest = useRef<FrameData | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const compare = () => {
    const live = latest.current;
    const { binding } = view;
    if (!live || !binding || python.status().state !== 'ready') return;
    const samples = samplesOf(view, binding, live);
    evaluateInPython(samples.map((s) => s.check)).then(
      (outputs) => setAgreement({ difference: largest(samples, outputs, binding.output), points: samples.length }),
      () => setAgreement(null),
    );
  };
  useFrame((live, held) => {
    latest.current = live;
    if (held) return;
    // not before the surface is there: Python may take its time, the reader should not have to
    if (view.mode !== 'blank') startPython();
    clearTimeout(timer.current);
    if (view.binding) timer.current = setTimeout(compare, QUIET_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: compares when Python arrives
  useEffect(compare, [status.state]);

  const words = () => {
    if (status.state === 'failed') return `Python did not start: ${status.message}`;
    if (status.state !== 'ready') return 'Python is loading behind the kernels';
    if (!view.binding || !agreement) return 'Python ready';
    if (agreement.difference > TOLERANCE)
      return `Python differs from the kernels by ${agreement.difference.toExponential(1)}`;
    return `Python ready; kernels agree ${scientific(agreement.difference)} at ${agreement.points} ${agreement.points === 1 ? 'point' : 'points'}`;
  };
  const bad = agreement !== null && agreement.difference > TOLERANCE;
  return (
    <p className={bad ? 'engine bad' : 'engine'} data-python={status.state}>
      {words()}
    </p>
  );
}
