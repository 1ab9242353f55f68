/** Tests servers with less than Radicale has, and answers that break off, by a proxy that changes Radicale's answers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { caldav } from '../../sources/catalog/caldav.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { skipWaits } from '../skip-waits.ts';
import { contextOf, entitiesOf, itemsOf, lastCursor, pullAll } from './harness.ts';
import { event, openRadicale, PEOPLE, type Radicale, skipWithoutRadicale } from './radicale.ts';

interface ProxiedAnswer {
  status: number;
  body: string;
}
interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly asked: string;
}
type Change = (answer: ProxiedAnswer, exchange: Exchange) => void;

async function openProxy(target: string) {
  const proxy = { change: null as Change | null, exchanges: [] as Exchange[] };
  const server = createServer(async (request, response) => {
    let asked = '';
    for await (const piece of request) asked += piece;
    const { method = '', url: path = '' } = request;
    const { authorization = '', depth = '0' } = request.headers;
    const real = await fetch(new URL(path, target), {
      method,
      redirect: 'manual',
      headers: { authorization, depth: String(depth), 'content-type': 'application/xml' },
      ...(asked !== '' && { body: asked }),
    });
    const exchange = { method, path, asked };
    proxy.exchanges.push(exchange);
    const answer = { status: real.status, body: await real.text() };
    proxy.change?.(answer, exchange);
    const location = real.headers.get('location');
    response.writeHead(answer.status, { ...(location !== null && { location }) }).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
}

const isSync = ({ asked }: Exchange) => asked.includes('sync-collection');

describe('a CalDAV server with less', { skip: skipWithoutRadicale }, () => {
  let server: Radicale;
  let proxy: Awaited<ReturnType<typeof openProxy>>;
  let work: string;
  let home: string;
  let skipped: ReturnType<typeof skipWaits>;
  before(async () => {
    skipped = skipWaits(100);
    server = await openRadicale();
    proxy = await openProxy(server.baseUrl);
    work = await server.calendar('work', 'Work');
    home = await server.calendar('home', 'Home');
    for (const name of ['a', 'b', 'c']) {
      await server.put(`${work}${name}.ics`, event(`w${name}`, `work ${name}`));
      await server.put(`${home}${name}.ics`, event(`h${name}`, `home ${name}`));
    }
  });
  after(async () => {
    skipped.restore();
    proxy.close();
    await server.close();
  });
  const settings = () => ({
    credentials: { username: 'ann', password: PEOPLE.ann },
    config: { url: proxy.url },
  });
  async function pull(change: Change | null, cursor?: unknown) {
    proxy.change = change;
    proxy.exchanges.length = 0;
    return pullAll(caldav, settings(), { cursor });
  }
  const idsOf = (items: readonly SourceItem[]) => itemsOf(items, 'stub').map(({ id }) => id);
  const listedIn = (items: readonly SourceItem[]) =>
    itemsOf(items, 'listed').map(({ partition }) => partition);

  const lostIn = (items: readonly SourceItem[]) =>
    itemsOf(items, 'lost').map(({ partition }) => partition);

  it('without sync tokens a changed calendar is listed whole, and an unchanged one is not asked', async () => {
    const without: Change = (answer) => {
      answer.body = answer.body.replaceAll(/<(\w+:)?sync-token>.*?<\/(\w+:)?sync-token>/gs, '');
    };
    const first = await pull(without);
    assert.equal(idsOf(first).length, 6);
    const again = await pull(without, lastCursor(first));
    assert.deepEqual([idsOf(again), listedIn(again)], [[], []]);
    await server.remove(`${work}a.ics`);
    const next = await pull(without, lastCursor(again));
    assert.deepEqual(idsOf(next).toSorted(), [`${work}b.ics`, `${work}c.ics`]);
    assert.deepEqual(listedIn(next), ['ann/work']);
    await server.put(`${work}a.ics`, event('wa', 'work a'));
  });

  it('without the report calendars are listed whole, each time that they have changed', async () => {
    const without: Change = (answer, exchange) => {
      if (isSync(exchange)) Object.assign(answer, { status: 501, body: 'not implemented' });
    };
    const first = await pull(without);
    assert.equal(idsOf(first).length, 6);
    assert.deepEqual(idsOf(await pull(without, lastCursor(first))), []);
    await server.put(`${home}d.ics`, event('hd', 'home d'));
    const next = await pull(without, lastCursor(first));
    assert.deepEqual([idsOf(next).length, listedIn(next)], [4, ['ann/home']]);
    await server.remove(`${home}d.ics`);
  });

  it('a report in several answers is read to its end, and one that repeats itself is an error', async () => {
    const more = `<response><href>/ann/work/</href><status>HTTP/1.1 507 Insufficient Storage</status></response></multistatus>`;
    let parts = 2;
    const inParts: Change = (answer, exchange) => {
      if (!isSync(exchange) || exchange.path !== work || parts-- <= 0) return;
      answer.body = answer.body
        .replace('</multistatus>', more)
        .replace(/(sync-token>)[^<]*/, `$1part-${parts}`);
    };
    const asTold: Change = (answer, exchange) => {
      if (exchange.asked.includes('part-')) answer.status = 207;
      inParts(answer, exchange);
    };
    proxy.change = null;
    const { calendars } = lastCursor(await pull(null)) as { calendars: Record<string, string> };
    await assert.rejects(pull(asTold), { name: 'SourceError' });
    parts = 1;
    const real = must(calendars[work]);
    const first = await pull((answer, exchange) => {
      if (!isSync(exchange) || exchange.path !== work || parts-- <= 0) return;
      answer.body = answer.body.replace('</multistatus>', more);
    });
    assert.equal(idsOf(first).length, 6);
    const asked = proxy.exchanges.filter((one) => isSync(one) && one.path === work);
    assert.equal(asked.length, 2);
    assert.ok(asked[1]?.asked.includes(real));
    assert.deepEqual(lastCursor(first), { calendars });
    await assert.rejects(
      pull((answer, exchange) => {
        if (isSync(exchange)) answer.body = answer.body.replace('</multistatus>', more);
      }),
      { kind: 'fatal', message: /again and again/ },
    );
  });

  it('a calendar that may not be read is lost, the others are read, and its token stays', async () => {
    const cursor = lastCursor(await pull(null));
    await server.put(`${work}n.ics`, event('wn', 'new'));
    await server.put(`${home}n.ics`, event('hn', 'new'));
    const forbidden: Change = (answer, { path, method }) => {
      if (path === work && method !== 'GET') Object.assign(answer, { status: 403, body: 'no' });
    };
    const next = await pull(forbidden, cursor);
    assert.deepEqual(
      itemsOf(next, 'lost').map(({ partition }) => partition),
      ['ann/work'],
    );
    assert.deepEqual(idsOf(next), [`${home}n.ics`]);
    assert.deepEqual(idsOf(await pull(null, lastCursor(next))), [`${work}n.ics`]);
    for (const calendar of [work, home]) await server.remove(`${calendar}n.ics`);
  });

  it('a calendar that the server refuses within its answer is lost, and keeps its token', async () => {
    const cursor = lastCursor(await pull(null));
    const refusals: Record<string, (found: string) => string> = {
      'the calendar': () =>
        `<response><href>${work}</href><status>HTTP/1.1 403 Forbidden</status></response>`,
      'its type': (found) =>
        found.replace(
          /(<propstat>.*?)<resourcetype>.*?<\/resourcetype>/s,
          '<propstat><prop><resourcetype /></prop><status>HTTP/1.1 403 Forbidden</status></propstat>$1',
        ),
    };
    for (const [name, change] of Object.entries(refusals)) {
      const refused: Change = (answer, { method, path }) => {
        if (method !== 'PROPFIND' || path !== '/ann/') return;
        const ofWork = new RegExp(
          `<response>(?:(?!</response>).)*<href>${work}</href>.*?</response>`,
          's',
        );
        answer.body = answer.body.replace(ofWork, change);
      };
      for (const from of [cursor, undefined]) {
        const next = await pull(refused, from);
        assert.deepEqual(lostIn(next), ['ann/work'], name);
        assert.deepEqual(listedIn(next), from ? [] : ['ann/home'], name);
        const { calendars } = lastCursor(next) as typeof cursor as { calendars: object };
        assert.deepEqual(Object.keys(calendars).toSorted(), [home, work], name);
      }
      assert.deepEqual(lastCursor(await pull(refused, cursor)), cursor, name);
      const chosen = await pullAll(
        caldav,
        { ...settings(), config: { url: proxy.url, calendars: [work] } },
        { cursor },
      );
      assert.deepEqual(lostIn(chosen), ['ann/work'], name);
    }
    assert.deepEqual(listedIn(await pull(null, cursor)), []);
  });

  it('an answer that refuses the home of the calendars, or lacks it, is no empty list', async () => {
    const cursor = lastCursor(await pull(null));
    const xml = (inside: string) =>
      `<?xml version="1.0"?><multistatus xmlns="DAV:">${inside}</multistatus>`;
    const withoutHome = (found: string) =>
      found.replaceAll(/<(\w+:)?calendar-home-set>.*?<\/(\w+:)?calendar-home-set>/gs, '');
    const refused =
      '<propstat><prop><calendar-home-set /></prop><status>HTTP/1.1 403 Forbidden</status></propstat>';
    const changes: Record<string, (found: string) => string> = {
      empty: () => xml(''),
      'a refused home': () =>
        xml('<response><href>/ann/</href><status>HTTP/1.1 403 Forbidden</status></response>'),
      'a refused property': (found) =>
        withoutHome(found).replace('</propstat>', `</propstat>${refused}`),
      'no home': withoutHome,
    };
    for (const [name, change] of Object.entries(changes))
      for (const url of [proxy.url, `${proxy.url}ann/`]) {
        proxy.change = (answer, { path }) => {
          if (path === '/ann/') answer.body = change(answer.body);
        };
        await assert.rejects(
          pullAll(caldav, { ...settings(), config: { url } }, { cursor }),
          { name: 'SourceError' },
          `${name} at ${url}`,
        );
      }
  });

  it('an entry that the server refuses within its answer stays, and is asked for again', async () => {
    const cursor = lastCursor(await pull(null));
    const refused: Change = (answer, { asked, path, method }) => {
      if (path !== work || !/getetag/.test(asked) || method === 'GET') return;
      const ofEntry = new RegExp(
        `<response>(?:(?!</response>).)*<href>${work}n.ics</href>.*?</response>`,
        's',
      );
      answer.body = answer.body.replace(
        ofEntry,
        `<response><href>${work}n.ics</href><status>HTTP/1.1 423 Locked</status></response>`,
      );
    };
    const withoutReport: Change = (answer, exchange) => {
      if (isSync(exchange)) Object.assign(answer, { status: 501, body: 'not implemented' });
      refused(answer, exchange);
    };
    await server.put(`${work}n.ics`, event('wn', 'new'));
    for (const change of [refused, withoutReport])
      for (const from of [cursor, undefined]) {
        const items = await pull(change, from);
        assert.deepEqual(
          itemsOf(items, 'fail').map(({ id }) => id),
          [`${work}n.ics`],
        );
        const next = await pull(null, lastCursor(items));
        assert.ok(idsOf(next).includes(`${work}n.ics`));
        assert.deepEqual(lastCursor(next), lastCursor(await pull(null)));
      }
    await server.remove(`${work}n.ics`);
  });

  it('a listing without the calendar itself is no empty calendar', async () => {
    for (const inside of [
      '',
      `<response><href>${work}</href><status>HTTP/1.1 403 Forbidden</status></response>`,
    ]) {
      const items = await pull((answer, exchange) => {
        if (isSync(exchange)) Object.assign(answer, { status: 501, body: 'not implemented' });
        else if (exchange.path === work)
          answer.body = `<multistatus xmlns="DAV:">${inside}</multistatus>`;
      });
      assert.deepEqual([lostIn(items), listedIn(items)], [['ann/work'], ['ann/home']]);
    }
  });

  it('an answer that breaks off, is not XML or has no list never becomes a shorter calendar', async () => {
    const cursor = lastCursor(await pull(null));
    await server.put(`${work}n.ics`, event('wn', 'new'));
    for (const [name, change] of Object.entries<(body: string) => string>({
      cut: (body) => body.slice(0, -20),
      html: () => '<html><body>Welcome</body></html>',
      empty: () => '',
      text: () => 'ok',
      withoutTags: (body) => body.replaceAll(/<getetag>.*?<\/getetag>/g, ''),
      withoutToken: (body) => body.replaceAll(/<sync-token>.*?<\/sync-token>/g, ''),
    }))
      for (const from of [undefined, cursor])
        await assert.rejects(
          pull((answer, exchange) => {
            if (isSync(exchange)) answer.body = change(answer.body);
          }, from),
          { name: 'SourceError' },
          name,
        );
    await server.remove(`${work}n.ics`);
  });

  it('an entry that breaks the answer for many fails alone, and one that is gone is a failure', async () => {
    const items = await pull(null);
    proxy.change = (answer, { asked }) => {
      if (asked.includes('calendar-multiget') && asked.includes(`${work}b.ics`))
        answer.body = '<a/>';
      if (asked.includes('calendar-multiget'))
        answer.body = answer.body.replace(`${home}c.ics`, '/x');
    };
    const read: SourceItem[] = [];
    for await (const item of must(caldav.hydrate)(
      contextOf(caldav, settings()),
      itemsOf(items, 'stub'),
    ))
      read.push(item);
    assert.deepEqual(
      itemsOf(read, 'fail')
        .map(({ id }) => id)
        .toSorted(),
      [`${home}c.ics`, `${work}b.ics`],
    );
    assert.equal(entitiesOf(read).length, 4);
  });

  it('an entry that is listed and not sent is found no more, and stays while it is locked', async () => {
    const stubs = itemsOf(await pull(null), 'stub');
    const path = `${home}c.ics`;
    const ofEntry = new RegExp(
      `<response>(?:(?!</response>).)*<href>${path}</href>.*?</response>`,
      's',
    );
    const status = (code: number) => `<status>HTTP/1.1 ${code} No</status>`;
    const whole = (code: number) => status(code);
    const ofText = (code: number) =>
      `<propstat><prop><C:calendar-data xmlns:C="urn:ietf:params:xml:ns:caldav" /></prop>${status(code)}</propstat>`;
    for (const refused of [whole, ofText])
      for (const code of [403, 404, 410, 423, 503]) {
        proxy.change = (answer) => {
          const said = `<response><href>${path}</href>${refused(code)}</response>`;
          answer.body = answer.body.replace(ofEntry, said);
        };
        const read: SourceItem[] = [];
        for await (const item of must(caldav.hydrate)(contextOf(caldav, settings()), stubs))
          read.push(item);
        const [left, ...others] = [...itemsOf(read, 'skip'), ...itemsOf(read, 'fail')];
        assert.deepEqual(others, []);
        const isPassing = code === 423 || code === 503 || (refused === ofText && code !== 403);
        assert.deepEqual(
          [left?.id, left?.kind, left?.removes],
          [path, isPassing ? 'fail' : 'skip', isPassing ? undefined : 'record'],
          `${refused.name} ${code}`,
        );
      }
  });

  it('calendars at another host are not asked for, and the refusal names the host', async () => {
    await assert.rejects(
      pull((answer) => {
        answer.body = answer.body.replaceAll(
          '<href>/ann/</href>',
          '<href>https://p12.example.org/ann/</href>',
        );
      }),
      { kind: 'config', message: 'the calendars of this account are at https://p12.example.org' },
    );
  });

  it('an entry of more than 2 MB is left out, before it is read when the server tells its size', async () => {
    const items = await pull((answer, exchange) => {
      if (isSync(exchange))
        answer.body = answer.body.replace(
          new RegExp(`(<href>${home}a.ics</href>.*?<prop>)`, 's'),
          (found) => `${found}<getcontentlength>3000000</getcontentlength>`,
        );
    });
    assert.deepEqual(
      itemsOf(items, 'skip').map(({ id, reason, removes }) => [id, reason, removes]),
      [[`${home}a.ics`, 'too large', 'record']],
    );
    proxy.change = (answer) => {
      answer.body = answer.body.replace('SUMMARY:work b', () => `SUMMARY:${'x'.repeat(3_000_000)}`);
    };
    const read: SourceItem[] = [];
    for await (const item of must(caldav.hydrate)(
      contextOf(caldav, settings()),
      itemsOf(items, 'stub'),
    ))
      read.push(item);
    assert.deepEqual(
      itemsOf(read, 'skip').map(({ id, reason, removes }) => [id, reason, removes]),
      [[`${work}b.ics`, 'too large', 'record']],
    );
    assert.equal(entitiesOf(read).length, 4);
  });

  it('an entry that becomes one without an event is found no more', async () => {
    const items = await pull(() => {});
    proxy.change = (answer) => {
      answer.body = answer.body.replaceAll(/BEGIN:VEVENT[\s\S]*?END:VEVENT/g, '');
    };
    for await (const item of must(caldav.hydrate)(
      contextOf(caldav, settings()),
      itemsOf(items, 'stub'),
    ))
      assert.deepEqual(item.kind === 'skip' && [item.reason, item.removes], [
        'without an event, a task or a note',
        'record',
      ]);
  });
});
