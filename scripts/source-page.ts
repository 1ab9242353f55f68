/**
 * A page of docs/sources/ begins with a head that is made from the data of the source, so the two cannot differ. People
 * write everything below the head.
 */

import { type Source, syncMode } from '../packages/server/src/sources/define.ts';
import { describeSource } from '../packages/server/src/sources/describe.ts';
import { EVIDENCE_CLASSES } from '../packages/server/src/sources/evidence.ts';
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

/** Returns the page docs/sources/README.md, a table of all sources. */
export function tableOf(sources: Iterable<Source>): string {
  const rows = [...sources].map((source) => {
    const facts = factsOf(source);
    const cells = Object.keys(COLUMNS).map((fact) => cell(facts[fact] ?? ''));
    return `| [${cell(source.name)}](${source.shortName}.md) | ${cells.join(' | ')} |\n`;
  });
  const titles = Object.values(COLUMNS);
  const classes = Object.entries(EVIDENCE_CLASSES).map(
    ([name, what]) => `- **${name}**: ${what}\n`,
  );
  return [
    '<!-- This page is made from the sources by `npm run source-pages`. -->\n',
    '# Sources\n\n',
    `| source | ${titles.join(' | ')} |\n|---|${titles.map(() => '---|').join('')}\n`,
    ...rows,
    '\nThe evidence says against what the tests run a source, and as of when:\n\n',
    ...classes,
    "\nA vendor's document has a date, and proves nothing newer. A document that has none has the date on which its package was published. ",
    '[How connectors are tested](../connectors.md#the-contract), and [where services differ from their documents](contracts.md).\n',
  ].join('');
}

/** The key is a fact of a source, and the value is the title of its column. */
const COLUMNS = {
  'ways to sign in': 'ways to sign in',
  syncs: 'how changes and deletions are noticed: syncs',
  'who may see a record': 'who may see a record',
  files: 'files',
  'limits on calls': 'limits on calls',
  evidence: 'evidence',
};

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
  const { output_entity_definitions, supports_access_control } = describeSource(source);
  const { oauth } = source.auth;
  return {
    'short name': codes([source.shortName]),
    records: `${codes(output_entity_definitions)}${source.otherTypes ? ', and types that come from the data' : ''}`,
    syncs: syncsOf(source),
    'ways to sign in': waysOf(source),
    ...(oauth && {
      'scopes of OAuth': oauth.scopes.length > 0 ? codes(oauth.scopes) : 'none',
      'refresh tokens': REFRESH[oauth.refresh],
    }),
    'who may see a record': source.members
      ? 'is copied with the memberships of groups'
      : supports_access_control
        ? 'is limited to the people whom the record names'
        : 'is not copied: everybody who may search the collection',
    files: source.files ?? 'none',
    'limits on calls': limitsOf(source),
    evidence: evidenceOf(source),
  };
}

const codes = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(', ');

function waysOf(source: Source): string {
  const { direct, oauth } = source.auth;
  if (direct?.isOptional) return 'none is needed; `direct` takes credentials';
  return direct || oauth ? codes(describeSource(source).auth_methods) : 'none is needed';
}

const limitsOf = ({ rateLimitLevel, limits }: Source): string =>
  rateLimitLevel
    ? `count for each ${LEVELS[rateLimitLevel]}${limits ? `; the service allows ${limits}` : ''}`
    : 'do not apply';

/** Class E alone proves nothing, so it is called by its meaning. */
const evidenceOf = ({ evidence }: Source): string =>
  evidence
    .toSorted((a, b) => (a.class < b.class ? -1 : 1))
    .map(
      (one) =>
        `${one.class}: ${one.class === 'E' ? 'not independently checked, ' : ''}${one.by} (${one.asOf})`,
    )
    .join('; ');

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
    ? 'ask for what has changed or is gone since the last one; a continuous connection also has a full sync a week'
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
