/**
 * `npm run screenshots` starts Quarry with an empty data directory, uses its dashboard in Chromium as a person would,
 * and writes the pictures of docs/dashboard.md and of the README into docs/pictures/. It needs Chromium
 * (Debian: apt-get install chromium; CHROMIUM_PATH names another one).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openChromium, skipWithoutChromium } from '../packages/server/src/test/browser/chromium.ts';
import { buildDashboard } from '../packages/ui/tools/build.ts';
import { isDashboardStale } from '../packages/ui/tools/state.ts';
import { answerHelp, tellProgress } from './help.ts';
import { makeTemporary } from './temporary.ts';

const FOLDER = 'docs/pictures';
const SIZE = { width: 1280, height: 800 };
/** A start makes the sample, which takes seconds; a busy machine takes longer. */
const START_MS = 120_000;
const KEY = `quarry_${'0'.repeat(43)}`;
const QUESTION = 'how are deletions noticed, and when are they held back?';

const TICKETS = [
  'The printer smells of smoke',
  'The door of room 4 creaks',
  'A key is missing',
].map((name, i) => ({
  ...{ entity_id: `T-${i + 1}`, entity_type: 'Ticket', name, text: `${name}. Who can help?` },
  metadata: { state: i === 1 ? 'closed' : 'open' },
}));

answerHelp(import.meta.filename);
if (skipWithoutChromium) throw new Error(skipWithoutChromium);
if (isDashboardStale()) await buildDashboard();
const temporary = makeTemporary();
mkdirSync(FOLDER, { recursive: true });
try {
  await using service = await start();
  const chromium = await openChromium();
  try {
    await takeAll(await (await chromium.person({ viewport: SIZE })).newPage(), service.link);
  } finally {
    await chromium.close();
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

/** Starts the service at a free port, and returns when it prints the link that signs its owner in. */
async function start() {
  const child = spawn(process.execPath, ['-C', 'quarry', 'scripts/start.ts', '--port', '0'], {
    env: { ...process.env, QUARRY_DATA_DIR: join(temporary, 'data'), QUARRY_API_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const link = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (part) => {
      printed += part;
      const found = /Sign in +(http:\S+)/.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on('exit', () => reject(new Error(`the service has ended:\n${printed}`)));
    setTimeout(() => {
      child.kill();
      reject(new Error(`the service has not started:\n${printed}`));
    }, START_MS).unref();
  });
  return { link, [Symbol.asyncDispose]: stop };
}

async function takeAll(page: Page, link: string): Promise<void> {
  const { origin } = new URL(link);
  const open = (path: string) => page.goto(origin + path);
  await page.goto(link);
  await page.waitForURL((url) => url.pathname === '/welcome');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await take(page, 'first-run');
  await addTickets(origin);
  await open(`/search?c=quarry-docs&q=${encodeURIComponent(QUESTION)}`);
  await page.getByRole('button', { name: /^Score .*result 1 / }).click();
  await page.setViewportSize({ ...SIZE, height: 1120 });
  await take(page, 'search');
  await page.setViewportSize(SIZE);
  await open('/collections/quarry-docs');
  await page.getByRole('link', { name: 'Tickets' }).first().waitFor();
  await take(page, 'collection');
  await page.getByRole('link', { name: 'Documentation' }).first().click();
  await page.locator('canvas').waitFor();
  // Everybody sees the picture, and the path of the machine that takes it concerns nobody.
  await page.getByText(`${process.cwd()}/`).evaluate((shown) => {
    shown.textContent = '/home/ann/quarry/';
  });
  await take(page, 'connection');
  await open('/collections/quarry-docs/connect');
  await page.getByText('Google Drive').first().waitFor();
  await take(page, 'sources');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('doc');
  await page.getByRole('option', { name: 'Documentation' }).waitFor();
  await take(page, 'find');
}

/** A second connection shows what a collection of several sources looks like. */
async function addTickets(origin: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as { readonly id: string };
  };
  const { id } = await post('/v1/source-connections', {
    ...{ name: 'Tickets', short_name: 'push', readable_collection_id: 'quarry-docs' },
  });
  await post(`/v1/source-connections/${id}/entities`, { entities: TICKETS });
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  const path = `${FOLDER}/${name}.png`;
  await page.screenshot({ path, animations: 'disabled' });
  tellProgress(path);
}
