# SPDX-License-Identifier: Apache-2.0
"""The list of experiments, with which the page begins."""

import pytest
from playwright.sync_api import Page, expect

from .conftest import Console, stand_still

pytestmark = pytest.mark.browser

COVERED = """tiles => tiles.filter((tile) => {
  tile.scrollIntoView({ block: 'center' });
  const { x, y, width, height } = tile.getBoundingClientRect();
  const place = tile.closest('figure').getBoundingClientRect();
  const top = document.elementFromPoint(x + 4, y + height / 2);
  return !tile.contains(top) || x < place.x || y < place.y || x + width > place.right + 1;
}).length"""


def test_each_is_seen_at_a_glance(page: Page, console: Console) -> None:
    page.goto("/")
    tiles = page.locator("table .tiles svg")
    expect(tiles.nth(5)).to_be_visible()
    stand_still(page)
    assert tiles.evaluate_all(COVERED) == 0
