// SPDX-License-Identifier: Apache-2.0
export function ExperimentsPage() {
  return <div className="page">Experiments</div>;
}
