// SPDX-License-Identifier: Apache-2.0
export function RunsPage({ slug }: { slug: string }) {
  return <div className="page">{slug}</div>;
}
