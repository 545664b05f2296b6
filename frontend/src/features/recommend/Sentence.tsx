// SPDX-License-Identifier: Apache-2.0
/** A part of a sentence; with a place, the name of that candidate's setting, to be pressed. */
export interface Part {
  readonly text: string;
  readonly place?: number;
  readonly strong?: boolean;
}

/** Words, in which a setting that is named is a place to go to. */
export function Sentence({ parts, go }: { parts: readonly Part[]; go: (place: number) => void }) {
  return parts.map(({ text, place, strong }, i) => {
    if (place === undefined)
      // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the sentence
      return strong ? <b key={i}>{text}</b> : text;
    return (
      <button
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        key={i}
        type="button"
        className="setting"
        aria-description="moves the crosshair there"
        onClick={() => go(place)}
      >
        {text}
      </button>
    );
  });
}
