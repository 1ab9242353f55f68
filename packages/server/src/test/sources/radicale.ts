/** A real CalDAV server on a free port of 127.0.0.1: Radicale, with two people. Its clients send raw requests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';

const RADICALE = '/usr/bin/radicale';
export const PEOPLE = { ann: 'password-of-ann-4711', ben: 'password-of-ben-0815' };

/** This is the reason for skipping the tests that need Radicale, or false. `.ci/run` installs it. */
export const skipWithoutRadicale =
  !existsSync(RADICALE) && 'Radicale is not installed: apt-get install radicale';

export type Radicale = Awaited<ReturnType<typeof openRadicale>>;

export async function openRadicale() {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-radicale-'));
  const at = (name: string) => join(folder, name);
  const port = await freePort();
  const lines = Object.entries(PEOPLE).map(([name, password]) => `${name}:${password}\n`);
  writeFileSync(at('users'), lines.join(''), { mode: 0o600 });
  writeFileSync(
    at('config'),
    `[server]
hosts = 127.0.0.1:${port}
[auth]
type = htpasswd
htpasswd_filename = ${at('users')}
htpasswd_encryption = plain
delay = 0
[rights]
type = owner_only
[storage]
filesystem_folder = ${at('collections')}
[logging]
level = error
`,
  );
  const child = spawn(RADICALE, ['--config', at('config')], { stdio: 'ignore' });
  const baseUrl = `http://127.0.0.1:${port}/`;

  async function send(
    method: string,
    path: string,
    body?: string,
    user: keyof typeof PEOPLE = 'ann',
  ) {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${user}:${PEOPLE[user]}`).toString('base64')}`,
        'content-type': method === 'PUT' ? 'text/calendar; charset=utf-8' : 'application/xml',
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }
  await until(() =>
    fetch(baseUrl).then(
      () => true,
      () => child.exitCode !== null,
    ),
  );

  return {
    baseUrl,
    send,
    /** Makes a calendar of a person, and returns its path. */
    async calendar(name: string, title: string, user: keyof typeof PEOPLE = 'ann') {
      const path = `/${user}/${name}/`;
      await send(
        'MKCALENDAR',
        path,
        `<?xml version="1.0"?><C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>${title}</D:displayname></D:prop></D:set></C:mkcalendar>`,
        user,
      );
      return path;
    },
    put: (path: string, ics: string) => send('PUT', path, ics),
    remove: (path: string) => send('DELETE', path),
    async close() {
      const ended = once(child, 'exit');
      if (child.exitCode === null && child.kill()) await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes the text of a calendar with one event. `more` has further lines of the event. */
export const event = (uid: string, summary: string, more: readonly string[] = []): string =>
  ics([
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20250101T120000Z',
    `SUMMARY:${summary}`,
    ...(more.some((line) => line.startsWith('DTSTART')) ? [] : ['DTSTART:20250303T090000Z']),
    ...more,
    'END:VEVENT',
  ]);

export const ics = (lines: readonly string[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//quarry//test//EN',
    ...lines,
    'END:VCALENDAR',
    '',
  ].join('\r\n');
