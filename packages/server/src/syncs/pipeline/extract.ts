/**
 * Gives a record the text of its file or of its HTML. The documents inside of a file, such as the attachments of a mail,
 * become entities inside of the record.
 */
import { rm } from 'node:fs/promises';
import type { About } from '../../documents/convert.ts';
import type { ExtractedText, Extractor } from '../../documents/extract.ts';
import type { InnerOutcome } from '../../documents/extract-protocol.ts';
import { WITHOUT_PARSER } from '../../documents/kinds.ts';
import { SourceError } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import { excessOf } from '../../model/entity-limits.ts';
import { fail, type LeftOut, skip, type Upsert } from '../../sources/items.ts';
import type { LeftOutRecord } from '../jobs/left-out-store.ts';
import type { ExtractedUpsert } from './compare.ts';
import { clean } from './record.ts';

export const inStage =
  (stage: string) =>
  (item: LeftOut): LeftOutRecord => ({ ...item, stage });

const whileExtracting = inStage('extract');

/** Returns the record, or that it is left out, and what is left out inside of it. */
export async function extract(
  upsert: Upsert,
  extractor: Extractor,
  signal: AbortSignal,
): Promise<(ExtractedUpsert | LeftOutRecord)[]> {
  const { file, html, ...entity } = upsert.entity;
  const excess = excessFailure(entity);
  if (excess) return [inStage('pull')(excess)];
  const content = file ?? html;
  if (content === undefined)
    return [{ ...upsert, entity: clean(entity), extractVersion: WITHOUT_PARSER }];
  try {
    const extracted = await (typeof content === 'string'
      ? extractor.extractHtml(content, signal)
      : extractor.extract(content, signal));
    // Searches must no longer find the text that the record had before.
    if (extracted.kind === 'skip')
      return [whileExtracting(skip(entity.id, entity.type, { ...extracted, removes: 'record' }))];
    const { whole, leftOut } = withInside(withContent(entity, extracted), extracted.inner ?? []);
    const { version: extractVersion } = extracted;
    return [{ ...upsert, entity: clean(whole), extractVersion }, ...leftOut];
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (error.kind !== 'skip') throw error.at('extract');
    return [whileExtracting(fail(entity.id, entity.type, error))];
  } finally {
    if (file?.isTemporary) await rm(file.path, { force: true });
  }
}

function excessFailure(entity: Entity): LeftOut | null {
  const excess = excessOf(entity);
  if (!excess) return null;
  const { message, hint } = excess;
  return fail(entity.id, entity.type, new SourceError('skip', message, { hint }));
}

type DocumentContent = Pick<ExtractedText, 'text' | 'pages' | 'places' | 'about'>;

/** A field that the source gives counts more than a field of the same name in the document. */
const withContent = (
  entity: Entity,
  { text, pages, places, about = {} }: DocumentContent,
): Entity => ({
  ...entity,
  text,
  pages,
  places,
  fields: { ...about, ...entity.fields },
});

function withInside(
  record: Entity,
  inner: readonly InnerOutcome[],
): { readonly whole: Entity; readonly leftOut: readonly LeftOutRecord[] } {
  const inside: Entity[] = [];
  const leftOut: LeftOutRecord[] = [];
  for (const one of inner) {
    const bare = entityInside(record, one);
    const { outcome } = one;
    const excess = excessFailure(bare);
    if (excess) leftOut.push(whileExtracting(excess));
    else if (outcome.is === 'text') inside.push(withContent(bare, outcome));
    else if (outcome.is === 'skip')
      leftOut.push(whileExtracting(skip(bare.id, bare.type, outcome.omission)));
    else {
      const { reason, hint } = outcome;
      const error = new SourceError('skip', reason, hint === null ? {} : { hint });
      leftOut.push(whileExtracting(fail(bare.id, bare.type, error)));
    }
  }
  return { whole: inside.length > 0 ? { ...record, inside } : record, leftOut };
}

/** A document inside of a file may be seen by those who may see the file, and has its fields. */
function entityInside(record: Entity, { path, name, outcome }: InnerOutcome): Entity {
  const { id, type, url, breadcrumbs = [], access, createdAt, updatedAt } = record;
  const about: About = outcome.is === 'text' ? (outcome.about ?? {}) : {};
  return {
    id: `${id}!/${path}`,
    type,
    name: name ?? path.slice(path.lastIndexOf('/') + 1),
    text: '',
    url,
    breadcrumbs: [...breadcrumbs, { id, name: record.name, type }],
    access,
    createdAt: dateOf(about.created_at) ?? createdAt,
    updatedAt: dateOf(about.modified_at) ?? updatedAt,
    fields: { ...record.fields, path_inside: path },
  };
}

const dateOf = (text: string | undefined): Date | undefined => {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
};
