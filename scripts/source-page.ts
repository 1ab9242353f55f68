/**
 * A page of docs/sources/ begins with a head that is made from the data of the source, so the two cannot differ. People
 * write everything below the head.
 */

import { type Source, syncMode } from '../packages/server/src/sources/define.ts';
import { describeSource } from '../packages/server/src/sources/describe.ts';
import type { SourceField } from '../packages/server/src/sources/schema.ts';

const BEGIN = '<!-- This head is made from the source by `npm run source-pages`. -->';
const END = '<!-- Write below this line. -->';

/** Returns the page with a new head, made from the present data of the source. A page that does not exist yet is ''. */
export function withHead(source: Source, page: string): string {
  const [, own = ''] = page.split(`${END}\n`);
  return `${headOf(source)}${END}\n${own === '' ? '\n## Connect it\n' : own}`;
}

/** Returns what people have written below the head. */
export const stepsIn = (page: string): string => page.split(`${END}\n`)[1] ?? '';

function headOf(source: Source): string {
  const { name, description, config_fields, auth_fields } = describeSource(source);
  const rows = Object.entries(factsOf(source))
    .map(([title, fact]) => `| ${title} | ${cell(fact)} |\n`)
    .join('');
  return [
    `${BEGIN}\n`,
    `# ${name}\n\n${description}\n\n| | |\n|---|---|\n${rows}\n`,
    fieldTable('Credentials', auth_fields?.fields ?? []),
    fieldTable('Configuration', config_fields.fields),
  ].join('');
}

function factsOf(source: Source): Record<string, string> {
  const { auth_methods, output_entity_definitions, supports_access_control } =
    describeSource(source);
  const { oauth } = source.auth;
  const codes = (texts: readonly string[]) => texts.map((text) => `\`${text}\``).join(', ');
  return {
    'short name': codes([source.shortName]),
    records: `${codes(output_entity_definitions)}${source.otherTypes ? ', and types that come from the data' : ''}`,
    syncs: syncsOf(source),
    'ways to sign in': source.auth.direct || oauth ? codes(auth_methods) : 'none is needed',
    ...(oauth && {
      'scopes of OAuth': oauth.scopes.length > 0 ? codes(oauth.scopes) : 'none',
      'refresh tokens': REFRESH[oauth.refresh],
    }),
    'who may see a record': supports_access_control
      ? 'is copied with the memberships of groups'
      : 'is not copied: everybody who may search the collection',
    'limits on calls': source.rateLimitLevel
      ? `count for each ${LEVELS[source.rateLimitLevel]}`
      : 'none, because no service is asked',
  };
}

const REFRESH = {
  never: 'none: access tokens do not expire',
  reusable: 'stay valid when they are used',
  rotating: 'work once, and each refresh gives a new one',
} as const;
const LEVELS = { org: 'organization', connection: 'connection' } as const;

function syncsOf(source: Source): string {
  const mode = syncMode(source);
  if (mode === 'push') return 'none: your programs send the records';
  if (mode === 'federated') return 'none: each search asks the source';
  if (!source.cursor) return 'list everything, and find what has changed or is gone';
  return source.deletions === 'told'
    ? 'ask for what has changed or is gone since the last one'
    : 'ask for what has changed since the last one; full syncs, daily for continuous connections, find what is gone';
}

function fieldTable(title: string, fields: readonly SourceField[]): string {
  if (fields.length === 0) return '';
  const rows = fields.map(
    (field) => `| \`${field.name}\` | ${cell(`${field.description}${notesOn(field)}`)} |\n`,
  );
  return `## ${title}\n\n| field | |\n|---|---|\n${rows.join('')}\n`;
}

function notesOn(field: SourceField): string {
  const notes = [
    ...(field.required ? ['required'] : []),
    ...(field.secret ? ['secret'] : []),
    ...(field.default === undefined ? [] : [`default \`${JSON.stringify(field.default)}\``]),
  ];
  return notes.length > 0 ? ` (${notes.join(', ')})` : '';
}

const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
