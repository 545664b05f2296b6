// SPDX-License-Identifier: Apache-2.0
export function LinkPage({ token }: { token: string }) {
  return <div className="page">{token}</div>;
}
