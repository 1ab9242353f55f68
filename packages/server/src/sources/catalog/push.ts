/** Callers send their own records to this source, with POST /v1/source-connections/{id}/entities. */
import { z } from 'zod';
import { defineSource } from '../define.ts';

export const push = defineSource({
  shortName: 'push',
  name: 'Push',
  description: 'Records that your own programs send, such as those of an app without a connector.',
  labels: ['Custom'],
  auth: {},
  config: z.strictObject({}),
  entities: { PushedEntity: z.looseObject({}) },
  otherTypes: 'PushedEntity',
  files: 'one in a form',
  evidence: [{ class: 'A', by: 'programs that push', asOf: 'this version' }],
  rateLimitLevel: null,
});
