/**
 * These tests define which folders may import each other, and which files may do rare things, such as query the
 * database. The table below is the architecture: whoever adds an entry to it decides about the architecture. Tests may
 * import everything.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SRC = join(ROOT, 'packages/server/src');

const ARCHITECTURE = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');

/** Whatever works may count what it does. */
const METRICS = 'telemetry/metrics.ts';
/** Whatever works may have spans, and tells the parts below of its span. */
const TRACE = 'telemetry/trace.ts';
const BASE = ['errors', 'util', 'keyed-limit', 'context', 'model', METRICS, TRACE];
const FEATURES = [
  'accounts',
  'organizations',
  'collections',
  'connections',
  'entities',
  'transformers',
  'syncs',
  'search',
  'webhooks',
  'rate-limits',
  'auth-providers',
];
/** A feature may import these files of another feature. */
const DOORS = FEATURES.flatMap((feature) => [`${feature}/service.ts`, `${feature}/schema.ts`]);
/** Everything that asks a source sends its requests through this limiter, which counts them. */
const RATE_LIMITER = 'rate-limits/limiter.ts';
/** When a connection or an organization is deleted, the counts of its requests are deleted here. */
const REMOVAL = 'rate-limits/removal-store.ts';
/** The janitor removes ended sessions and invitations here. */
const ENDED = 'accounts/removal-store.ts';
/** Everything that asks a source opens the source here. */
const OPEN_SOURCE = 'sign-in/open-source.ts';
/** No feature asks a source while somebody still has to sign in. */
const NEEDED = 'sign-in/needed.ts';
/** Search uses this knowledge of words with every embedder. */
const WORDS = 'engines/embedder/words.ts';
const FEATURE = [
  ...BASE,
  'secrets',
  'db',
  'engines/ports.ts',
  'engines/llm/llm.ts',
  'jobs',
  'events',
  'audit',
  'http',
  'sources',
  'documents',
  OPEN_SOURCE,
  RATE_LIMITER,
  NEEDED,
  ...DOORS,
];

const without = (feature: string) => FEATURE.filter((unit) => !unit.startsWith(`${feature}/`));

