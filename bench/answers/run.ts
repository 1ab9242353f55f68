/**
 * `npm run bench:answers [-- --agentic] [-- --list] [-- <set>...]` asks the questions of the sets, or of those that are
 * named, without a language model, and judges the answers. Half of the questions cannot be answered from their
 * collection: at least 85 % of these should be refused. Of the questions that can be answered, at most 5 % should be
 * refused ("lost"), and at least 80 % of the others should get a quote that contains the answer.
 *
 * --agentic  asks the agentic search in place of the standard one
 * --list     prints the answers that are wrong
 */
import { parseArgs } from 'node:util';
import { type Library, openTemporary } from '../../packages/server/src/eval/library.ts';
import { NOTHING as NOTHING_OF_AGENT } from '../../packages/server/src/search/agent/quote.ts';
import { AgenticBody } from '../../packages/server/src/search/agent/schema.ts';
import { NOTHING } from '../../packages/server/src/search/answer/quote.ts';
import { RERANK } from '../../packages/server/src/search/rank.ts';
import { SearchBody } from '../../packages/server/src/search/schema.ts';
import { answerHelp, tellProgress } from '../../scripts/help.ts';
import { judge, type Verdict } from './judge.ts';
import { kindsText, listText, tableText } from './report.ts';
import { type AnswerSet, readSet, setNames } from './sets.ts';

answerHelp(import.meta.filename);
const { values: flags, positionals } = parseArgs({
  options: { agentic: { type: 'boolean' }, list: { type: 'boolean' } },
  allowPositionals: true,
});

type Ask = (query: string) => Promise<string>;
const never = new AbortController().signal;

function askSearch({ searchWith, place }: Library): Ask {
  const { search } = searchWith(RERANK);
  return async (query) => {
    const body = SearchBody.parse({ query, generate_answer: true });
    const { completion = '' } = await search({ ...askerIn(place), body }, never);
    return completion;
  };
}

const askAgent =
  ({ agent, place }: Library): Ask =>
  async (query) => {
    const request = { ...askerIn(place), body: AgenticBody.parse({ query }) };
    return (await agent.run(request, () => {}, never)).answer.text;
  };

const askerIn = ({ organizationId, collectionId }: Library['place']) => ({
  organizationId,
  collectionIds: [collectionId],
  principals: null,
});

async function ask({ name, documents, questions }: AnswerSet): Promise<Verdict[]> {
  const library = await openTemporary(documents, () => {});
  tellProgress(`${name}: ${documents.length} documents stored`);
  const [askIt, nothing] = flags.agentic
    ? [askAgent(library), NOTHING_OF_AGENT.text]
    : [askSearch(library), NOTHING];
  try {
    const verdicts: Verdict[] = [];
    for (const question of questions) {
      const answer = await askIt(question.question);
      verdicts.push(judge(question, answer, nothing));
    }
    tellProgress(`${name}: ${questions.length} questions asked`);
    return verdicts;
  } finally {
    await library.close();
  }
}

// All sets are read before the first question is asked, so that a mistake in any of them is reported at once.
const sets = (positionals.length > 0 ? positionals : setNames()).map(readSet);
const asked: { name: string; verdicts: Verdict[] }[] = [];
for (const set of sets) asked.push({ name: set.name, verdicts: await ask(set) });
console.log(`${tableText(asked)}\n\n${kindsText(asked)}`);
if (flags.list) console.log(`\n${listText(asked)}`);
