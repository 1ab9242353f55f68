/** Tests what is special about the caldav source on a real Radicale: what a change costs, and tokens that are gone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { caldav } from '../../sources/catalog/caldav.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import {
  contextOf,
  entitiesOf,
  itemsOf,
  lastCursor,
  type PullOptions,
  pullAll,
} from './harness.ts';
import {
  event,
  ics,
  openRadicale,
  PEOPLE,
  type Radicale,
  skipWithoutRadicale,
} from './radicale.ts';

const idsOf = (items: readonly SourceItem[]) => ({
  taken: itemsOf(items, 'stub').map(({ id }) => id),
  gone: itemsOf(items, 'remove').map(({ id }) => id),
  listed: itemsOf(items, 'listed').map(({ partition }) => partition),
});

describe('the caldav source', { skip: skipWithoutRadicale }, () => {
  let server: Radicale;
  let work: string;
  before(async () => {
    server = await openRadicale();
    work = await server.calendar('work', 'Work');
    await server.calendar('secret', 'Secret', 'ben');
  });
  after(() => server.close());

  const settings = (config: object = {}) => ({
    credentials: { username: 'ann', password: PEOPLE.ann },
    config: { url: server.baseUrl, ...config },
  });
  const hydrate = async (items: readonly SourceItem[]) => {
    const read: SourceItem[] = [];
    for await (const item of must(caldav.hydrate)(
      contextOf(caldav, settings()),
      itemsOf(items, 'stub'),
    ))
      read.push(item);
    return read;
  };
  /** Pulls, and counts the requests of the pull. */
  async function counted(options: PullOptions = {}) {
    const context = contextOf(caldav, settings(), options);
    const items: SourceItem[] = [];
    for await (const item of must(caldav.pull)(context)) items.push(item);
    return { items, requests: context.meter.requests };
  }

  it('an event becomes a record with its times, people, place and exceptions in words', async () => {
    const path = `${work}weekly.ics`;
    await server.put(
      path,
      ics([
        'BEGIN:VTIMEZONE',
        'TZID:Europe/Berlin',
        'BEGIN:STANDARD',
        'DTSTART:19701025T030000',
        'TZOFFSETFROM:+0200',
        'TZOFFSETTO:+0100',
        'END:STANDARD',
        'END:VTIMEZONE',
        'BEGIN:VEVENT',
        'UID:weekly@example.org',
        'DTSTAMP:20250101T120000Z',
        'CREATED:20241224T180000Z',
        'LAST-MODIFIED:20250102T080000Z',
        'DTSTART;TZID=Europe/Berlin:20250303T090000',
        'DTEND;TZID=Europe/Berlin:20250303T100000',
        'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=10',
        'EXDATE;TZID=Europe/Berlin:20250317T090000',
        'SUMMARY:Planning\\, weekly',
        'LOCATION:Room 7\\; second floor',
        'DESCRIPTION:Bring the *numbers*.\\n\\nAnd the heron',
        '  report.',
        'ORGANIZER;CN="Ann: the boss":mailto:ann@example.org',
        'ATTENDEE;CN=Ben;PARTSTAT=ACCEPTED:mailto:ben@example.org',
        'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:eve@example.org',
        'CATEGORIES:work,plans',
        'STATUS:CONFIRMED',
        'BEGIN:VALARM',
        'ACTION:DISPLAY',
        'TRIGGER:-PT15M',
        'DESCRIPTION:not this text',
        'END:VALARM',
        'END:VEVENT',
        'BEGIN:VEVENT',
        'UID:weekly@example.org',
        'DTSTAMP:20250101T120000Z',
        'RECURRENCE-ID;TZID=Europe/Berlin:20250310T090000',
        'DTSTART;TZID=Europe/Berlin:20250311T140000',
        'DTEND;TZID=Europe/Berlin:20250311T150000',
        'SUMMARY:Planning on a Tuesday',
        'END:VEVENT',
      ]),
    );
    const items = await pullAll(caldav, settings());
    const [entity] = entitiesOf(await hydrate(items)).filter(({ id }) => id === path);
    assert.deepEqual(entity, {
      id: path,
      type: 'CalDavEntry',
      name: 'Planning, weekly',
      text: `- When: Monday 3 March 2025, 09:00–10:00 (Europe/Berlin)
- Where: Room 7; second floor
- Status: confirmed
- Organizer: Ann: the boss
- Attendees: Ben (accepted), eve@example.org
- Repeats: every week on Monday for 10 times
- Except: Monday 17 March 2025, 09:00 (Europe/Berlin)

Bring the *numbers*.

And the heron report.

## Instead of Monday 10 March 2025, 09:00 (Europe/Berlin)

Planning on a Tuesday

- When: Tuesday 11 March 2025, 14:00–15:00 (Europe/Berlin)`,
      url: undefined,
      breadcrumbs: [{ id: work, name: 'Work', type: 'calendar' }],
      createdAt: new Date('2024-12-24T18:00:00Z'),
      updatedAt: new Date('2025-01-02T08:00:00Z'),
      fields: {
        kind: 'event',
        calendar: 'Work',
        uid: 'weekly@example.org',
        start: '2025-03-03T08:00:00.000Z',
        end: '2025-03-03T09:00:00.000Z',
        recurs: true,
        status: 'CONFIRMED',
        location: 'Room 7; second floor',
        organizer: 'Ann: the boss',
        attendees: ['Ben', 'eve@example.org'],
        categories: ['work', 'plans'],
      },
    });
  });

  it('tasks and notes are read, too', async () => {
    const tasks = await server.calendar('tasks', 'Tasks');
    await server.put(
      `${tasks}t.ics`,
      ics([
        'BEGIN:VTODO',
        'UID:t',
        'DTSTAMP:20250101T120000Z',
        'SUMMARY:Mend the weir',
        'DUE;VALUE=DATE:20250401',
        'STATUS:NEEDS-ACTION',
        'END:VTODO',
      ]),
    );
    await server.put(
      `${tasks}j.ics`,
      ics([
        'BEGIN:VJOURNAL',
        'UID:j',
        'DTSTAMP:20250101T120000Z',
        'DESCRIPTION:Rain.',
        'END:VJOURNAL',
      ]),
    );
    const read = entitiesOf(await hydrate(await pullAll(caldav, settings())));
    const [task, note] = ['t', 'j'].map((name) =>
      read.find(({ id }) => id === `${tasks}${name}.ics`),
    );
    assert.deepEqual(
      [task?.name, task?.text, task?.fields.kind, task?.fields.end],
      [
        'Mend the weir',
        '- Due: Tuesday 1 April 2025\n- Status: needs-action',
        'task',
        '2025-04-01',
      ],
    );
    assert.deepEqual([note?.name, note?.text], ['note without a title', 'Rain.']);
    await server.remove(tasks);
  });

  it('unchanged calendars cost three requests, and a change only those of its calendar', async () => {
    const other = await server.calendar('other', 'Other');
    for (let i = 0; i < 30; i++) await server.put(`${other}${i}.ics`, event(`o${i}`, `entry ${i}`));
    const first = await counted();
    const again = await counted({ cursor: lastCursor(first.items) });
    assert.deepEqual(idsOf(again.items), { taken: [], gone: [], listed: [] });
    assert.equal(again.requests, 3);
    await server.put(`${other}3.ics`, event('o3', 'changed'));
    await server.put(`${other}new.ics`, event('new', 'new'));
    await server.remove(`${other}5.ics`);
    const next = await counted({ cursor: lastCursor(again.items) });
    const { taken, gone, listed } = idsOf(next.items);
    assert.deepEqual(
      [taken.toSorted(), gone, listed],
      [[`${other}3.ics`, `${other}new.ics`], [`${other}5.ics`], []],
    );
    assert.equal(next.requests, 4);
  });

  it('a token that the server does not know begins this calendar again, and no other', async () => {
    const first = await pullAll(caldav, settings());
    const { calendars } = lastCursor(first) as { calendars: Record<string, string> };
    for (const token of ['http://radicale.org/ns/sync/0000', 'nonsense']) {
      const cursor = { calendars: { ...calendars, [work]: token } };
      const next = await pullAll(caldav, settings(), { cursor });
      assert.deepEqual(idsOf(next).listed, ['ann/work']);
      assert.ok(idsOf(next).taken.every((id) => id.startsWith(work)));
      assert.deepEqual(lastCursor(next), { calendars });
    }
  });

  it('a deleted calendar is listed without entries, and a new one is read', async () => {
    const gone = await server.calendar('gone', 'Gone');
    await server.put(`${gone}a.ics`, event('a', 'soon gone'));
    const cursor = lastCursor(await pullAll(caldav, settings()));
    await server.remove(gone);
    const fresh = await server.calendar('fresh', 'Fresh');
    await server.put(`${fresh}b.ics`, event('b', 'fresh'));
    const next = await pullAll(caldav, settings(), { cursor });
    assert.deepEqual(idsOf(next), {
      taken: [`${fresh}b.ics`],
      gone: [],
      listed: ['ann/gone', 'ann/fresh'],
    });
  });

  it('only calendars of the account are offered and read, from any address of the server', async () => {
    const request = { field: 'calendars', query: '', limit: 10 };
    const offered = await must(caldav.options)(contextOf(caldav, settings()), request);
    assert.ok(offered.some(({ value, title }) => value === work && title === 'Work'));
    assert.ok(!offered.some(({ value }) => value.startsWith('/ben/')));
    for (const config of [
      { calendars: [work] },
      { url: `${server.baseUrl}ann/`, calendars: [work.slice(0, -1)] },
      { url: new URL(work, server.baseUrl).href },
    ]) {
      const { listed } = idsOf(await pullAll(caldav, settings(config)));
      assert.deepEqual(listed, ['ann/work'], JSON.stringify(config));
    }
    await assert.rejects(
      pullAll(
        caldav,
        settings({ url: `${server.baseUrl}ben/secret/`, calendars: ['/ben/secret/'] }),
      ),
      { name: 'SourceError' },
    );
  });
});
