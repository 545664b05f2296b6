// SPDX-License-Identifier: Apache-2.0
import { useEffect } from 'react';
import { startWork } from '../state/pendingWork';
import './Loading.css';

/** A 2 px line at the top of what is being fetched; it takes no room, so nothing moves when it goes. */
export function LoadingLine({ label = 'Loading' }: { label?: string }) {
  // React may keep a fallback on the screen after what it stands for has come
  useEffect(startWork, []);
  return (
    <div className="loading" role="status">
      <i />
      <span className="sr">{label}</span>
    </div>
  );
}
