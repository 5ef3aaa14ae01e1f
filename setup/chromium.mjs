// A Chromium for the browser tests: what is there, else playwright's own download, else Debian's package.
import { existsSync } from 'node:fs';
import { capture, findProgram, say, show, tool } from './bootstrap.mjs';

const PLAYWRIGHT_HOST = 'https://cdn.playwright.dev';
/** Without windows first: what the pages cost is theirs alone, three quarters of the processor time of a whole browser. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const DEBIAN_PACKAGES = ['chromium-headless-shell', 'chromium'];

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
  const found = process.env.CHROMIUM || findProgram(...NAMES) || (await playwrightPath());
  if (found) return found;

  if (await isReachable(PLAYWRIGHT_HOST)) {
    say('Chromium: downloading it with playwright …');
    if ((await show(tool('playwright-core'), ['install', 'chromium'])) === 0) return playwrightPath();
  }
  if (process.getuid?.() === 0 && findProgram('apt-get')) {
    say('Chromium: installing the Debian package …');
    const tried = [await capture('apt-get', ['update', '-qq'])];
    for (const name of DEBIAN_PACKAGES) {
      const options = ['-y', '-qq', '--no-install-recommends'];
      tried.push(await capture('apt-get', ['install', ...options, name], { DEBIAN_FRONTEND: 'noninteractive' }));
      const installed = findProgram(...NAMES);
      if (installed) return installed;
    }
    say(tried.map(({ output }) => output.trim()).join('\n'));
  }
  say('Chromium: none found and none to be had; the browser tests will fail. Install it, or set CHROMIUM to its path.');
  return undefined;
}
