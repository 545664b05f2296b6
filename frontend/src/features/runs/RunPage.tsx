// SPDX-License-Identifier: Apache-2.0
export function RunPage({ id }: { id: string }) {
  return <div className="page">{id}</div>;
}
