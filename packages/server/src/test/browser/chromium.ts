/** Starts Debian's Chromium as the browser of a person, with its own cookies, policies of pages and redirects. */
import { existsSync } from 'node:fs';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const found = [process.env.CHROMIUM_PATH, ...PATHS].find((path) => path && existsSync(path));

/** This is the reason for skipping the tests in a browser, or false. `.ci/run` installs Chromium. */
export const skipWithoutChromium =
  found === undefined && 'no Chromium is installed: apt-get install chromium, or set CHROMIUM_PATH';

export type Chromium = Awaited<ReturnType<typeof openChromium>>;

export async function openChromium() {
  const browser = await chromium.launch({
    executablePath: found ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Neither a page of the tests nor Chromium itself sends requests to the internet.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  });
  return {
    /** Opens the browser of one person, without cookies. */
    person: (options: BrowserContextOptions = {}): Promise<BrowserContext> =>
      browser.newContext(options),
    close: () => browser.close(),
  };
}
