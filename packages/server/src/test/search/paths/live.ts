/**
 * Makes sources that are searched live. Such a source finds all records of its connection. With 'rubbish' it also
 * returns records that the service must not accept, and with 'fails' it returns none.
 */
import pino from 'pino';
import { z } from 'zod';
import type { Db } from '../../../db/schema.ts';
import { SourceError } from '../../../errors.ts';
import { createFederated, type Federated } from '../../../search/federated/ask.ts';
import { createVault } from '../../../secrets.ts';
import { defineSource } from '../../../sources/define.ts';
import { anywhere, unlimited } from '../../environment.ts';
import { noTokens } from '../../keeper.ts';
import type { Pause } from './moments.ts';
import type { World } from './world.ts';

export type LiveDraw = 'answers' | 'rubbish' | 'fails';

const RUBBISH = [
  { id: 'd0', type: 'Unheard', name: 'd0', text: 'harbour', fields: {} },
  { id: '', type: 'Note', name: 'nobody', text: 'harbour', fields: {} },
];
const vault = createVault('a secret of the tests, long enough');
const log = pino({ level: 'silent' });

/** `answered` is called with the connection when its source has answered. */
export function liveSources(
  db: Db,
  world: World,
  how: LiveDraw,
  { pause, answered }: { readonly pause: Pause; readonly answered: (connectionId: string) => void },
): Federated {
  const shelf = defineSource({
    shortName: 'shelf',
    name: 'Shelf',
    description: 'Of a test.',
    labels: ['Test'],
    auth: {},
    config: z.strictObject({ part: z.string() }),
    entities: { Note: z.looseObject({}), Page: z.looseObject({}) },
    evidence: [],
    rateLimitLevel: null,
    async search({ config }) {
      const docs = world.states.at(-1)?.get(config.part)?.docs ?? new Map();
      const entities = [...docs.values()].map(({ texts, ...doc }) => ({
        ...doc,
        text: texts[0] ?? '',
      }));
      await pause('source');
      answered(config.part);
      if (how === 'fails') throw new SourceError('transient', 'the shelf is closed');
      return how === 'rubbish' ? [...RUBBISH, ...entities] : entities;
    },
  });
  return createFederated({
    db,
    sources: new Map([['shelf', shelf]]),
    vault,
    environment: anywhere,
    keeper: noTokens,
    rateLimiter: unlimited,
    log,
  });
}
