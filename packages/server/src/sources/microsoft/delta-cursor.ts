/** A cursor of parts of Microsoft Graph has a link to the later changes of each part. */
import { z } from 'zod';
import { checkpoint, type SourceItem } from '../items.ts';
import type { DeltaPart } from './delta-pages.ts';

export const Texts = z.record(z.string(), z.string());
export type DeltaLinks = z.infer<typeof Texts>;
export const DeltaCursor = z.strictObject({
  /** The keys are partitions. */
  links: Texts,
  /** The parts had these names. */
  names: Texts,
  /** A connector remembers here what Graph does not tell again. */
  memory: Texts,
});
export type DeltaCursor = z.infer<typeof DeltaCursor>;
export type DeltaMemory = DeltaCursor['memory'];

/** Makes checkpoints of all that is known now. These objects change while the parts are read. */
export const saver =
  ({ links, names, memory = {} }: Pick<DeltaCursor, 'links' | 'names'> & MaybeMemory) =>
  () =>
    checkpoint({
      links: { ...links },
      names: { ...names },
      memory: { ...memory },
    } satisfies DeltaCursor);
/** A cursor or a bookmark is written after so many pages as it has parts, divided by this. */
const PARTS_PER_PAGE = 20;

/**
 * Returns a function that says after which pages a cursor or a bookmark is written. It has an entry for each part, so the
 * cost of a pull would grow with the square of the parts if it were written after every page.
 */
export function paced(parts: number): () => boolean {
  const step = Math.ceil(parts / PARTS_PER_PAGE);
  let pages = 0;
  return () => ++pages % step === 0;
}

interface MaybeMemory {
  readonly memory?: DeltaMemory | undefined;
}

export const namesOf = (parts: readonly DeltaPart[]): DeltaCursor['names'] =>
  Object.fromEntries(parts.map(({ partition, name = '' }) => [partition, name]));

/** `unseen` names as lost what could not be searched for parts. */
export const isBelow = (partition: string, unseen: readonly SourceItem[]): boolean =>
  unseen.some((item) => item.kind === 'lost' && partition.startsWith(`${item.partition}/`));

/**
 * The records of these parts stay although a full pull does not find the parts. They are remembered without a link, so
 * that a later pull lists them again, or deletes their records when they are gone.
 */
export const unseenParts = (
  last: DeltaCursor | null,
  unseen: readonly SourceItem[],
): DeltaCursor['names'] =>
  Object.fromEntries(
    Object.keys({ ...last?.links, ...last?.names })
      .filter((partition) => isBelow(partition, unseen))
      .map((partition) => [partition, '']),
  );
