/**
 * Schemas for parts of answers that a record can do without: a missing or odd value reads as empty, so that one record
 * never ends a sync. A part without which a record means nothing, such as its id, needs a strict schema.
 */
import { z } from 'zod';

/** Some services send a number in place of a text. */
export const strictText = z.union([z.string(), z.number().transform(String)]);
export const text = strictText.catch('');
export const flag = z.boolean().catch(false);
/** A list with odd items keeps the others. */
export const some = <T>(item: z.ZodType<T>) =>
  z
    .array(item.nullable().catch(null))
    .catch([])
    .transform((list) => list.flatMap((one) => one ?? []));
export const maybe = <T>(item: z.ZodType<T>) =>
  item
    .nullish()
    .catch(null)
    .transform((value) => value ?? null);
