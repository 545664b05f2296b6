// SPDX-License-Identifier: Apache-2.0
/** In a file there is no Python to compare the kernels with: it would be larger than all the rest. */
export function PythonStatus() {
  return <p className="engine">Kernels traced from the models’ Python when this page was built</p>;
}
