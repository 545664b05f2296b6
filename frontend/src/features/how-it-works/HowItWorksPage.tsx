// SPDX-License-Identifier: Apache-2.0
// Interrupt coalescing in slow motion, at the parameters of the models.
import { useEffect, useMemo, useState } from 'react';
import { useTitle } from '../../components/title';
import { catalogue } from '../../engine/catalogue';
import { followAddress } from '../../state/address';
import { currentQuery, flushQuery, writeQuery } from '../../state/url';
import '../explorer/explorer.css';
import { type Played, readAddress, type State, toQuery } from './address';
import { Controls } from './Controls';
import { Counters } from './Counters';
import './how-it-works.css';
import { type Playback, useCalmMoment, usePlayback } from './playback';
import { PRESETS, presetOf, settingsOf } from './presets';
import { Chooser, RuleControls, RuleStory } from './Rules';
import { ruleOf } from './rules/rules';
import { Events, Stage } from './Stage';
import { paceOf, receiverShow, ruleShow, type Show } from './show';
import type { Parameters } from './simulation/parameters';
import { Words } from './Words';

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
  const { parameters, played, speed } = state;
  useEffect(() => {
    writeQuery(() => toQuery({ parameters, played, speed, at_us: playing ? null : now_us }, catalogue));
  }, [parameters, played, speed, playing, now_us]);
  useEffect(() => flushQuery, []);
  useEffect(() => followAddress(() => follow(readAddress(new URLSearchParams(currentQuery()), catalogue))), [follow]);
}

const showOf = (parameters: Parameters, played: Played | undefined): Show => {
  const rule = ruleOf(played?.model ?? null);
  return rule && played
    ? ruleShow(catalogue, rule, played.values, parameters.seed)
    : receiverShow(catalogue, parameters);
};

/** Where a still picture has something to see. */
const stillAt = ({ span_us, until_us }: Show): number => Math.min(until_us, 0.9 * span_us);

export function HowItWorksPage() {
  useTitle('How it works');
  const [first] = useState(() => readAddress(new URLSearchParams(currentQuery()), catalogue));
  const [parameters, setParameters] = useState(first.parameters);
  const [played, setPlayed] = useState(first.played);
  const [speed, setSpeed] = useState(first.speed);
  const show = useMemo(() => showOf(parameters, played), [parameters, played]);
  const playback = usePlayback(
    () => ({
      now_us: Math.min(show.until_us, first.at_us ?? (isStill() ? stillAt(show) : 0)),
      playing: first.at_us === null && !isStill(),
    }),
    paceOf(show) * speed,
    show.until_us,
  );
  const [follow] = useState(() => (state: State) => {
    setParameters(state.parameters);
    setPlayed(state.played);
    setSpeed(state.speed);
    if (state.at_us !== null) playback.set({ now_us: state.at_us, playing: false });
  });
  useAddress({ parameters, played, speed }, playback, follow);
  useEffect(() => {
    const { now_us, playing } = playback.get();
    if (now_us > show.until_us) playback.set({ now_us: show.until_us, playing });
  }, [playback, show]);

  const begin = (next: Show) => {
    const still = isStill();
    playback.set({ now_us: still ? stillAt(next) : 0, playing: !still });
  };
  const choose = (next: Parameters) => {
    setParameters(next);
    begin(showOf(next, undefined));
  };
  const play = (next: Played | undefined) => {
    setPlayed(next);
    begin(showOf(parameters, next));
  };
  const change = (some: Partial<Parameters>) => setParameters((now) => ({ ...now, ...some }));
  const shared = { show, playback };
  return (
    <div className="page works">
      <header className="lede">
        <h1>How it works</h1>
        <p>
          Interrupt coalescing in slow motion. Frames arrive, a timer gathers them, one interrupt brings them all, and
          the CPU works through them. The models predict the outcome; here it is simulated and counted.
        </p>
      </header>
      <Chooser model={played?.model ?? ''} onChoose={play} />
      {played ? <RuleStory model={played.model} /> : <Presets parameters={parameters} onChoose={choose} />}
      <Stage {...shared} speed={speed} onSpeed={setSpeed} />
      <div className="beside">
        <Counters {...shared} />
        <Events {...shared} />
      </div>
      {played ? (
        <RuleControls played={played} seed={parameters.seed} onPlayed={setPlayed} onSeed={(seed) => change({ seed })} />
      ) : (
        <Controls parameters={parameters} onChange={change} />
      )}
      <Words />
    </div>
  );
}
