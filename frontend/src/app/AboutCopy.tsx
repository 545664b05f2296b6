// SPDX-License-Identifier: Apache-2.0
import { currentCopy } from '../api/copy';
import './AboutCopy.css';

/** Below every page of a published copy: what it is, and what it cannot do. */
export function AboutCopy() {
  const copy = currentCopy();
  if (!copy) return null;
  return (
    <p className="about-copy">
      A published copy, made by Coalescope {copy.version}. Everything here is read from files, or worked out from them
      in the browser: uploads, and fits and recommendations that were not kept, need the program itself.
    </p>
  );
}
