/** Describes the contents of a collection in words, for a model that has never seen it. */
import { z } from 'zod';
import { type Api, ApiError } from './api.ts';
import { collectionPath } from './tools/tool.ts';

export const About = z.object({
  name: z.string(),
  source_names: z.array(z.string()),
  entity_types: z.array(z.object({ entity_type: z.string(), count: z.int().nullable() })),
  metadata_fields: z.array(z.string()),
});

/** A description names at most this many types, sources and fields each, because a model reads it with every request. */
const MAX_NAMED = 20;

/**
 * Returns the description. When the API refuses to show the contents, the description says so. An error would make the
 * whole list of tools fail.
 */
export async function describe(api: Api, collection: string, signal: AbortSignal): Promise<string> {
  try {
    const path = `${collectionPath(collection)}/contents`;
    return inWords(About.parse(await api({ method: 'GET', path }, signal)));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `Its contents could not be read: ${error.message}.`;
  }
}

function inWords(about: z.infer<typeof About>): string {
  const { name, source_names: sources, entity_types: types, metadata_fields: fields } = about;
  const kinds = types.map(({ entity_type, count }) =>
    count === null ? entity_type : `${count} ${entity_type}`,
  );
  return [
    `It is named '${name}'`,
    kinds.length > 0 ? ` and holds ${some(kinds)}` : ' and holds nothing yet',
    sources.length > 0 ? ` from ${some(sources)}.` : '.',
    fields.length > 0
      ? ` Filters may name entity_type, source_name, name, created_at, updated_at, ${some(fields)}.`
      : '',
  ].join('');
}

const some = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMED).join(', ') +
  (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '');
