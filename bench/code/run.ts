/**
 * `npm run bench:code -- <set>...` measures how well pieces of source code are found: without titles, with the titles of
 * definitions that rules find (as the service cuts them), or that grammars find, and with cuts before the definitions.
 * A set is a file of bench/code/make.ts or bench/code/codebase.ts. The grammars are compared only after `npm install`
 * in bench/code, and on the languages that have one.
 *
 * --variants rules,grammar  measures only these, and those with which they are compared
 */
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { answerHelp, tellProgress } from '../../scripts/help.ts';
import type { Figures } from './figures.ts';
import { grammarFor, loadGrammars } from './grammars.ts';
import { KINDS } from './questions.ts';
import { type SetFigures, tableOf } from './report.ts';
import { type CodeSet, readSet } from './set.ts';
import { use, VARIANTS, type Variant } from './variants.ts';

answerHelp(import.meta.filename);
const { values, positionals } = parseArgs({
  options: { variants: { type: 'string' } },
  allowPositionals: true,
});
if (positionals.length === 0) throw new Error('name one or more files of bench/code/make.ts');

// The sync cuts documents by the variant in use, in the place of the service's own rules.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith('/documents/split.ts') && context.parentURL?.endsWith('/pipeline/chunks.ts')
      ? next(new URL('./variants.ts', import.meta.url).href, context)
      : next(specifier, context),
});
const { measure } = await import('./measure.ts');

const everything = () => true;
const hasGrammars = await loadGrammars();
const chosen = variantsOf(values.variants?.split(','));

interface Result {
  readonly set: CodeSet;
  readonly figures: SetFigures;
}
const results: Result[] = [];
for (const path of positionals) {
  const set = readSet(path);
  const figures = new Map<string, readonly Figures[]>();
  for (const variant of variantsFor(set)) {
    use(variant);
    const measured = await measure(set);
    figures.set(variant.name, measured.figures);
    tellProgress(`${basename(path)}: ${variant.name}, ${measured.pieces} pieces`);
  }
  const result = { set, figures };
  results.push(result);
  print(set.language, everything, [result]);
}
print('all languages', everything);
print('tune', ({ document }) => Number(document) % 2 === 0);
print('check', ({ document }) => Number(document) % 2 === 1);
for (const kind of KINDS) print(kind, (question) => question.kind === kind);

/** Prints a table of the sets that have such questions, and one of those among them that have a grammar. */
function print(
  title: string,
  keep: (question: CodeSet['questions'][number]) => boolean,
  of: readonly Result[] = results,
): void {
  const kept = of
    .filter(({ set }) => set.questions.some(keep))
    .map(({ set, figures }) => {
      const indices = set.questions.flatMap((question, i) => (keep(question) ? [i] : []));
      const some = [...figures].map(([name, all]) => [name, indices.map((i) => all[i]!)] as const);
      return new Map(some);
    });
  const withGrammar = kept.filter((figures) => figures.has('grammar'));
  const plain = chosen.filter(({ name }) => !name.startsWith('grammar'));
  if (withGrammar.length < kept.length) console.log(tableOf(title, kept, plain));
  if (withGrammar.length > 0) console.log(tableOf(`${title}, with a grammar`, withGrammar, chosen));
}

function variantsFor({ documents }: CodeSet): readonly Variant[] {
  const isParsed = documents.every(({ title }) => grammarFor(title) !== null);
  return chosen.filter(({ name }) => isParsed || !name.startsWith('grammar'));
}

function variantsOf(names: readonly string[] | undefined): readonly Variant[] {
  const wanted = new Set(names ?? VARIANTS.map(({ name }) => name));
  const unknown = [...wanted].find((name) => !VARIANTS.some((variant) => variant.name === name));
  if (unknown !== undefined)
    throw new Error(
      `variant '${unknown}' is not known: give one or more of ${VARIANTS.map(({ name }) => name).join(', ')}`,
    );
  for (const { name, against } of VARIANTS.toReversed())
    if (against !== null && wanted.has(name)) wanted.add(against);
  return VARIANTS.filter(
    ({ name }) => wanted.has(name) && (hasGrammars || !name.startsWith('grammar')),
  );
}
