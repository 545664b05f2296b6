// SPDX-License-Identifier: Apache-2.0
import { Icon } from '../../components/Icon';
export function ShareMenu() {
  return (
    <button type="button" className="quiet">
      <Icon name="link" />
      <span>Share</span>
    </button>
  );
}
