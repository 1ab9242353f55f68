/** This source copies events, tasks and notes of calendars of any server that speaks CalDAV. */
import { accountOf, calendarOptions, calendarsOf } from '../caldav/calendars.ts';
import { CalDavConfig, CalDavCredentials, CalDavCursor } from '../caldav/config.ts';
import { pull } from '../caldav/pull.ts';
import { readEntries } from '../caldav/read.ts';
import { CalDavEntry } from '../caldav/record.ts';
import { refusal } from '../caldav/refusal.ts';
import { cloudSource } from '../kit/cloud-source.ts';
import { basic } from '../kit/sign.ts';

export const caldav = cloudSource({
  shortName: 'caldav',
  name: 'CalDAV',
  description:
    'Events, tasks and notes of calendars: Nextcloud, Fastmail, iCloud, Radicale and others.',
  labels: ['Calendar'],
  auth: {
    direct: {
      fields: CalDavCredentials,
      sign: { headers: ({ username, password }) => basic(username, password) },
    },
  },
  mayBeInternal: true,
  api: { baseUrl: ({ url }) => url, refusal },
  config: CalDavConfig,
  cursor: CalDavCursor,
  deletions: 'told',
  entities: { CalDavEntry },
  evidence: [{ class: 'A', by: 'Radicale', asOf: '3.1.8' }],
  rateLimitLevel: 'connection',

  account: ({ http, config }) => accountOf(http, config),
  async check({ http, config }) {
    await calendarsOf(http, config);
  },
  pull: ({ http, config, cursor }) => pull(http, { config, cursor }),
  hydrate: ({ http }, stubs) => readEntries(http, stubs),
  options: ({ http, config }) =>
    calendarOptions(http, CalDavConfig.parse({ ...config, calendars: undefined })),
});
