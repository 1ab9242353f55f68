/**
 * `node bench/code/cost.ts <set>...` measures what it costs to find definitions by rules and by grammars: the processor
 * time of 1,000 lines of each set, how long the grammars take to load, and what a file of 20 MB takes. It needs the
 * packages of this folder (`npm install` in bench/code), and one process for each run, because memory is never given back.
 */
import { definitionsIn } from '../../packages/server/src/documents/split/definitions.ts';
import { programLanguageOf } from '../../packages/server/src/documents/split/languages.ts';
import { answerHelp } from '../../scripts/help.ts';
import { grammarFor, loadGrammars } from './grammars.ts';
import { readSet } from './set.ts';

answerHelp(import.meta.filename);

const LARGE = 20_000_000;
const megabytes = () => Math.round(process.memoryUsage().rss / 1e6);

/** Returns the milliseconds of this process's processor time, which other processes do not lengthen. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const empty = megabytes();
const begun = process.cpuUsage();
if (!(await loadGrammars()))
  throw new Error('the grammars are missing: run npm install in bench/code');
const loading = process.cpuUsage(begun);
console.log(
  `grammars loaded in ${Math.round((loading.user + loading.system) / 1000)} ms of processor time, ${megabytes() - empty} MB`,
);

for (const path of process.argv.slice(2)) {
  const { language, documents } = readSet(path);
  const lines = documents.reduce((sum, { text }) => sum + text.split('\n').length, 0);
  const each = (find: (name: string, text: string) => void) =>
    processorTime(() => {
      for (const { title, text } of documents) find(title, text);
    });
  const byRules = (name: string, text: string) => {
    const language = programLanguageOf(name);
    if (language !== null) definitionsIn(text, language);
  };
  const byGrammar = (name: string, text: string) => grammarFor(name)?.(text);
  each(byRules);
  const per = (milliseconds: number) => ((milliseconds / lines) * 1000).toFixed(2);
  console.log(
    `${language}: ${lines} lines, ms per 1,000 lines: rules ${per(each(byRules))}, grammar ${per(each(byGrammar))}`,
  );
  const name = documents[0]!.title;
  const all = documents.map(({ text }) => text).join('\n');
  const large = all.repeat(Math.ceil(LARGE / all.length)).slice(0, LARGE);
  for (const [what, find] of Object.entries({ rules: byRules, grammar: byGrammar })) {
    const before = megabytes();
    const took = processorTime(() => find(name, large));
    console.log(
      `  a file of 20 MB, by ${what}: ${Math.round(took)} ms, ${megabytes() - before} MB more`,
    );
  }
}
