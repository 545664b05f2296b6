// SPDX-License-Identifier: Apache-2.0
export function ModelPage({ id }: { id: string }) {
  return <div className="page">{id}</div>;
}
