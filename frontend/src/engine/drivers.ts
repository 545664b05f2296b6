// SPDX-License-Identifier: Apache-2.0
// The drivers whose coalescing is known, as `ethtool -i` shows them, and the kernels that it is known of.
export { drivers, releases } from 'virtual:drivers';
