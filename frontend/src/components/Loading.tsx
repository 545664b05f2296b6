// SPDX-License-Identifier: Apache-2.0
import './Loading.css';

/** A 2 px line at the top of what is being fetched; it takes no room, so nothing moves when it goes. */
export function LoadingLine({ label = 'Loading' }: { label?: string }) {
  return (
    <div className="loading" role="status">
      <i />
      <span className="sr">{label}</span>
    </div>
  );
}
