/** Tests entries that no honest program writes, and forms that real programs do write. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCalendar } from '../../documents/calendar/components.ts';
import { must } from '../../util.ts';
import { entityOf } from './record.ts';

const calendar = { path: '/c/', name: 'C', token: null, ctag: null };
const place = { id: '/c/1.ics', type: 'CalDavEntry', calendar };
const read = (...lines: string[]) =>
  entityOf(
    readCalendar(
      ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\n'),
    ),
    place,
  );
const text = (...lines: string[]) => must(read(...lines)).text;

describe('entries of calendars', () => {
  it('days, times without a zone, unknown zones and several days are written as they are meant', () => {
    for (const [lines, words, start] of [
      [
        ['DTSTART;VALUE=DATE:20250303', 'DTEND;VALUE=DATE:20250304'],
        'Monday 3 March 2025',
        '2025-03-03',
      ],
      [
        ['DTSTART;VALUE=DATE:20250303', 'DTEND;VALUE=DATE:20250306'],
        'Monday 3 March 2025 to Wednesday 5 March 2025',
        '2025-03-03',
      ],
      [['DTSTART:20250303T090000'], 'Monday 3 March 2025, 09:00', '2025-03-03T09:00:00'],
      [
        ['DTSTART;TZID="Custom (GMT+1)":20250303T090000'],
        'Monday 3 March 2025, 09:00 (Custom (GMT+1))',
        '2025-03-03T09:00:00',
      ],
      [
        ['DTSTART;TZID=America/New_York:20250309T023000'],
        'Sunday 9 March 2025, 02:30 (America/New_York)',
        '2025-03-09T06:30:00.000Z',
      ],
      [
        ['DTSTART:20250303T230000Z', 'DTEND:20250304T010000Z'],
        'Monday 3 March 2025, 23:00 (UTC) to Tuesday 4 March 2025, 01:00 (UTC)',
        '2025-03-03T23:00:00.000Z',
      ],
    ] as const) {
      const entity = must(read(...lines));
      assert.equal(entity.text, `- When: ${words}`);
      assert.equal(entity.fields.start, start);
    }
  });

  it('dates that do not exist are left out, and those of year 0 and 9999 do no harm', () => {
    for (const wrong of [
      '20251301',
      '20250230',
      '20250303T250000',
      'yesterday',
      '',
      '99999999',
      '-10',
    ])
      assert.equal(read(`DTSTART:${wrong}`)?.fields.start, null, wrong);
    for (const far of ['00000101T000000Z', '99991231T235959Z', '00010101', '99991231'])
      assert.equal(typeof read(`DTSTART:${far}`)?.fields.start, 'string', far);
    assert.equal(typeof read('DTSTART;TZID=Europe/Berlin:00000101T000000')?.fields.start, 'string');
  });

  it('recurrences are described, and a rule that is wrong or endless is shown and never computed', () => {
    assert.match(text('RRULE:FREQ=MONTHLY;BYDAY=1FR'), /Repeats: every month on the 1st Friday/);
    for (const rule of [
      'FREQ=SECONDLY;COUNT=999999999',
      'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
      'FREQ=YEARLY;INTERVAL=0',
      'FREQ=SOMETIMES',
      'nonsense',
      `FREQ=DAILY;BYHOUR=${'1,'.repeat(5000)}1`,
      '',
    ])
      assert.match(text(`RRULE:${rule}`), /- Repeats: /, rule.slice(0, 40));
  });

  it('lines without an end, many parameters, many components and half a calendar are read within limits', () => {
    const long = must(read(`DESCRIPTION:${'x'.repeat(5_000_000)}`, 'SUMMARY:kept'));
    assert.equal(long.name, 'kept');
    assert.ok(long.text.length < 250_000);
    const folded = must(
      read('DESCRIPTION:a', ...Array.from({ length: 50_000 }, () => ' bc'), 'SUMMARY:kept'),
    );
    assert.equal(folded.text.length, 100_001);
    assert.equal(read(`SUMMARY${';X=y'.repeat(40_000)}:kept`)?.name, 'kept');
    assert.equal(read(`SUMMARY;X="${'a'.repeat(100_000)}:not`)?.name, 'event without a title');
    const zone = [
      'BEGIN:VTIMEZONE',
      ...Array.from({ length: 20_000 }, () => 'BEGIN:STANDARD\nX:y\nEND:STANDARD'),
    ];
    assert.equal(
      entityOf(
        readCalendar(
          [
            'BEGIN:VCALENDAR',
            ...zone,
            'END:VTIMEZONE',
            'BEGIN:VEVENT',
            'SUMMARY:kept',
            'END:VEVENT',
          ].join('\r\n'),
        ),
        place,
      )?.name,
      'kept',
    );
    const people = Array.from({ length: 2000 }, (_, i) => `ATTENDEE:mailto:p${i}@example.org`);
    assert.equal((must(read(...people)).fields.attendees as string[]).length, 500);
    for (const broken of [
      '',
      'BEGIN:VCALENDAR',
      'END:VEVENT',
      '<html>',
      'BEGIN:VEVENT\nSUMMARY:x',
      '\0\0',
    ])
      assert.equal(entityOf(readCalendar(broken), place), null);
    assert.equal(entityOf(readCalendar('BEGIN:A\n'.repeat(50_000)), place), null);
  });

  it('escapes, names with marks, addresses of any case and web addresses are read', () => {
    const entity = must(
      read(
        'SUMMARY;LANGUAGE=en:a\\,b\\;c\\nd\\\\n',
        'ORGANIZER:MAILTO:Ann@example.org',
        'ATTENDEE;CN="Ben, B.";X-A="a;b:c":mailto:ben@example.org',
        'URL:javascript:alert(1)',
        'CATEGORIES:one\\, two,three',
        'CATEGORIES:four',
      ),
    );
    assert.equal(entity.name, 'a,b;c\nd\\n');
    assert.equal(entity.url, undefined);
    assert.deepEqual(entity.fields.attendees, ['Ben, B.']);
    assert.equal(entity.fields.organizer, 'Ann@example.org');
    assert.deepEqual(entity.fields.categories, ['one, two', 'three', 'four']);
    assert.equal(read('URL:https://example.org/x')?.url, 'https://example.org/x');
  });
});
