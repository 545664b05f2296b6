// SPDX-License-Identifier: Apache-2.0
// Before the page is drawn: the look that its reader chose.
try {
  document.body.dataset.theme = localStorage.getItem('theme') || 'auto';
} catch {
  document.body.dataset.theme = 'auto'; // nothing is kept here
}
