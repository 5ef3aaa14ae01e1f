// A Chromium for the browser tests: what is there, else playwright's own download, else Debian's package.
import { existsSync } from 'node:fs';
import { capture, findProgram, say, show, tool } from './bootstrap.mjs';

const PLAYWRIGHT_HOST = 'https://cdn.playwright.dev';

async function playwrightPath() {
  const { chromium } = await import('playwright-core');
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

async function isReachable(url) {
  try {
    await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(5_000) });
    return true;
  } catch {
    return false;
  }
}

/** undefined where there is none to be had; then it has been said. */
export async function findChromium() {
  const found =
    process.env.CHROMIUM ||
    findProgram('chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome') ||
    (await playwrightPath());
  if (found) return found;

  if (await isReachable(PLAYWRIGHT_HOST)) {
    say('Chromium: downloading it with playwright …');
    if ((await show(tool('playwright-core'), ['install', 'chromium'])) === 0) return playwrightPath();
  }
  if (process.getuid?.() === 0 && findProgram('apt-get')) {
    say('Chromium: installing the Debian package …');
    const update = await capture('apt-get', ['update', '-qq']);
    const install = await capture('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      DEBIAN_FRONTEND: 'noninteractive',
    });
    if (findProgram('chromium')) return findProgram('chromium');
    say(`${update.output}\n${install.output}`.trim());
  }
  say('Chromium: none found and none to be had; the browser tests will fail. Install it, or set CHROMIUM to its path.');
  return undefined;
}
