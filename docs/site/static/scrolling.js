// SPDX-License-Identifier: Apache-2.0
// What is wider than the page scrolls by keys, too, where it can have the focus.
function takeFocusWhereWider() {
  for (const box of document.querySelectorAll('pre, .table-wrapper, .equation')) {
    box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1;
  }
}
document.addEventListener('DOMContentLoaded', takeFocusWhereWider);
window.addEventListener('resize', takeFocusWhereWider);
