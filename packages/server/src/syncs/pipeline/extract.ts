/**
 * Gives a record the text of its file or of its HTML. The documents inside of a file, such as the attachments of a mail,
 * become entities inside of the record.
 */
import { rm } from 'node:fs/promises';
import type { About, Converted } from '../../documents/convert.ts';
import type { ExtractedText, Extractor, InnerText } from '../../documents/extract.ts';
import { mayPass } from '../../documents/file-error.ts';
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

export interface ExtractDeps {
  readonly extractor: Extractor;
  /** Finds the stored text of a file with this content, of whatever record it was. */
  readonly findExtracted: (contentHash: string) => Promise<ExtractedText | null>;
  readonly signal: AbortSignal;
}

/** Returns the record, or that it is left out, and what is left out inside of it. */
export async function extract(
  upsert: Upsert,
  { extractor, findExtracted, signal }: ExtractDeps,
): Promise<(ExtractedUpsert | LeftOutRecord)[]> {
  const { file, html, ...entity } = upsert.entity;
  const content = file ?? html;
  try {
    const excess = excessFailure(entity);
    if (excess) return [{ ...inStage('pull')(excess), access: entity.access }];
    if (content === undefined) {
      const none = { extractVersion: WITHOUT_PARSER, contentHash: null };
      return [{ ...upsert, ...none, entity: clean(entity) }];
    }
    const extracted = await (typeof content === 'string'
      ? extractor.extractHtml(content, signal)
      : extractor.extract(content, signal, findExtracted));
    // Searches must no longer find the text that the record had before.
    if (extracted.kind === 'skip')
      return [whileExtracting(skip(entity.id, entity.type, { ...extracted, removes: 'record' }))];
    const { version: extractVersion, contentHash = null } = extracted;
    const { whole, leftOut } = withInside(entity, extracted);
    return [{ ...upsert, entity: clean(whole), extractVersion, contentHash }, ...leftOut];
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (error.kind !== 'skip') throw error.at('extract');
    const failure = whileExtracting(fail(entity.id, entity.type, error));
    const failed = { ...failure, access: entity.access };
    return [mayPass(error) ? { ...failed, mayPass: true } : failed];
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

/** A field to which the source gives a value counts more than what the document says about itself. */
const withContent = (
  entity: Entity,
  { text, isPlain, pages, places, about = {} }: Converted,
): Entity => ({
  ...entity,
  text,
  ...(!isPlain && { isMarkdown: true }),
  ...(pages && { pages }),
  ...(places && { places }),
  fields: { ...entity.fields, ...without(about, (field) => hasValue(entity.fields[field])) },
  ...(Object.keys(about).length > 0 && { about }),
});

const hasValue = (value: unknown): boolean => value !== undefined && value !== null;

const without = (
  fields: Readonly<Record<string, unknown>>,
  isGone: (field: string) => boolean,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => !isGone(field)));

function withInside(
  record: Entity,
  extracted: ExtractedText,
): { readonly whole: Entity; readonly leftOut: readonly LeftOutRecord[] } {
  const inside: Entity[] = [];
  const leftOut: LeftOutRecord[] = [];
  for (const inner of extracted.inner ?? []) {
    const bare = entityInside(record, inner);
    const { outcome } = inner;
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
  const whole = withContent(record, extracted);
  return { whole: inside.length > 0 ? { ...whole, inside } : whole, leftOut };
}

/** Sources describe a file by these fields, which are not true of a document inside of it. */
const OF_FILE: ReadonlySet<string> = new Set(['extension', 'size', 'mime_type']);

/** A document inside of a file may be seen by those who may see the file, and has its other fields. */
function entityInside(record: Entity, { path, name, outcome }: InnerText): Entity {
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
    fields: { ...without(record.fields, (field) => OF_FILE.has(field)), path_inside: path },
  };
}

/** OpenDocument writes times without a zone, which must not depend on the zone of this machine. */
const WITHOUT_ZONE = /T\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

const dateOf = (text = ''): Date | undefined => {
  const date = new Date(WITHOUT_ZONE.test(text) ? `${text}Z` : text);
  return Number.isNaN(date.getTime()) ? undefined : date;
};

/** Returns what was extracted of the file of a stored record: the reverse of what `extract` has done. */
export function extractedOf(record: Entity, version: string): ExtractedText {
  const inner = (record.inside ?? []).map(
    (one): InnerText => ({
      path: String(one.fields.path_inside),
      name: one.name,
      outcome: { is: 'text', ...convertedOf(one) },
    }),
  );
  return { ...convertedOf(record), version, ...(inner.length > 0 && { inner }) };
}

const convertedOf = ({ text, isMarkdown, pages, places, about }: Entity): Converted => ({
  text,
  ...(!isMarkdown && { isPlain: true }),
  ...(pages && { pages }),
  ...(places && { places }),
  ...(about && { about }),
});
