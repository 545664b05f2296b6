// SPDX-License-Identifier: Apache-2.0
// Interrupt coalescing in slow motion, at the parameters of the models.
import { useEffect, useMemo, useState } from 'react';
import { useTitle } from '../../components/title';
import { catalogue } from '../../engine/catalogue';
import { followAddress } from '../../state/address';
import { currentQuery, flushQuery, writeQuery } from '../../state/url';
import '../explorer/explorer.css';
import { readAddress, type State, toQuery } from './address';
import { Controls } from './Controls';
import { Counters } from './Counters';
import './how-it-works.css';
import { paceOf, spanOf } from './picture';
import { type Playback, useCalmMoment, usePlayback } from './playback';
import { predictionOf } from './prediction';
import { PRESETS, presetOf, settingsOf } from './presets';
import { Events, Stage } from './Stage';
import { countersOf } from './simulation/measure';
import { meanGap, type Parameters } from './simulation/parameters';
import { simulate } from './simulation/simulate';
import { Words } from './Words';

/** So much traffic is simulated: enough for the counters to settle. */
const PACKETS = 3000;

const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

function Presets({ parameters, onChoose }: { parameters: Parameters; onChoose: (next: Parameters) => void }) {
  const chosen = presetOf(parameters);
  return (
    <div className="presets">
      <div role="group" aria-label="Stories">
        {PRESETS.map((preset) => (
          <button
            key={preset.id}
            type="button"
            className="quiet boxed"
            aria-pressed={preset === chosen}
            onClick={() => onChoose(settingsOf(preset))}
          >
            {preset.title}
          </button>
        ))}
      </div>
      <p className="story">{chosen?.story ?? 'Your own settings. Any story above goes back to where it starts.'}</p>
    </div>
  );
}

/** Keeps the address in step; a moment is part of it while the picture stands still. */
function useAddress(state: Omit<State, 'at_us'>, playback: Playback, follow: (state: State) => void): void {
  const { now_us, playing } = useCalmMoment(playback);
  const { parameters, speed } = state;
  useEffect(() => {
    writeQuery(() => toQuery({ parameters, speed, at_us: playing ? null : now_us }));
  }, [parameters, speed, playing, now_us]);
  useEffect(() => flushQuery, []);
  useEffect(() => followAddress(() => follow(readAddress(new URLSearchParams(currentQuery()), catalogue))), [follow]);
}

export function HowItWorksPage() {
  useTitle('How it works');
  const [first] = useState(() => readAddress(new URLSearchParams(currentQuery()), catalogue));
  const [parameters, setParameters] = useState(first.parameters);
  const [speed, setSpeed] = useState(first.speed);
  const simulation = useMemo(() => simulate(parameters, PACKETS * meanGap(parameters)), [parameters]);
  const counters = useMemo(() => countersOf(simulation), [simulation]);
  const prediction = useMemo(() => predictionOf(catalogue, parameters), [parameters]);
  const playback = usePlayback(
    () => ({
      // a still picture begins where there is something to see
      now_us: Math.min(simulation.until_us, first.at_us ?? (isStill() ? 0.9 * spanOf(parameters) : 0)),
      playing: first.at_us === null && !isStill(),
    }),
    paceOf(parameters) * speed,
    simulation.until_us,
  );
  const [follow] = useState(() => (state: State) => {
    setParameters(state.parameters);
    setSpeed(state.speed);
    if (state.at_us !== null) playback.set({ now_us: state.at_us, playing: false });
  });
  useAddress({ parameters, speed }, playback, follow);
  useEffect(() => {
    const { now_us, playing } = playback.get();
    if (now_us > simulation.until_us) playback.set({ now_us: simulation.until_us, playing });
  }, [playback, simulation]);

  const choose = (next: Parameters) => {
    setParameters(next);
    const still = isStill();
    playback.set({ now_us: still ? 0.9 * spanOf(next) : 0, playing: !still });
  };
  const shared = { simulation, playback };
  return (
    <div className="page works">
      <header className="lede">
        <h1>How it works</h1>
        <p>
          Interrupt coalescing in slow motion. Frames arrive, a timer gathers them, one interrupt brings them all, and
          the CPU works through them. The models predict the outcome; here it is simulated and counted.
        </p>
      </header>
      <Presets parameters={parameters} onChoose={choose} />
      <Stage {...shared} parameters={parameters} speed={speed} onSpeed={setSpeed} />
      <div className="beside">
        <Counters {...shared} counters={counters} prediction={prediction} />
        <Events {...shared} />
      </div>
      <Controls parameters={parameters} onChange={(change) => setParameters((now) => ({ ...now, ...change }))} />
      <Words />
    </div>
  );
}
