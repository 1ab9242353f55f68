/** Makes documents whose text is known, and keeps them in a folder of the system for the next run. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, extname, join } from 'node:path';
import { tellProgress } from '../../scripts/help.ts';
import { libreOffice, pandoc } from './programs.ts';
import { RECIPES, type Recipe } from './recipes.ts';
import { makeSource, type Source } from './source.ts';
import { csvOf, fodsOf, markdownOf } from './write-source.ts';

export interface Made {
  readonly recipe: Recipe;
  readonly source: Source;
  readonly path: string;
}

interface MakeOptions {
  readonly seed: number;
  /** All documents get as many chapters; without it, the documents of a kind have from one to four. */
  readonly size?: number;
  readonly recipes?: readonly Recipe[];
  /** Returns the source of which the n-th document of a recipe is made. */
  readonly change?: (source: Source, recipe: Recipe, n: number) => Source;
}

export const CACHE = join(tmpdir(), `quarry-bench-documents-${userInfo().uid}`);

/** Returns the documents of the recipes, and makes those that are not in the cache. */
export async function makeDocuments(options: MakeOptions): Promise<Made[]> {
  const { seed, size, recipes = RECIPES, change = (source) => source } = options;
  const all: Made[] = [];
  for (const [i, recipe] of recipes.entries()) {
    const sources = Array.from({ length: recipe.documents }, (_, n) =>
      change(makeSource(recipe.shape, seed * 1000 + i * 10 + n, size ?? 1 + n), recipe, n),
    );
    const folder = folderOf(recipe, sources);
    const made = sources.map((source, n) => ({
      ...{ recipe, source, path: join(folder, 'made', `${seed}-${i}-${n}.${recipe.kind}`) },
    }));
    if (!existsSync(folder)) {
      tellProgress(`making ${made.length} documents: ${recipe.kind} by ${recipe.by}`);
      await makeInto(`${folder}.part`, made);
      renameSync(`${folder}.part`, folder);
    }
    all.push(...made);
  }
  return all;
}

/** The hash changes with the sources, so no document is taken for one of another source. */
function folderOf(recipe: Recipe, sources: readonly Source[]): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([recipe, sources]))
    .digest('hex');
  return join(CACHE, `${recipe.kind}-${recipe.by}-${hash.slice(0, 12)}`);
}

async function makeInto(folder: string, made: readonly Made[]): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const results = join(folder, 'made');
  mkdirSync(results, { recursive: true });
  const firsts: string[] = [];
  for (const { recipe, source, path } of made) {
    const name = basename(path, extname(path));
    const first = join(folder, `${name}.${recipe.from ?? 'md'}`);
    firsts.push(first);
    if (recipe.shape === 'sheet') {
      writeFileSync(first, recipe.from === 'fods' ? fodsOf(source) : csvOf(source));
      continue;
    }
    const markdown = join(folder, `${name}.md`);
    writeFileSync(markdown, markdownOf(source, recipe.hasTitle ?? true));
    await pandoc(markdown, recipe.by === 'pandoc' ? join(results, basename(path)) : first);
  }
  const [one] = made;
  if (one?.recipe.by === 'LibreOffice') await libreOffice(firsts, one.recipe.kind, results);
  rmSync(join(folder, 'profile'), { recursive: true, force: true });
  const missing = made.find(({ path }) => !existsSync(join(results, basename(path))));
  if (missing) throw new Error(`${missing.recipe.by} has not made ${missing.path}`);
}
