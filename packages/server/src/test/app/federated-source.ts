/** Makes a source that is searched live and whose answers a test decides. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import { defineSource, type Source, secret } from '../../sources/define.ts';

export interface Shelf {
  /** Answers every query of a live search. A test may also let it wait or throw. */
  find: (signal: AbortSignal) => readonly Entity[] | Promise<readonly Entity[]>;
  password: string;
  asked: { query: string; limit: number; part: string }[];
}

export const book = (id: string, over: Partial<Entity> = {}): Entity => ({
  id,
  type: 'Book',
  name: id,
  text: `text of ${id}`,
  fields: { shelf: 1 },
  ...over,
});

export function federatedSource(shortName = 'shelf'): { source: Source; shelf: Shelf } {
  const shelf: Shelf = { find: () => [], password: 'right', asked: [] };
  const knows = (password: string) => {
    if (password !== shelf.password)
      throw new SourceError('auth', 'the shelf answered: wrong password');
  };
  const source = defineSource({
    shortName,
    name: 'Shelf',
    description: 'A shelf that a test fills.',
    labels: ['Test'],
    auth: {
      direct: { fields: z.object({ password: secret('Password', 'Of the shelf') }) },
    },
    config: z.strictObject({
      part: z.string().default('all').meta({ title: 'Part', description: 'Which part of it' }),
    }),
    entities: { Book: z.object({ shelf: z.number() }), Page: z.looseObject({}) },
    evidence: [],
    rateLimitLevel: null,
    check: async ({ credentials }) => knows(credentials.password),
    async search({ config, credentials, signal }, query, limit) {
      shelf.asked.push({ query, limit, part: config.part });
      knows(credentials.password);
      return shelf.find(signal);
    },
  });
  return { source, shelf };
}
