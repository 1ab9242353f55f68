/**
 * Makes the corpus of the judged set `manuals` out of the documentation in npm packages: `node
 * bench/ranking/sets/make-manuals.ts`. The queries and judgements are written by hand, with the ids that this script
 * gives to the documents.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

interface Product {
  readonly package: string;
  readonly version: string;
  readonly folder: string;
  readonly skip: RegExp;
  /** Pages with more characters are left out. */
  readonly longest: number;
}

interface Page {
  readonly title: string;
  readonly text: string;
}

const PRODUCTS: readonly Product[] = [
  {
    package: 'fastify',
    version: '5.12.8',
    folder: 'docs',
    skip: /(?:Ecosystem|Migration-Guide-V[34]|LTS|Style-Guide|TypeScript|Benchmarking|Prototype-Poisoning|[Ii]ndex|Contributing)\.md$/,
    longest: Infinity,
  },
  { package: 'undici', version: '7.29.0', folder: 'docs', skip: /PoolStats/, longest: Infinity },
  {
    package: 'pino',
    version: '10.4.0',
    folder: 'docs',
    skip: /lts|benchmarks|ecosystem/,
    longest: Infinity,
  },
  {
    package: 'mercurius',
    version: '16.10.1',
    folder: 'docs',
    skip: /contribute|development|integrations\/(?:README|nexus|gqloom)/,
    longest: Infinity,
  },
  {
    package: 'next',
    version: '16.4.6',
    folder: 'dist/docs/01-app',
    skip: /adapters|upgrading|migrating|testing|agent|index\.md|getting-started|mcp|[tT]urbopack/,
    longest: 6_000,
  },
];

/** A page or a section with more characters than this is divided at its headings. */
const LARGE = 5_000;
/** A shorter section joins the one before it. */
const SMALL = 500;
const TARGET = join(import.meta.dirname, 'manuals', 'corpus.jsonl');

const folder = mkdtempSync(join(tmpdir(), 'quarry-manuals-'));
try {
  const documents = PRODUCTS.flatMap((product) =>
    pagesOf(product).map((page, i) => ({ id: `${product.package}-${i + 1}`, ...page })),
  );
  writeFileSync(TARGET, documents.map((one) => `${JSON.stringify(one)}\n`).join(''));
  console.log(`${documents.length} documents`);
} finally {
  rmSync(folder, { recursive: true });
}

function pagesOf({ package: name, version, folder: docs, skip, longest }: Product): Page[] {
  const unpacked = join(folder, name);
  mkdirSync(unpacked);
  const packed = execFileSync('npm', ['pack', '--silent', `${name}@${version}`], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();
  execFileSync('tar', ['xzf', join(folder, packed), '-C', unpacked, '--strip-components=1']);
  const root = join(unpacked, docs);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.md$/.test(path))
    .sort()
    .map((path) => relative(root, join(root, path)))
    .filter((path) => !skip.test(path))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .filter((text) => text.length <= longest)
    .flatMap(documentsOf);
}

/** A page is one document, or one for each of its sections if it is large. */
function documentsOf(source: string): Page[] {
  const matter = /^---\n([\s\S]*?)\n---\n/.exec(source);
  const named = matter && /^title: *['"]?(.+?)['"]?$/m.exec(matter[1]!)?.[1];
  const body = source
    .slice(matter?.[0].length ?? 0)
    .replace(/<!--[\s\S]*?-->|\{\/\*[\s\S]*?\*\/\}/g, '')
    .replace(/^<h1[^>]*>Fastify<\/h1>$|^# mercurius$/gm, '')
    .replace(/^<h1[^>]*>(.*)<\/h1>$/gm, '# $1')
    .replace(/^<\/?(?:AppOnly|PagesOnly)>$|^<a id=.*<\/a>$/gm, '')
    // Lists of links into the same page are navigation.
    .replace(/^ *[-*] +\[[^\n]*\]\(#[^\n]*\)$\n?/gm, '')
    .replace(/^\*\*Table of contents\*\*$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const heading = /^(#{1,3}) +(.+)$/m.exec(body);
  const title = named ?? plain(heading?.[2] ?? '');
  const text = named ? body : body.replace(heading?.[0] ?? '', '').trim();
  if (title === '') throw new Error(`a page has no title: ${body.slice(0, 80)}`);
  return divided({ title, text }, title, 2).filter(
    (page) => page.text.length >= SMALL / 2 && !/: Contributors$/.test(page.title),
  );
}

function divided(page: Page, under: string, level: number): Page[] {
  if (page.text.length <= LARGE || level > 5) return [page];
  const parts = sections(page.text, level);
  const [opening, ...rest] = parts;
  const pages = [{ title: page.title, text: opening!.text }];
  for (const { title, text } of rest) {
    const last = pages.at(-1)!;
    if (text.length < SMALL) last.text += `\n\n${'#'.repeat(level)} ${title}\n\n${text}`;
    else pages.push({ title: `${under}: ${title}`, text });
  }
  return pages.filter(({ text }) => text !== '').flatMap((one) => divided(one, under, level + 1));
}

/** Returns the text before the first heading of the level, which has no title, and then each section. */
function sections(text: string, level: number): Page[] {
  const found = [{ title: '', text: '' }];
  let fenced = false;
  for (const line of text.split('\n')) {
    if (/^ *```/.test(line)) fenced = !fenced;
    const heading = fenced ? null : /^(#+) +(.+)$/.exec(line);
    if (heading && heading[1]!.length === level)
      found.push({ title: plain(heading[2]!), text: '' });
    else found.at(-1)!.text += `${line}\n`;
  }
  return found.map((section) => ({ ...section, text: section.text.trim() }));
}

function plain(heading: string): string {
  return heading
    .replace(/<[^>]*>/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`\\]/g, '')
    .trim();
}
