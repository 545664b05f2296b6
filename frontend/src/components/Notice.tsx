// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import './Notice.css';

/** What happened, what is still good, what to do. `bad` carries a crimson rule, `warn` a dashed amber one. */
export function Notice(props: {
  tone: 'plain' | 'bad' | 'warn';
  title: string;
  children?: ReactNode;
  action?: { label: string; onClick: () => void };
}) {
  return (
    <div className={`notice ${props.tone}`} role={props.tone === 'bad' ? 'alert' : undefined}>
      <b>{props.title}</b>
      {(props.children || props.action) && (
        <div>
          {props.children}{' '}
          {props.action && (
            <button type="button" className="inline" onClick={props.action.onClick}>
              {props.action.label}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
