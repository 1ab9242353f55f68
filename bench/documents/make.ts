/** Makes documents whose text is known, and keeps them in a folder of the system for the next run. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { tellProgress } from '../../scripts/help.ts';
import { libreOffice, pandoc } from './programs.ts';
import { RECIPES, type Recipe } from './recipes.ts';
import { makeSource, type Source } from './source.ts';
import { csvOf, markdownOf } from './write-source.ts';

export interface Made {
  readonly recipe: Recipe;
  readonly source: Source;
  readonly path: string;
}

export interface MakeOptions {
  readonly seed: number;
  /** All documents get as many chapters; without it, the documents of a kind have from one to four. */
  readonly size?: number;
  readonly recipes?: readonly Recipe[];
}

export const CACHE = join(tmpdir(), `quarry-bench-documents-${userInfo().uid}`);

/** Returns the documents of the recipes, and makes those that are not in the cache. */
export async function makeDocuments(options: MakeOptions): Promise<Made[]> {
  const { seed, size, recipes = RECIPES } = options;
  const all: Made[] = [];
  for (const [i, recipe] of recipes.entries()) {
    const { kind, by, from = 'markdown' } = recipe;
    const folder = join(CACHE, `${kind}-${by}-${from}-${seed}-${size ?? 'mixed'}`);
    const sources = Array.from({ length: recipe.documents }, (_, n) =>
      makeSource(recipe.shape, seed * 1000 + i * 10 + n, size ?? 1 + n),
    );
    const made = sources.map((source, n) => ({
      ...{ recipe, source, path: join(folder, 'made', `${kind}-${by}-${seed}-${n}.${kind}`) },
    }));
    if (!existsSync(folder)) {
      tellProgress(`making ${sources.length} documents: ${kind} by ${by} from ${from}`);
      await makeInto(`${folder}.part`, made);
      renameSync(`${folder}.part`, folder);
    }
    all.push(...made);
  }
  return all;
}

async function makeInto(folder: string, made: readonly Made[]): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const results = join(folder, 'made');
  mkdirSync(results, { recursive: true });
  const firsts: string[] = [];
  for (const { recipe, source, path } of made) {
    const name = path.slice(path.lastIndexOf('/') + 1, path.lastIndexOf('.'));
    const markdown = join(folder, `${name}.md`);
    const first = join(folder, `${name}.${recipe.from}`);
    firsts.push(first);
    if (recipe.shape === 'sheet') {
      writeFileSync(first, csvOf(source));
      continue;
    }
    writeFileSync(markdown, markdownOf(source, recipe.hasTitle ?? true));
    await pandoc(
      markdown,
      recipe.by === 'pandoc' ? join(results, `${name}.${recipe.kind}`) : first,
    );
  }
  const [one] = made;
  if (one?.recipe.by === 'LibreOffice') await libreOffice(firsts, one.recipe.kind, results);
  rmSync(join(folder, 'profile'), { recursive: true, force: true });
  const missing = made.filter(
    ({ path }) => !existsSync(join(results, path.slice(path.lastIndexOf('/') + 1))),
  );
  if (missing.length > 0)
    throw new Error(`${missing[0]?.recipe.by} has not made ${missing[0]?.path}`);
}
