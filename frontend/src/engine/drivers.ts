// SPDX-License-Identifier: Apache-2.0
// The drivers whose coalescing is known, as `ethtool -i` shows them.
export { drivers } from 'virtual:drivers';
