// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import './Kind.css';

export const KINDS = ['published', 'measured', 'emulated', 'simulated'] as const;
export type KindName = (typeof KINDS)[number];

/** The shape of a kind: square, disc, diamond, hollow triangle. The same shape marks its points in every chart. */
export function KindGlyph({ kind }: { kind: KindName }) {
  return (
    <svg viewBox="0 0 10 10" aria-hidden="true">
      {kind === 'published' && <rect x="1.2" y="1.2" width="7.6" height="7.6" fill="currentColor" />}
      {kind === 'measured' && <circle cx="5" cy="5" r="4.2" fill="currentColor" />}
      {kind === 'emulated' && <path d="M5 .4L9.6 5 5 9.6.4 5z" fill="currentColor" />}
      {kind === 'simulated' && <path d="M5 1.4L9 8.6H1z" fill="none" stroke="currentColor" strokeWidth="1.4" />}
    </svg>
  );
}

/** What the data is: shape and word first, colour second. */
export function Kind({ kind, children }: { kind: KindName; children?: ReactNode }) {
  return (
    <span className={`kind ${kind}`}>
      <KindGlyph kind={kind} />
      {kind}
      {children}
    </span>
  );
}
