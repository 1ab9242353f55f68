/** Runs the suite that every source passes for the caldav source on a real Radicale. */
import { describe } from 'node:test';
import { caldav } from '../../sources/catalog/caldav.ts';
import { testSource } from './harness.ts';
import { event, openRadicale, PEOPLE, skipWithoutRadicale } from './radicale.ts';

describe('caldav on Radicale', { skip: skipWithoutRadicale }, () => {
  testSource(caldav, async () => {
    const server = await openRadicale();
    const work = await server.calendar('work', 'Work');
    await server.calendar('home', 'Home &amp; garden');
    for (let i = 0; i < 70; i++)
      await server.put(`${work}${i}.ics`, event(`u${i}`, `meeting ${i}`));
    const credentials = { username: 'ann', password: PEOPLE.ann };
    const config = { url: server.baseUrl };
    return {
      credentials,
      config,
      wrong: [
        {
          name: 'password',
          credentials: { ...credentials, password: 'not-this-one' },
          kind: 'auth',
          says: /answered 401: the credentials are refused/,
        },
        {
          name: 'calendar',
          config: { ...config, calendars: ['/ann/nothing/'] },
          kind: 'config',
          says: /^the account sees no calendar '\/ann\/nothing\/'$/,
        },
        {
          name: 'calendar of another person',
          config: { ...config, calendars: ['/ben/private/'] },
          kind: 'config',
          says: /^the account sees no calendar '\/ben\/private\/'$/,
        },
        {
          name: 'port',
          config: { url: 'http://127.0.0.1:1/' },
          kind: 'transient',
          says: /could not be read/,
        },
      ],
      close: () => server.close(),
    };
  });
});
