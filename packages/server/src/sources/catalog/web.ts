/** This source reads websites: by links, by sitemaps, and by feeds. */
import { z } from 'zod';
import { defineSource, secret } from '../define.ts';
import { Config } from '../web/config.ts';
import { hydrate } from '../web/hydrate.ts';
import { Packed } from '../web/memory.ts';
import { pull } from '../web/pull.ts';
import { entities } from '../web/records.ts';
import { check } from '../web/start.ts';

export const web = defineSource({
  shortName: 'web',
  name: 'Web',
  description: 'Pages of websites and the documents that they link, by links, sitemaps or feeds.',
  labels: ['Web'],
  auth: {
    direct: {
      fields: z.object({
        username: z.string().min(1).max(500).meta({
          title: 'User name',
          description: 'For a site that asks for it by HTTP Basic.',
        }),
        password: secret('Password', 'Password of this user.'),
      }),
      isOptional: true,
    },
  },
  mayBeInternal: true,
  config: Config,
  cursor: Packed,
  deletions: 'told',
  entities,
  evidence: [{ class: 'A', by: 'Apache HTTP Server', asOf: '2.4' }],
  files: 'linked documents',
  rateLimitLevel: 'connection',
  check,
  pull,
  hydrate: (_ctx, stubs) => hydrate(stubs),
});