/** Maps units to the units and files that they may import. A unit without a row may import everything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  errors: ['model'],
  util: [],
  'keyed-limit': [],
  context: ['model', TRACE],
  net: ['errors', 'util', TRACE],
  model: [],
  config: [
    'address-settings',
    'backup-settings',
    'providers',
    'model-settings',
    'oauth-settings',
    'mail-settings',
    'ocr-settings',
    'thread-settings',
    'secret-settings',
    'telemetry-settings',
    'tls-settings',
    'transformer-settings',
    'sources-file',
    'net/addresses.ts',
    'net/smtp.ts',
  ],
  'address-settings': ['model-settings', 'net/addresses.ts'],
  providers: [],
  'model-settings': ['providers'],
  'oauth-settings': ['model', 'net/addresses.ts'],
  'mail-settings': ['net/addresses.ts', 'net/smtp.ts'],
  'ocr-settings': [],
  'thread-settings': [],
  'secret-settings': ['providers'],
  'setting-roles': ['config'],
  'telemetry-settings': [],
  'tls-settings': [],
  'backup-settings': [],
  'transformer-settings': [],
  telemetry: ['model', 'db', 'errors', 'util', 'telemetry-settings', 'version'],
  'sources-file': ['net/addresses.ts'],
  log: ['log-file'],
  'log-file': ['config'],
  installation: [],
  version: ['installation'],
  secrets: BASE,
  db: ['model', 'errors', 'util', TRACE],
  encryption: [...BASE, 'secrets', 'db', 'config'],
  // When all processes have ended, a start or a restore frees what they held.
  'take-over': ['db', 'jobs', 'sign-in/token-store.ts', 'webhooks/deliver/queue-store.ts'],
  backup: [...BASE, 'db', 'take-over'],
  backups: [...FEATURE, 'backup', 'backup-settings', 'version'],
  engines: [
    ...BASE,
    'config',
    'model-settings',
    'providers',
    'db',
    'engines/index',
    'engines/embedder',
    'engines/llm',
    'engines/reranker',
    'engines/remote',
    'engines/transcriber',
  ],
  'engines/index': [...BASE, 'db', 'engines/ports.ts', 'engines/kernel.ts'],
  'engines/embedder': [
    ...BASE,
    'installation',
    'providers',
    'db',
    'engines/ports.ts',
    'engines/kernel.ts',
    'engines/remote',
  ],
  'engines/reranker': [...BASE, 'providers', 'engines/ports.ts', 'engines/remote'],
  'engines/transcriber': [...BASE, 'net', 'providers', 'engines/remote'],
  'engines/llm': [...BASE, 'providers', 'engines/remote', 'engines/measure.ts'],
  'engines/remote': [...BASE, 'net', 'providers'],
  jobs: [...BASE, 'db'],
  events: [...BASE, 'db'],
  audit: [...BASE, 'db', 'http'],
  // The usage counts searches without knowing them.
  usage: [...BASE, 'db'],
  // The issuer of the operator vouches for people.
  issuer: [...BASE, 'net', 'oauth-settings'],
  http: [...BASE, 'installation', 'telemetry/exposition.ts', 'tls-settings'],
  sandbox: ['util', 'installation'],
  documents: [...BASE, 'sandbox', 'installation'],
  sources: [...BASE, 'net', 'config', 'sources-file', 'http', 'documents'],
  'sources/catalog': ['sources', 'model', 'errors'],
  'sign-in': [...BASE, 'secrets', 'db', 'http', 'net', 'sources', 'auth-providers', RATE_LIMITER],
  ...Object.fromEntries(FEATURES.map((feature) => [feature, FEATURE])),
  // The redaction removes secrets from what connections write to the log about a refusal.
  connections: [...FEATURE, 'sign-in', 'auth-providers', 'transformers/redact/text.ts'],
  // Syncs run transformers between extracting and cutting, so transformers know nothing of syncs.
  transformers: [...without('syncs'), 'sandbox', 'installation'],
  // Who may see a record is decided as in a search.
  entities: [...FEATURE, 'search/access.ts'],
  organizations: [...FEATURE, REMOVAL, 'usage'],
  webhooks: [...FEATURE, 'net'],
  // Connections sign in through auth providers, so auth providers know nothing of connections.
  'auth-providers': [...BASE, 'secrets', 'db', 'audit', 'http', 'net', 'sources'],
  // Requests of many units are counted, so rate limits know nothing of these units.
  'rate-limits': [...BASE, 'db', 'audit', 'http', 'net', 'sources'],
  syncs: [...FEATURE, 'syncs/jobs', 'syncs/pipeline'],
  'syncs/jobs': [...FEATURE, 'transformers'],
  'syncs/pipeline': [...FEATURE, 'transformers', 'syncs/jobs'],
  'syncs/housekeeping': [...FEATURE, 'syncs/jobs', 'syncs/pipeline', REMOVAL, ENDED, 'usage'],
  search: [...FEATURE, WORDS, 'usage'],
  // A person who signs in is a member of organizations.
  accounts: [
    ...FEATURE,
    'organizations',
    'issuer',
    'oauth-settings',
    'net/addresses.ts',
    'net/guarded-send.ts',
    'net/smtp.ts',
  ],
  // The doctor repeats, from stored records, the work of a sync.
  doctor: [...FEATURE, 'syncs/jobs', 'syncs/pipeline'],
  // Contents show the same records as a search, by the same rules of access.
  'entities/contents': [...FEATURE, 'search'],
  // The state of the service names the options of searches that no model serves, and the models in use.
  system: [
    ...FEATURE,
    'documents',
    'config',
    'installation',
    'model-settings',
    'providers',
    'version',
  ],
  // The tools are in a package of their own, and reach the service only through the API. The only
  // outside services that they ask are issuers of tokens.
  mcp: [...BASE, 'net', 'http', 'oauth-settings', 'issuer'],
};
/** These units connect all others. */
const ON_TOP = [
  'main',
  'embedded',
  'app',
  'api',
  'process-roles',
  'operations',
  'open-database',
  'worker',
  'threads',
  'cli',
  'eval',
];

/** Only these files may contain queries on our database. */
const QUERIES = ['**/store.ts', '**/*-store.ts', 'db/**', 'jobs/**', 'engines/index/**'];
/** Only these files may open databases, ours and those of our users. */
const DRIVERS = ['db/**', 'engines/index/**', 'sources/**'];

