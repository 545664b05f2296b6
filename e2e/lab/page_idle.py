# SPDX-License-Identifier: Apache-2.0
"""When a page stands still: for the browser tests and for whoever takes pictures."""

TWO_FRAMES = "() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))"

# What a gesture begins has begun by the second frame; what turns for ever is not waited for. Asked
# again in the page: its policy lets nothing but one evaluation at a time in.
STILL = f"""async (patience_ms) => {{
  const twoFrames = {TWO_FRAMES};
  const moves = (each) => each.playState === 'running'
    && each.effect?.getTiming().iterations !== Infinity;
  const end = performance.now() + patience_ms;
  do {{
    await twoFrames();
    const settled = document.documentElement.hasAttribute('data-settled');
    if (settled && !document.getAnimations().some(moves)) return;
  }} while (performance.now() < end);
  throw new Error('the page does not come to rest');
}}"""
