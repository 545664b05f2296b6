// SPDX-License-Identifier: Apache-2.0
// The view for somebody's own page: how large, in which theme, with sliders or without; what that looks like, and the code.
import { useId, useState } from 'react';
import { base } from '../../api/home';
import { copyText, useSaid } from '../../components/copy';
import { Dialog } from '../../components/Dialog';
import { Segmented } from '../../components/Segmented';
import { useClientWidth } from '../../layers/Drawing';
import { addressOf } from '../../state/address';
import { type EmbedTheme, embedPath, mayHaveSliders } from '../../state/embed';
import { embedCode, SIDE_PX } from './embedCode';
import './embedDialog.css';

/** No higher, so that the code below it stays in sight. */
const PREVIEW_HEIGHT_PX = 240;
const THEMES: readonly { value: EmbedTheme; label: string }[] = [
  { value: 'auto', label: 'Reader’s' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

function Side(props: { label: string; value: number; onValue: (value: number) => void }) {
  const [text, setText] = useState(String(props.value));
  const [least, most] = SIDE_PX;
  return (
    <label className="field">
      {props.label}
      <input
        type="number"
        inputMode="numeric"
        min={least}
        max={most}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          const value = Math.round(event.currentTarget.valueAsNumber);
          if (value >= least && value <= most) props.onValue(value);
        }}
        onBlur={() => setText(String(props.value))}
      />
    </label>
  );
}

/** The frame itself, scaled down to fit. It is looked at here, not used: neither pointer nor keyboard enters it. */
function Preview(props: { address: string; title: string; width: number; height: number }) {
  const { address, title, width, height } = props;
  const [place, room] = useClientWidth<HTMLDivElement>();
  const scale = Math.min(1, room / width, PREVIEW_HEIGHT_PX / height);
  return (
    <div ref={place} className="embedpreview">
      <div style={{ width: width * scale, height: height * scale }}>
        <iframe
          src={address}
          title={`Preview: ${title}`}
          inert
          style={{ width, height, transform: `scale(${scale})` }}
        />
      </div>
      <p className="note">
        {width} × {height} px{scale < 1 && `, shown at ${Math.round(100 * scale)} %`}
      </p>
    </div>
  );
}

export function EmbedDialog({ view, title, onClose }: { view: string; title: string; onClose: () => void }) {
  const [size, setSize] = useState({ width: 720, height: 600 });
  const [theme, setTheme] = useState<EmbedTheme>('auto');
  const [sliders, setSliders] = useState(false);
  const [said, say] = useSaid();
  const code = useId();
  const address = addressOf(base + embedPath(view, { theme, sliders }));
  const text = embedCode({ address, title, ...size });

  return (
    <Dialog
      title="Embed this view"
      confirm={said ?? 'Copy the code'}
      dismiss="Close"
      onConfirm={async () => say((await copyText(text)) ? 'Copied' : 'Select and copy it')}
      onClose={onClose}
    >
      <div className="embedsize">
        <Side label="Width, px" value={size.width} onValue={(width) => setSize((s) => ({ ...s, width }))} />
        <Side label="Height, px" value={size.height} onValue={(height) => setSize((s) => ({ ...s, height }))} />
        <div className="field">
          <span>Theme</span>
          <Segmented label="Theme" value={theme} segments={THEMES} onChange={setTheme} />
        </div>
      </div>
      {mayHaveSliders(view) && (
        <label className="embedcheck">
          <input type="checkbox" checked={sliders} onChange={(event) => setSliders(event.currentTarget.checked)} />
          With the model’s parameters as sliders
        </label>
      )}
      <Preview address={address} title={title} {...size} />
      <label className="field" htmlFor={code}>
        Code
        <textarea
          id={code}
          className="embedcode"
          readOnly
          rows={5}
          spellCheck={false}
          value={text}
          onFocus={(event) => event.currentTarget.select()}
        />
        <small>The embed runs no Python. Its link opens the whole view in a new window.</small>
      </label>
    </Dialog>
  );
}