/**
 * Only these files may use modules that open connections: net; the command line, which asks its own service; the
 * sandbox, which removes the functions that open connections; the AI SDK, which uses our own fetch
 * (engines/remote/fetch.ts); and the exporter of traces, which sends them to the collector of the operator.
 */
const CONNECTING = ['net/**', 'cli/**', 'sandbox/**', 'engines/llm/**', 'telemetry/open-tracer.ts'];
const NETWORK =
  /^(undici|nodemailer|ai|@opentelemetry\/exporter-.*|@ai-sdk\/.*|node:(net|tls|dgram|dns|dns\/promises|https?|http2))$/;
/** These values of the same modules open no connection. */
const HARMLESS = ['isIP', 'STATUS_CODES', 'createSecureContext'];

const DASHBOARD = join(ROOT, 'packages/ui/src');
/**
 * Maps the folders of the dashboard to the folders that they may import. Those on top, such as `app`, may import
 * everything. Pages share through `parts`, and not with each other.
 */
const DASHBOARD_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  pages: ['parts', 'ui', 'api', 'lib', 'styles'],
  parts: ['ui', 'api', 'lib', 'styles'],
  ui: ['lib', 'styles'],
  api: ['lib'],
  lib: [],
};
/** These are the shapes of the API, which everything may name. */
const SHAPES = /^import type \{ Schemas \} from '[^']+\/api\/client\.ts';$/gm;

const MAX_LINES = 300;

const files = globSync('**/*.ts', { cwd: SRC })
  .filter((file) => !matchesAny(file, ['**/*.test.ts', 'test/**', '**/*.d.ts']))
  .toSorted();
const texts = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]));

