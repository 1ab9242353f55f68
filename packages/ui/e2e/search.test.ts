/** Tests the filters and the steps of the search page, in Chromium and against the real service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { skipWithoutChromium } from '../../server/src/test/browser/chromium.ts';
import { type Dashboard, faultsOf, openDashboard } from './dashboard.ts';

describe('the search page', { skip: skipWithoutChromium }, () => {
  let quarry: Dashboard;
  let collection: string;
  before(async () => {
    quarry = await openDashboard();
    ({ readable_id: collection } = await quarry.ok('POST', '/v1/collections', { name: 'Tickets' }));
    const { id } = await quarry.ok('POST', '/v1/source-connections', {
      ...{ name: 'Pushed', short_name: 'push', readable_collection_id: collection },
    });
    const ticket = (id: string, entity_type: string, fields: object) => ({
      ...{ entity_id: id, entity_type, name: `The ${id}` },
      text: `The crane at the quay is broken, says the ${id}. The crane needs oil.`,
      metadata: fields,
    });
    await quarry.ok('POST', `/v1/source-connections/${id}/entities`, {
      entities: [
        ticket('heron', 'Ticket', { state: 'open', size: 5 }),
        ticket('finch', 'Ticket', { state: 'closed', size: '5' }),
        ticket('robin', 'Letter', { state: 'open', size: 12 }),
      ],
    });
    await quarry.settled(id);
  });
  after(() => quarry.close());

  const address = (more = '') => `/search?c=${collection}&q=crane${more}`;
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  /** Waits until exactly these records are found. */
  async function shows(page: Page, ...names: string[]): Promise<void> {
    const titles = page.locator('.results .result-title');
    const wanted = names.map((name) => `The ${name}`).toSorted();
    let seen: string[] = [];
    for (let i = 0; i < 100; i++) {
      seen = (await titles.allInnerTexts()).toSorted();
      if (JSON.stringify(seen) === JSON.stringify(wanted)) return;
      await page.waitForTimeout(100);
    }
    assert.deepEqual(seen, wanted);
  }

  it('[UI-01] [FIL-01] narrows a search by conditions on the fields of the collection, kept in the address', async () => {
    const page = await quarry.owner();
    await page.goto(address());
    await shows(page, 'heron', 'finch', 'robin');
    await page.getByRole('checkbox', { name: 'Letter' }).check();
    await shows(page, 'robin');
    // Another question keeps what the search is narrowed to, and Back leads to the one before.
    const box = page.getByRole('searchbox', { name: 'Question or words' });
    await box.fill('oil');
    await box.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('q') === 'oil');
    await shows(page, 'robin');
    await page.goBack();
    await page.waitForURL((url) => url.searchParams.get('q') === 'crane');
    assert.equal(await box.inputValue(), 'crane');
    await page.getByRole('checkbox', { name: 'Letter' }).uncheck();
    const dialog = page.getByRole('dialog', { name: 'Add a filter' });
    const add = async (field: string, condition: string, value: string) => {
      await button(page, 'Add a filter').click();
      await dialog.getByLabel('Field').fill(field);
      await dialog.getByLabel('Condition').selectOption({ label: condition });
      await dialog.getByLabel('Value').fill(value);
      await button(page, 'Add').click();
    };
    await button(page, 'Add a filter').click();
    await button(page, 'Add').click();
    await dialog.getByText('Choose a field.').waitFor();
    await dialog.getByText('Write a value.').waitFor();
    assert.deepEqual(await faultsOf(page, 'a condition'), []);
    assert.equal(await page.locator('datalist option[value=state]').count(), 1);
    await button(page, 'Cancel').click();
    await add('state', 'is', 'open');
    await shows(page, 'heron', 'robin');
    await add('size', 'is', '5');
    await shows(page, 'heron');
    await button(page, 'Take away: state is open').click();
    await shows(page, 'heron', 'finch');
    await button(page, 'Take away: size is 5').click();
    await add('size', 'is at least', 'many');
    await dialog.getByText('Write a number, such as 12.5.').waitFor();
    await dialog.getByLabel('Value').fill('6');
    await button(page, 'Add').click();
    await shows(page, 'robin');
    // The address alone finds the same, and so do the texts for programs.
    await page.goto(page.url());
    await shows(page, 'robin');
    for (const language of ['curl', 'MCP']) {
      await page.getByText(language, { exact: true }).click();
      const text = await page.getByLabel(`search by ${language.toLowerCase()}`).first().innerText();
      const env = { ...process.env, QUARRY_API_KEY: quarry.key };
      const { stdout } = await promisify(execFile)('bash', ['-c', text], { env });
      assert.match(stdout, /robin/, language);
      assert.doesNotMatch(stdout, /heron|finch/, language);
    }
    assert.deepEqual(await faultsOf(page, 'a narrowed search'), []);
    await page.context().close();
  });

  it('[UI-02] narrows a search on a telephone, where types and sources are a dialog above the results', async () => {
    const page = await quarry.owner({ viewport: { width: 360, height: 780 } });
    await page.goto(address());
    const options = page.getByRole('button', { name: /^Options/ });
    await options.click();
    await button(page, 'Types and sources').click();
    const dialog = page.getByRole('dialog', { name: 'Types and sources' });
    await dialog.getByRole('checkbox', { name: 'Letter' }).check();
    assert.deepEqual(await faultsOf(page, 'types and sources'), []);
    await button(page, 'Show the results').click();
    await shows(page, 'robin');
    await button(page, 'Types and sources (1)').waitFor();
    assert.equal(await options.innerText(), 'Options (1)');
    await quarry.ok('POST', '/v1/collections', { name: 'Nothing', readable_id: 'nothing' });
    await page.goto('/search?c=nothing&q=crane');
    await page.getByText('This collection is empty.').waitFor();
    assert.equal(await button(page, 'Types and sources').count(), 0);
    await page.context().close();
  });

  it('[UI-02] shows results on the first screen of a telephone, with the options folded into one row', async () => {
    const page = await quarry.owner({ viewport: { width: 360, height: 780 } });
    await page.goto(address());
    await shows(page, 'heron', 'finch', 'robin');
    const options = page.getByRole('button', { name: /^Options/ });
    const tools = page.getByRole('group', { name: 'How to search' });
    const isOnScreen = async () => {
      const box = await page.locator('.result-title').first().boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= 780;
    };
    assert.ok(await isOnScreen());
    assert.equal(await page.evaluate('scrollY'), 0);
    assert.equal(await options.getAttribute('aria-expanded'), 'false');
    assert.equal(await tools.isVisible(), false);
    await options.click();
    await tools.waitFor();
    await page.getByText('Words', { exact: true }).click();
    await page.getByRole('button', { name: 'Options (1)' }).waitFor();
    assert.deepEqual(await faultsOf(page, 'the options'), []);
    // The next search folds them, and an option that is set still counts.
    const box = page.getByRole('searchbox', { name: 'Question or words' });
    await box.fill('broken crane');
    await box.press('Enter');
    await tools.waitFor({ state: 'hidden' });
    await shows(page, 'heron', 'finch', 'robin');
    await page.getByRole('button', { name: 'Options (1)' }).waitFor();
    assert.ok(await isOnScreen());
    // A fault of the address is never folded.
    await page.goto(address('&f=text'));
    await page.getByText('The filter in the address cannot be read').waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await tools.waitFor();
    assert.equal(await options.isVisible(), false);
    await page.context().close();
  });

  it('[UI-01] [FIL-01] takes any filter of the API as JSON, and says what is wrong with one', async () => {
    const page = await quarry.owner();
    await page.goto(address());
    const apply = async (text: string) => {
      await page.getByRole('textbox', { name: 'Filter' }).fill(text);
      await button(page, 'Use this filter').click();
    };
    await button(page, 'Edit as JSON').click();
    for (const [text, said] of [
      ['{', 'This is not JSON'],
      ['[]', 'A filter is an object'],
    ] as const) {
      await apply(text);
      await page.getByText(said).waitFor();
    }
    const key = 'metadata.state';
    const should = [
      { key, match: { value: 'closed' } },
      { key: 'name', match: { text: 'robin' } },
    ];
    await apply(JSON.stringify({ should }));
    await shows(page, 'finch', 'robin');
    await page.getByRole('checkbox', { name: 'Letter' }).check();
    await shows(page, 'robin');
    await button(page, 'Edit as JSON').click();
    await apply('{"must": [{"key": "colour", "match": {"value": "red"}}]}');
    await page.getByText("'colour' is not a filter key").waitFor();
    for (const wrong of ['&f=text', '&f=[{"field":"name"}]', '&filter=[1]']) {
      await page.goto(address(wrong));
      await page.getByText('The filter in the address cannot be read').waitFor();
      assert.equal(await page.locator('.result-title').count(), 0);
    }
    await button(page, 'Search without it').click();
    await shows(page, 'heron', 'finch', 'robin');
    await page.context().close();
  });

  it('[UI-01] [AGT-01] shows the steps of an agentic search, and an answer whose citations lead to their passages', async () => {
    const page = await quarry.owner();
    await page.goto(address());
    await page.getByText('Agentic search').click();
    await page.getByRole('list', { name: 'Passages' }).waitFor();
    const cite = page.locator('.answer .cite').first();
    const number = await cite.innerText();
    await cite.click();
    const focused = 'document.activeElement.closest("li")?.id';
    assert.equal(await page.evaluate(focused), `result-${number}`);
    await page.locator(`#result-${number}[data-cited]`).waitFor();
    await page.getByText(/^\d+ steps/).click();
    await page
      .getByText(/^Searched “.*crane.*”: \d+ passages?$/)
      .first()
      .waitFor();
    await page.getByText(/^Without a language model, Quarry/).waitFor();
    assert.deepEqual(await faultsOf(page, 'an agentic search'), []);
    await page.goto(
      address(
        `&mode=steps&f=${JSON.stringify([{ field: 'metadata.state', operator: 'is', value: 'closed' }])}`,
      ),
    );
    await shows(page, 'finch');
    await page.goto(address('&mode=steps&filter={"must":[]}'));
    await page.getByText('An agentic search takes no filter in JSON').waitFor();
    await page.context().close();
  });

  it('[UI-01] marks the passage of a citation for a moment, by a click and by its number, and moves the focus to it', async () => {
    const page = await quarry.owner({ viewport: { width: 1280, height: 500 } });
    await page.goto(address());
    const cite = page.locator('.answer .cite').first();
    const number = await cite.innerText();
    const isInView = (): Promise<boolean> =>
      page.evaluate(
        `document.getElementById('result-${number}').getBoundingClientRect().bottom <= innerHeight`,
      );
    const colour = (): Promise<string> =>
      page.evaluate(
        `getComputedStyle(document.getElementById('result-${number}')).backgroundColor`,
      );
    const before = await colour();
    const press = [() => cite.click(), () => page.keyboard.press(number)];
    for (const [i, go] of press.entries()) {
      await page.evaluate('document.querySelector("main h1").focus()');
      await go();
      await page.locator(`#result-${number}[data-cited]`).waitFor();
      assert.notEqual(await colour(), before, `way ${i}`);
      assert.equal(await page.locator('[data-cited]').count(), 1);
      assert.equal(
        await page.evaluate('document.activeElement.className'),
        'result-title',
        `way ${i}`,
      );
      assert.ok(await isInView());
      await page.locator('[data-cited]').waitFor({ state: 'detached' });
      assert.equal(await colour(), before);
    }
    await page.context().close();
  });

  it('[UI-01] [SRH-35] says that records may answer where no sentence does, and quotes what answers', async () => {
    const page = await quarry.owner();
    const may = page.getByText('The records below may answer it. No language model has read them');
    const query = encodeURIComponent('What did the painter of the crane cost?');
    for (const mode of ['', '&mode=steps']) {
      await page.goto(`/search?c=${collection}&q=${query}${mode}`);
      await may.waitFor();
      assert.ok((await page.locator('.result-title').count()) > 0);
      assert.equal(await page.getByText(/Nothing in this collection answers/).count(), 0);
      assert.equal(await page.getByText('quoted from the results').count(), 0);
      assert.deepEqual(await faultsOf(page, 'an answer that nobody wrote'), []);
    }
    await page.goto(address());
    await page.getByText('quoted from the results').waitFor();
    assert.equal(await may.count(), 0);
    await page.context().close();
  });

  it('[UI-01] says that nothing is found, and what to try', async () => {
    const page = await quarry.owner();
    const nothing = 'Nothing matches. Try fewer or other words, or take filters away.';
    await page.goto(`/search?c=${collection}&q=zzyzx&by=keyword`);
    await page.getByText(nothing).waitFor();
    assert.equal(await page.locator('.result-title').count(), 0);
    assert.equal(await page.getByRole('heading', { name: 'Answer' }).count(), 0);
    assert.deepEqual(await faultsOf(page, 'nothing found'), []);
    await page.goto(
      address(`&f=${JSON.stringify([{ field: 'metadata.size', operator: 'is', value: '999' }])}`),
    );
    await page.getByText(nothing).waitFor();
    await page.context().close();
  });

  it('[UI-01] an agentic search can be cancelled, and a stream that breaks or is refused is not taken for an answer', async () => {
    const page = await quarry.owner();
    const stream = '**/agentic-search/stream';
    // The service does not answer.
    await page.route(stream, () => {});
    await page.goto(address('&mode=steps'));
    await button(page, 'Cancel').click();
    await page.getByText('Nothing more is searched.').waitFor();
    const answers = [
      { body: 'data: {"type":"planning","reasoning":"Looks for the crane"}\n\n' },
      { body: 'data: {"type":"error","message":"the index is being rebuilt"}\n\n' },
      { status: 403, body: '{"detail":"this organization may not search in steps"}' },
    ];
    const said = [
      'The connection broke before the answer came.',
      'The index is being rebuilt.',
      'This organization may not search in steps.',
    ];
    await page.unroute(stream);
    await page.route(stream, async (route) => {
      const { status = 200, body = '' } = answers.shift() ?? {};
      const contentType = status === 200 ? 'text/event-stream' : 'application/json';
      await route.fulfill({ status, contentType, body });
    });
    for (const words of said) {
      await button(page, 'Ask again').click();
      await page.getByText(words).waitFor();
      assert.equal(await page.locator('.result-title').count(), 0);
    }
    await page.unroute(stream);
    // The second answer comes from the service, without another click.
    const headers = { 'retry-after': '3' };
    const body = '{"detail":"the limit of this organization is reached"}';
    await page.route(stream, (route) => route.fulfill({ status: 429, headers, body }), {
      times: 1,
    });
    await button(page, 'Ask again').click();
    await page.getByText('The limit of this organization is reached.').waitFor();
    await page.getByText(/^Trying again in \d s/).waitFor();
    await page.getByRole('list', { name: 'Passages' }).waitFor();
    assert.equal(await page.getByText('The limit of this organization is reached.').count(), 0);
    await page.context().close();
  });
});
