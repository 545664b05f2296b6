// SPDX-License-Identifier: Apache-2.0
export function ModelsPage() {
  return <div className="page">Models</div>;
}
