// SPDX-License-Identifier: Apache-2.0
export function ExplorerPage({ slug }: { slug: string }) {
  return <div className="page">{slug}</div>;
}
