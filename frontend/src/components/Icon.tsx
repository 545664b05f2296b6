// SPDX-License-Identifier: Apache-2.0
import './Icon.css';

const PATHS = {
  link: 'M6.5 9.5l3-3M7.2 4.6l1.5-1.5a3 3 0 0 1 4.2 4.2l-1.5 1.5M8.8 11.4l-1.5 1.5a3 3 0 0 1-4.2-4.2l1.5-1.5',
  export: 'M8 2.5v7.5M5 7l3 3 3-3M2.5 12v1.5h11V12',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  down: 'M4.5 6.5L8 10l3.5-3.5',
  plus: 'M8 3.5v9M3.5 8h9',
  ok: 'M3.5 8.5l3 3 6-7',
  bad: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  warn: 'M8 3v6M8 11.5v1.5',
  same: 'M3.5 6h9M3.5 10h9',
  cut: 'M3 8h5M10 4v8M13 4v8',
  swap: 'M5 13V3.5M2.5 6L5 3.5 7.5 6M11 3v9.5M8.5 10l2.5 2.5 2.5-2.5',
  wait: 'M4.5 8h.01M8 8h.01M11.5 8h.01',
  undo: 'M6 3.5L3 6.5l3 3M3.5 6.5h5.5a3.5 3.5 0 0 1 0 7H6',
  redo: 'M10 3.5l3 3l-3 3M12.5 6.5H7a3.5 3.5 0 0 0 0 7h3',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11z',
} as const;

export type IconName = keyof typeof PATHS;

/** A line drawing of 16 × 16 in the colour of the text; always beside a word or a label. */
export function Icon({ name, small, className = '' }: { name: IconName; small?: boolean; className?: string }) {
  return (
    <svg className={`i ${small ? 's' : ''} ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={PATHS[name]}
        strokeWidth={name === 'wait' ? 2 : undefined}
        strokeLinecap={name === 'wait' ? 'round' : undefined}
      />
      {name === 'theme' && <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" stroke="none" />}
    </svg>
  );
}
