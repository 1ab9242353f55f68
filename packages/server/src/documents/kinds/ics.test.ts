import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted } from '../../test/documents/converted.ts';
import { convertFile } from '../convert-file.ts';
import { convert } from './ics.ts';

const calendar = (...lines: string[]): Buffer =>
  Buffer.from(['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n'));
const event = (...lines: string[]): string[] => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'];
const textOf = async (...lines: string[]): Promise<string> =>
  (await converted(convert, calendar(...lines))).text;

describe('a calendar', () => {
  it('has a heading for each event, with its time and zone, place, people, recurrence and description', async () => {
    const file = calendar(
      'X-WR-CALNAME:Team\\, North',
      'BEGIN:VTIMEZONE',
      'TZID:Europe/Berlin',
      'BEGIN:STANDARD',
      'DTSTART:19701025T030000',
      'END:STANDARD',
      'END:VTIMEZONE',
      ...event(
        'UID:1',
        'DTSTART;TZID=Europe/Berlin:20250303T090000',
        'DTEND;TZID=Europe/Berlin:20250303T100000',
        'SUMMARY:Weekly\\, with a very long ti',
        ' tle',
        'LOCATION:Room 5\\nBerlin',
        'ORGANIZER;CN=Ann Miller:mailto:ann@example.org',
        'ATTENDEE;CN="Smith, Ben";PARTSTAT=ACCEPTED:mailto:ben@example.org',
        'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:cleo@example.org',
        'RRULE:FREQ=WEEKLY;BYDAY=MO',
        'EXDATE;TZID=Europe/Berlin:20250310T090000',
        'DESCRIPTION:The plan:\\n# first\\n- second',
        'BEGIN:VALARM',
        'DESCRIPTION:Wake up',
        'END:VALARM',
      ),
      ...event('UID:1', 'RECURRENCE-ID:20250317T080000Z', 'SUMMARY:Later this time'),
    );
    assert.deepEqual(await converted(convert, file), {
      text: `# Team, North

## Weekly, with a very long title

- When: Monday 3 March 2025, 09:00–10:00 (Europe/Berlin)
- Where: Room 5, Berlin
- Organizer: Ann Miller
- Attendees: Smith, Ben (accepted), cleo@example.org
- Repeats: every week on Monday
- Except: Monday 10 March 2025, 09:00 (Europe/Berlin)

The plan:
\\# first
- second

## Later this time

- Instead of: Monday 17 March 2025, 08:00 (UTC)`,
      about: { title: 'Team, North' },
    });
  });

  it('has tasks, notes and busy times, too', async () => {
    assert.equal(
      await textOf(
        'BEGIN:VTODO',
        'SUMMARY:Buy\nstamps',
        'DUE;VALUE=DATE:20250304',
        'STATUS:NEEDS-ACTION',
        'END:VTODO',
        'BEGIN:VJOURNAL',
        'DTSTART;VALUE=DATE:20250303',
        'DESCRIPTION:It rained.',
        'END:VJOURNAL',
        'BEGIN:VFREEBUSY',
        'ORGANIZER:mailto:ann@example.org',
        'FREEBUSY;FBTYPE=BUSY:20250303T090000Z/20250303T100000Z,20250304T090000Z/PT1H',
        'FREEBUSY;FBTYPE=FREE:20250305T090000Z/PT1H',
        'END:VFREEBUSY',
      ),
      `## Buy

- Due: Tuesday 4 March 2025
- Status: needs-action

## note without a title

- When: Monday 3 March 2025

It rained.

## Busy times

- Organizer: ann@example.org
- Busy: Monday 3 March 2025, 09:00–10:00 (UTC)
- Busy: Tuesday 4 March 2025, 09:00 (UTC)`,
    );
  });

  it('of the old form vCalendar has values in quoted-printable, over several lines', async () => {
    assert.equal(
      await textOf(
        ...event(
          'SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Br=FCcke',
          'DTSTART:20250303T090000Z',
          'DESCRIPTION;QUOTED-PRINTABLE:a long =',
          'text=0D=0Ain two lines',
          'LOCATION:a=',
        ),
      ),
      '## Brücke\n\n- When: Monday 3 March 2025, 09:00 (UTC)\n- Where: a=\n\na long text\nin two lines',
    );
  });

  it('of any other form is empty, or left out when it is not text', async () => {
    const random = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31 + i) % 256));
    assert.deepEqual(await convertFile('ics', 'a.ics', random), {
      is: 'skip',
      omission: { reason: 'binary' },
    });
    for (const file of ['', 'Hello', 'BEGIN:VCALENDAR', 'END:VEVENT\nBEGIN:VEVENT\nSUMMARY:x'])
      assert.deepEqual(await converted(convert, Buffer.from(file)), { text: '' });
  });

  it('with megabytes in a line, or a great many entries or levels, is read within limits', {
    timeout: 60_000,
  }, async () => {
    const folded = await textOf(...event(`SUMMARY:a${'\r\n b'.repeat(300_000)}`));
    assert.ok(folded.length < 1000);
    const quoted = `DESCRIPTION;ENCODING=QUOTED-PRINTABLE:${'a=\r\n'.repeat(300_000)}`;
    assert.ok((await textOf(...event(quoted, '', 'SUMMARY:x'))).length < 250_000);
    const parameters = await textOf(...event(`SUMMARY${';X'.repeat(500_000)}:kept`));
    assert.match(parameters, /^## /);
    const entries = Array.from({ length: 50_000 }, (_, i) => event(`SUMMARY:No. ${i}`).join('\n'));
    const many = await textOf(entries.join('\n'));
    assert.match(many, /## No\. 49999$/);
    const deep = await textOf('BEGIN:VEVENT\n'.repeat(100_000));
    assert.equal(deep, '');
    const long = event(`DESCRIPTION:${'x '.repeat(99_000)}`).join('\n');
    const file = calendar(Array<string>(200).fill(long).join('\n'));
    const much = await convertFile('ics', 'a.ics', file);
    assert.ok(much.is === 'skip' && much.omission.reason === 'with too much text');
  });
});
