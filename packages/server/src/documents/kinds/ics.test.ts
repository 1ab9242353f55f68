import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted, convertedFile } from '../../test/documents/converted.ts';
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
- Busy: Tuesday 4 March 2025, 09:00–10:00 (UTC)`,
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

  it('says nothing about a rule or a time that is not true', async () => {
    for (const [lines, fact] of [
      [['RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-1'], 'Repeats: FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-1'],
      [['RRULE:FREQ=SECONDLY;COUNT=3'], 'Repeats: FREQ=SECONDLY;COUNT=3'],
      [['RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=30'], 'Repeats: FREQ=DAILY;BYHOUR=9;BYMINUTE=30'],
      [
        [
          'DTSTART;TZID=Asia/Tokyo:20250303T170000',
          'DTEND;TZID=America/Los_Angeles:20250303T100000',
        ],
        'When: Monday 3 March 2025, 17:00 (Asia/Tokyo) to Monday 3 March 2025, 10:00 (America/Los_Angeles)',
      ],
      [
        ['DTSTART;TZID=Asia/Tokyo:20250303T170000', 'DTEND:20250303T070000Z'],
        'When: Monday 3 March 2025, 17:00 (Asia/Tokyo)',
      ],
    ] as const)
      assert.equal(await textOf(...event('SUMMARY:x', ...lines)), `## x\n\n- ${fact}`);
    assert.equal(await textOf(...event('SUMMARY:x', 'COMMENT:a\\nb\\, c')), '## x\n\na\nb, c');
  });

  it('has further times, comments, and the time when a task was completed', async () => {
    const zone = ';TZID=Europe/Berlin';
    assert.equal(
      await textOf(
        ...event(
          'SUMMARY:x',
          `RDATE${zone}:20250401T090000,20250402T100000`,
          'RDATE;VALUE=PERIOD:20250403T090000Z/PT1H',
          'COMMENT:one',
          'COMMENT:two',
        ),
        'BEGIN:VTODO',
        'SUMMARY:y',
        'COMPLETED:20250404T090000Z',
        'END:VTODO',
      ),
      '## x\n\n- Also: Tuesday 1 April 2025, 09:00 (Europe/Berlin); Wednesday 2 April 2025, 10:00 (Europe/Berlin); Thursday 3 April 2025, 09:00 (UTC)\n\none\n\ntwo\n\n' +
        '## y\n\n- Completed: Friday 4 April 2025, 09:00 (UTC)',
    );
  });

  it('ends on the day before the one that it names as its end', async () => {
    for (const [end, when] of [
      ['20250304', 'Monday 3 March 2025'],
      ['20250306', 'Monday 3 March 2025 to Wednesday 5 March 2025'],
      ['20250303', 'Monday 3 March 2025'],
    ])
      assert.equal(
        await textOf(
          ...event('DTSTART;VALUE=DATE:20250303', `DTEND;VALUE=DATE:${end}`, 'SUMMARY:x'),
        ),
        `## x\n\n- When: ${when}`,
      );
  });

  it('has the ends that durations say', async () => {
    for (const [start, duration, when] of [
      ['DTSTART:20250303T090000Z', 'PT1H30M', 'Monday 3 March 2025, 09:00–10:30 (UTC)'],
      ['DTSTART;VALUE=DATE:20250303', 'P2D', 'Monday 3 March 2025 to Tuesday 4 March 2025'],
      ['DTSTART;VALUE=DATE:20250303', 'P1W', 'Monday 3 March 2025 to Sunday 9 March 2025'],
      // The clock goes on from 02:00 to 03:00 in this night.
      [
        'DTSTART;TZID=Europe/Berlin:20250330T010000',
        'PT2H',
        'Sunday 30 March 2025, 01:00–04:00 (Europe/Berlin)',
      ],
      [
        'DTSTART;TZID=Europe/Berlin:20250329T090000',
        'P1DT1H',
        'Saturday 29 March 2025, 09:00 (Europe/Berlin) to Sunday 30 March 2025, 10:00 (Europe/Berlin)',
      ],
      ['DTSTART:20250303T090000', 'soon', 'Monday 3 March 2025, 09:00'],
      ['DTSTART:20250303T090000', '-PT1H', 'Monday 3 March 2025, 09:00'],
      ['DTSTART:99990303T090000Z', 'P99999W', 'Wednesday 3 March 9999, 09:00 (UTC)'],
    ] as const)
      assert.equal(
        await textOf(...event('SUMMARY:x', start, `DURATION:${duration}`)),
        `## x\n\n- When: ${when}`,
      );
  });

  it('may be folded within a character', async () => {
    const folded = ['SUMMARY:Gr\xc3', ' \xbcne Br\xc3\xbccke'];
    const bytes = Buffer.from(calendar(...event(...folded)).toString('utf8'), 'latin1');
    assert.equal((await converted(convert, bytes)).text, '## Grüne Brücke');
  });

  it('has all its entries when the end of one is missing, or that of the file', async () => {
    const [one, two] = [
      ['BEGIN:VEVENT', 'SUMMARY:one'],
      ['BEGIN:VEVENT', 'SUMMARY:two'],
    ];
    const task = ['BEGIN:VTODO', 'SUMMARY:task', 'END:VTODO'];
    const alarm = ['BEGIN:VALARM', 'DESCRIPTION:Wake up'];
    for (const [lines, titles] of [
      [
        [...one, ...two, 'END:VEVENT', ...event('SUMMARY:three')],
        ['one', 'two', 'three'],
      ],
      [
        [...one, ...task, ...two],
        ['one', 'task', 'two'],
      ],
      [
        [...one, ...alarm, 'END:VEVENT', ...two],
        ['one', 'two'],
      ],
      [
        [...one, ...alarm, ...two, ...alarm],
        ['one', 'two'],
      ],
    ] as const)
      assert.equal(await textOf(...lines), titles.map((title) => `## ${title}`).join('\n\n'));
    const cut = Buffer.from('BEGIN:VCALENDAR\nX-WR-CALNAME:Team\nBEGIN:VEVENT\nSUMMARY:one');
    assert.equal((await converted(convert, cut)).text, '# Team\n\n## one');
  });

  it('of any other form is left out', async () => {
    const random = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31 + i) % 256));
    assert.deepEqual(await convertedFile('ics', 'a.ics', random), {
      is: 'skip',
      omission: { reason: 'binary' },
    });
    for (const file of [
      '',
      'Hello',
      '<html>log in</html>',
      'BEGIN:VCALENDAR',
      'END:VEVENT\nBEGIN:VEVENT\nSUMMARY:x',
    ])
      assert.deepEqual(await convertedFile('ics', 'a.ics', Buffer.from(file)), {
        is: 'skip',
        omission: {
          reason: 'without text that can be read',
          detail: 'the calendar has no entries',
        },
      });
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
    const deep = await convertedFile('ics', 'a.ics', calendar('BEGIN:VEVENT\n'.repeat(100_000)));
    assert.equal(deep.is, 'skip');
    const long = event(`DESCRIPTION:${'x '.repeat(99_000)}`).join('\n');
    const file = calendar(Array<string>(200).fill(long).join('\n'));
    const much = await convertedFile('ics', 'a.ics', file);
    assert.ok(much.is === 'skip' && much.omission.reason === 'with too much text');
  });
});
