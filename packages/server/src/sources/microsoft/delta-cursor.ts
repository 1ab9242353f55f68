/** A cursor of parts of Microsoft Graph has a link to the later changes of each part. */
import { z } from 'zod';
import { checkpoint } from '../items.ts';
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
interface MaybeMemory {
  readonly memory?: DeltaMemory | undefined;
}

export const namesOf = (parts: readonly DeltaPart[]): DeltaCursor['names'] =>
  Object.fromEntries(parts.map(({ partition, name = '' }) => [partition, name]));
