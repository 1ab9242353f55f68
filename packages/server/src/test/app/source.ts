/** Makes a source whose contents and behaviour a test decides. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import { defineSource, type Membership, type Source, secret } from '../../sources/define.ts';
import {
  type ChildRecord,
  listed,
  type SourceItem,
  type Stub,
  upsert,
} from '../../sources/items.ts';
import { eachBelow } from '../../sources/kit/listing.ts';

export interface World {
  /** The next pulls yield these items, in order; a function is awaited where it stands. */
  items: (SourceItem | (() => Promise<void> | void))[];
  /** This is below records, by their ids. An error is thrown by the function that reads it. */
  below: Record<string, readonly ChildRecord[] | Error>;
  /** Lists the ids of the records of which the source was asked what is below them. */
  asked: string[];
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
  const world: World = {
    items: [],
    below: {},
    asked: [],
    members: [],
    password: 'right',
    pulls: [],
    onCheck: null,
  };
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
    async *hydrate(_ctx, stubs) {
      for (const { id, type, version, partition } of stubs)
        yield upsert(
          { id, type, name: id, text: `text of ${id}`, fields: {} },
          { version, partition },
        );
    },
    below: (_ctx, stubs) =>
      eachBelow(stubs, 2, async ({ id }: Stub) => {
        world.asked.push(id);
        const children = world.below[id] ?? [];
        if (children instanceof Error) throw children;
        return children;
      }),
    async *members() {
      yield* world.members;
    },
  });
  return { source, world };
}