describe('architecture', () => {
  it('every file belongs to a unit of the table', () => {
    const known = new Set([...Object.keys(MAY_IMPORT), ...ON_TOP]);
    const strange = files.filter((file) => !known.has(unitOf(file)));
    assert.deepEqual(strange, []);
  });

  it('ARCHITECTURE.md draws the way of a record only with imports that the code has', () => {
    const drawn = [...ARCHITECTURE.matchAll(/^([\w/-]+\.ts) → (.+)$/gm)];
    assert.ok(drawn.length > 5);
    const missing = drawn.flatMap(([, from = '', to = '']) => {
      const imports = importsOf(texts.get(from) ?? '');
      return to
        .split(' ')
        .map((file) => (file.startsWith('../') ? file : `./${file}`))
        .filter((file) => !imports.includes(file))
        .map((file) => `${from} does not import ${file}`);
    });
    assert.deepEqual(missing, []);
  });

  it('every import follows the table', () => {
    const wrong = everywhere((file, text) => {
      const unit = unitOf(file);
      const allowed = MAY_IMPORT[unit];
      return importsOf(text)
        .filter((path) => path.startsWith('.'))
        .map((path) => join(dirname(file), path))
        .filter((target) => allowed && unitOf(target) !== unit && !isAllowed(target, allowed));
    });
    assert.deepEqual(wrong, []);
  });

  it('every import of the dashboard follows its table', () => {
    const folderOf = (file: string) => {
      const [folder = '', page = ''] = file.split('/');
      return folder === 'pages' ? `pages/${page}` : folder;
    };
    const sources = globSync('**/*.{ts,tsx}', { cwd: DASHBOARD });
    assert.ok(sources.length > 150);
    const wrong = sources.flatMap((file) => {
      const allowed = DASHBOARD_MAY_IMPORT[file.split('/')[0] ?? ''];
      const text = readFileSync(join(DASHBOARD, file), 'utf8').replaceAll(SHAPES, '');
      return importsOf(text)
        .filter((path) => path.startsWith('.'))
        .map((path) => join(dirname(file), path))
        .filter((target) => folderOf(target) !== folderOf(file))
        .filter((target) => allowed && !allowed.includes(folderOf(target)))
        .map((target) => `${file} imports ${target}`);
    });
    assert.deepEqual(wrong, []);
  });

  it('every type has a name of its own, so that a name means the same everywhere', () => {
    const ofServer = everywhere((file, text) =>
      file.startsWith('db/migrations/') ? [] : typesIn(text),
    );
    const ofTools = toolFiles().flatMap((file) =>
      typesIn(readFileSync(file, 'utf8')).map((what) => `${file}: ${what}`),
    );
    assert.ok(ofTools.length > 0);
    const declared = Map.groupBy([...ofServer, ...ofTools], (where) => where.split(' ').at(-1));
    const twice = [...declared.values()].filter(({ length }) => length > 1);
    assert.deepEqual(twice, []);
  });

  it('functions get everything as a parameter, and not by the way they are called', () => {
    const wrong = everywhere((_file, text) => found(text, /\bAsyncLocalStorage\b/g));
    assert.deepEqual(wrong, []);
  });

  it('only config.ts reads the environment', () => {
    const pattern = /process\.env\b|process\[|\{[^}]*\benv\b[^}]*\} from 'node:process'/g;
    const wrong = everywhere((file, text) => (file === 'config.ts' ? [] : found(text, pattern)));
    assert.deepEqual(wrong, []);
  });

  it('only mcp and the command line serve the tools of assistants', () => {
    const wrong = everywhere((file, text) =>
      ['mcp', 'main', 'cli'].includes(unitOf(file))
        ? []
        : importsOf(text).filter((path) => /^(#quarry-mcp|@modelcontextprotocol)\b/.test(path)),
    );
    assert.deepEqual(wrong, []);
  });

  it('only stores, db, jobs and the search index contain queries on our database', () => {
    const query = /\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto|executeQuery)\(/g;
    const kysely = /^import (?!type\b)[^;]*? from 'kysely[^']*'/gm;
    const wrong = everywhere((file, text) =>
      matchesAny(file, QUERIES) ? [] : [...found(text, query), ...found(text, kysely)],
    );
    assert.deepEqual(wrong, []);
  });

  it('only net opens connections to other machines', () => {
    const call = /(?<![.\w]|typeof )fetch\(|\bglobalThis\.fetch|\bnew (WebSocket|EventSource)\b/g;
    const wrong = everywhere((file, text) =>
      matchesAny(file, CONNECTING)
        ? []
        : [...found(text, call), ...usedModulesOf(text).filter((path) => NETWORK.test(path))],
    );
    assert.deepEqual(wrong, []);
  });

  it('the SDK of OpenTelemetry is loaded by one file, and only where traces are on', () => {
    const loaded = everywhere((_file, text) => found(text, /^.*'@opentelemetry\/.*$/gm));
    assert.ok(loaded.length > 4);
    const wrong = loaded.filter(
      (line) => !/^telemetry\/open-tracer\.ts: .*(\bimport\(|\bimport type\b)/.test(line),
    );
    assert.deepEqual(wrong, []);
  });

  it('only db, the search index and connectors open databases, and connectors do not know ours', () => {
    const drivers = ['pg', 'pg-cursor', 'mysql2', 'node:sqlite'];
    const wrong = everywhere((file, text) =>
      importsOf(text).filter((path) =>
        drivers.includes(path)
          ? !matchesAny(file, DRIVERS)
          : path.startsWith('kysely') && file.startsWith('sources/'),
      ),
    );
    assert.deepEqual(wrong, []);
  });

  it(`only files that docs/decisions/exceptions.md names have more than ${MAX_LINES} lines`, (t) => {
    const path = join(ROOT, 'docs/decisions/exceptions.md');
    const reasons = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const counted = [...texts]
      .filter(([file, text]) => !file.startsWith('db/migrations/') && !isGenerated(text))
      .map(([file, text]) => ({ file, lines: text.trimEnd().split('\n').length }))
      .toSorted((a, b) => a.lines - b.lines);
    const at = (share: number) => counted[Math.floor((counted.length - 1) * share)]?.lines;
    t.diagnostic(`${counted.length} files, median ${at(0.5)} lines, p90 ${at(0.9)}`);
    const long = counted.filter(
      ({ file, lines }) => lines > MAX_LINES && !reasons.includes(`packages/server/src/${file}`),
    );
    assert.deepEqual(long, []);
  });

  it('a hook of a test file belongs to a describe, because files that share a process would share it', () => {
    const tests = globSync([
      join(ROOT, 'packages/*/{src,e2e,tools}/**/*.test.ts'),
      join(ROOT, 'scripts/*.test.ts'),
    ]);
    assert.ok(tests.length > 100);
    const helpers = globSync(join(ROOT, 'packages/*/{src,e2e}/**/*.ts'), { exclude: tests });
    const functions = helpers.flatMap(functionsWithHooks);
    assert.ok(functions.includes('useForum'));
    const faults = tests.flatMap((file) => hooksWithoutDescribe(file, functions));
    assert.deepEqual(faults, []);
  });
});

/**
 * Returns the unit of a file: connections for `connections/store.ts`, engines/index for `engines/index/sqlite.ts`, and
 * app for `app.ts`.
 */
function unitOf(file: string): string {
  // This file is the list of all connectors.
  if (file === 'sources/catalog.ts') return 'sources/catalog';
  const [first = '', second = '', third] = file.split('/');
  const isUnit = third !== undefined && `${first}/${second}` in MAY_IMPORT;
  return isUnit ? `${first}/${second}` : first.replace(/\.ts$/, '');
}

const isAllowed = (target: string, allowed: readonly string[]) =>
  allowed.includes(target) || allowed.includes(unitOf(target));

const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom|\bimport) ?\(?'([^']+)'/g)].map(([, path = '']) => path);

/** Returns the modules of which a file imports more than types and harmless values. */
function usedModulesOf(text: string): string[] {
  const isUsed = (names: string) =>
    names
      .split(/[{},]/)
      .map((name) => name.trim())
      .some((name) => name !== '' && !name.startsWith('type ') && !HARMLESS.includes(name));
  return [
    ...[...text.matchAll(/^(?:im|ex)port (?!type\b)([^;']*?) from '([^']+)'/gm)]
      .filter(([, names = '']) => isUsed(names))
      .map(([, , path = '']) => path),
    ...[...text.matchAll(/\bimport\(\s*'([^']+)'/g)].map(([, path = '']) => path),
  ];
}

const found = (text: string, pattern: RegExp): string[] => text.match(pattern) ?? [];

/** Returns the places where a file adds hooks outside of a describe, itself or through one of the functions. */
function hooksWithoutDescribe(file: string, functions: readonly string[]): string[] {
  const names = ['before', 'beforeEach', 'after', 'afterEach', ...functions].join('|');
  const hook = new RegExp(`^ *(?:const .* = )?(?:${names})\\(`);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, at) =>
    hook.test(line) && !groupAround(lines, at) ? [`${file}:${at + 1}`] : [],
  );
}

/** Returns the names of the exported functions that add hooks to the describe of their caller. */
function functionsWithHooks(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    if (!/^ *(?:before|after)(?:Each)?\((?!\w+:)/.test(line)) return [];
    return /^export (?:async )?function (\w+)/.exec(groupAround(lines, at) ?? '')?.[1] ?? [];
  });
}

/** Returns the first line of the describe or the function around a line, which the indentation shows. */
function groupAround(lines: readonly string[], at: number): string | undefined {
  let indent = lines[at]?.search(/\S/) ?? 0;
  for (let i = at - 1; i >= 0 && indent > 0; i--) {
    const outer = lines[i] ?? '';
    if (outer === '' || outer.search(/\S/) >= indent) continue;
    indent = outer.search(/\S/);
    if (/^ *(?:describe\(|(?:export )?(?:async )?function )/.test(outer)) return outer;
  }
  return undefined;
}

/** Returns one line for each fault that `find` finds in a file. */
const everywhere = (find: (file: string, text: string) => readonly string[]): string[] =>
  [...texts].flatMap(([file, text]) => find(file, text).map((what) => `${file}: ${what}`));

const typesIn = (text: string): string[] =>
  found(text, /^ *(?:export )?(?:abstract )?(?:interface|type|class) \w+(?= =|<| \{| extends)/gm);

const toolFiles = (): string[] =>
  globSync(join(ROOT, 'packages/{client,mcp}/src/**/*.ts')).filter(
    (file) => !file.endsWith('.test.ts'),
  );

const isGenerated = (text: string) => text.split('\n', 1)[0]?.includes('@generated') ?? false;

function matchesAny(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesGlob(file, pattern));
}
