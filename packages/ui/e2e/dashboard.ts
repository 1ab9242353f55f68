/** Opens the built dashboard in Chromium, with the real service behind it. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openTestQuarry } from '../../server/src/test/app/quarry.ts';
import { openChromium } from '../../server/src/test/browser/chromium.ts';
import { DATABASES } from '../../server/src/test/databases.ts';
import { must } from '../../server/src/util.ts';
import { buildDashboard } from '../tools/build.ts';
import { isDashboardStale } from '../tools/state.ts';

/** A busy machine needs this long for a page. */
const PATIENCE_MS = 60_000;

export type Dashboard = Awaited<ReturnType<typeof openDashboard>>;

interface DashboardPlace {
  /** The service listens here; 0 takes a free port. */
  readonly port?: number;
  /** Pages may also ask these origins, such as that of an issuer. */
  readonly others?: readonly string[];
}

export async function openDashboard(
  options: Parameters<typeof openTestQuarry>[1] = {},
  { port: wanted = 0, others = [] }: DashboardPlace = {},
) {
  if (isDashboardStale()) await buildDashboard();
  const quarry = await openTestQuarry(await must(DATABASES[0]).open(), options);
  await quarry.api.listen({ host: '127.0.0.1', port: wanted });
  const { port } = quarry.api.server.address() as AddressInfo;
  const origin = `http://localhost:${port}`;
  const chromium = await openChromium();
  /** These are faults of all pages: messages of the console, errors, and requests to other hosts. */
  const faults: string[] = [];

  function watch(page: Page): void {
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      // Chromium reports each answer that is an error, also those that the page explains to the person.
      const isAnswer = message.text().startsWith('Failed to load resource');
      if (['error', 'warning'].includes(message.type()) && !isAnswer) faults.push(message.text());
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      const isExpected = url.protocol === 'data:' || [origin, ...others].includes(url.origin);
      if (!isExpected) faults.push(`asks ${url.href}`);
    });
  }

  return {
    ...quarry,
    origin,
    /** Opens the browser of somebody who has not signed in. */
    async person(more: BrowserContextOptions = {}): Promise<BrowserContext> {
      return chromium.person({ baseURL: origin, ...more });
    },
    async page(person: BrowserContext): Promise<Page> {
      const page = await person.newPage();
      watch(page);
      return page;
    },
    /** Opens a page for the owner, who signs in by the link of the start. */
    async owner(more: BrowserContextOptions = {}): Promise<Page> {
      const page = await this.page(await this.person(more));
      // The first run would open instead, while there is nothing to search.
      const { url } = must(await quarry.startLink());
      await page.goto(url.replace('/start#', '/start?to=/collections#'));
      await page.getByRole('heading', { name: 'Collections', exact: true }).waitFor();
      return page;
    },
    /** Invites somebody, and returns the link. */
    async invite(email: string, role: string): Promise<string> {
      return (await quarry.ok('POST', '/v1/members', { email, role })).invitation_url;
    },
    async close() {
      await chromium.close();
      await quarry.close();
      assert.deepEqual(faults, []);
    },
  };
}

/**
 * Returns what axe finds that people with disabilities cannot use, and by how much the page is wider than its window.
 */
export async function faultsOf(page: Page, where: string): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
  });
  // The code of the page is a text, because the tests are compiled without the types of a browser.
  const overflow: number = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  if (overflow > 0) violations.push(`${overflow} px too wide`);
  return violations.map((violation) => `${where}: ${violation}`);
}
