// SPDX-License-Identifier: Apache-2.0
// Sets data-theme before the first paint: ?theme= for this view, else what the reader chose, else what the system prefers.
(() => {
  const known = (theme) => (theme === 'light' || theme === 'dark' ? theme : null);
  let kept = null;
  try {
    kept = localStorage.getItem('coalescope.theme');
  } catch {
    // Storage may be closed to the page; the system's preference still holds.
  }
  const asked = new URLSearchParams(location.search).get('theme');
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = known(asked) ?? known(kept) ?? system;
})();
