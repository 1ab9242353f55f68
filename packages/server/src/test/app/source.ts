/** Makes a source whose contents and behaviour a test decides. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import { defineSource, type Membership, type Source, secret } from '../../sources/define.ts';
import { listed, type SourceItem, upsert } from '../../sources/items.ts';

export interface World {
  /** The next pulls yield these items, in order; a function is awaited where it stands. */
  items: (SourceItem | (() => Promise<void> | void))[];
  members: Membership[];
  /** The source accepts this password only. */
  password: string;
  /** Lists the pulls of the source, with the place from which each began. */
  pulls: { cursor: unknown; cursorField: string | null; bookmark: unknown }[];
  /** Runs once, when the next connection is checked. */
  onCheck: (() => Promise<void>) | null;
}

export const page = (id: string, over: Partial<Entity> = {}): SourceItem =>
  upsert({ id, type: 'Page', name: id, text: `text of ${id}`, fields: {}, ...over });

/** Returns all pages of a world without partitions, listed to the end. */
export const whole = (...pages: SourceItem[]): SourceItem[] => [...pages, listed('')];

export function testWorld(shortName = 'world'): { source: Source; world: World } {
  const world: World = { items: [], members: [], password: 'right', pulls: [], onCheck: null };
  const source = defineSource({
    shortName,
    name: 'World',
    description: 'A world made by a test.',
    labels: ['Test'],
    auth: {
      direct: { fields: z.object({ password: secret('Password', 'Of the world') }) },
    },
    config: z.strictObject({
      part: z.string().default('all').meta({ title: 'Part', description: 'Which part of it' }),
    }),
    cursor: z.number(),
    deletions: 'listed',
    needsCursorField: true,
    entities: { Page: z.object({}), Post: z.object({}) },
    evidence: [],
    rateLimitLevel: null,
    async check({ credentials }) {
      const { onCheck } = world;
      world.onCheck = null;
      await onCheck?.();
      if (credentials.password !== world.password)
        throw new SourceError('auth', 'the world answered: wrong password');
    },
    async *pull({ credentials, cursor, cursorField, bookmark, signal, meter }) {
      world.pulls.push({ cursor, cursorField, bookmark });
      meter.requests++;
      if (credentials.password !== world.password)
        throw new SourceError('auth', 'the world answered: wrong password');
      for (const item of world.items) {
        signal.throwIfAborted();
        if (typeof item === 'function') await item();
        else yield item;
      }
    },
    async *members() {
      yield* world.members;
    },
  });
  return { source, world };
}
