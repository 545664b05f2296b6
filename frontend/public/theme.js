// SPDX-License-Identifier: Apache-2.0
// Sets data-theme before the first paint: ?theme= for this view, else what the reader chose, else what the system prefers.
// An embed stands in somebody else's page: what was chosen here says nothing about it.
(() => {
  const known = (theme) => (theme === 'light' || theme === 'dark' ? theme : null);
  const framed = location.pathname.includes('/embed/');
  let kept = null;
  try {
    if (!framed) kept = localStorage.getItem('coalescope.theme');
  } catch {
    // Storage may be closed to the page; the system's preference still holds.
  }
  const asked = new URLSearchParams(location.search).get('theme');
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const { dataset } = document.documentElement;
  if (framed) dataset.framed = '';
  const decided = known(asked) ?? known(kept);
  dataset.theme = decided ?? system;
  if (decided === null) dataset.follows = 'system';
})();
