/** The models of the configuration, asked in their order until one has answered. */
import type { LanguageModel } from 'ai';
import type { Logger } from 'pino';
import { nameOf, type RemoteModel } from '../../providers.ts';
import { must, within } from '../../util.ts';
import { RemoteFailure } from '../remote/failure.ts';
import { retrying } from '../remote/retry.ts';
import { attempt } from './attempt.ts';
import { jsonIn } from './json.ts';
import { type Llm, type LlmBudget, LlmError, type LlmQuestion } from './llm.ts';
import { estimatedTokens, type LlmPrompt, promptOf } from './prompt.ts';
import { languageModel } from './providers.ts';

/** `models` has at least one. */
export function createLlm(models: readonly RemoteModel[], log: Logger): Llm {
  const chain = models.map((remote) => ({
    name: nameOf(remote),
    key: remote.key,
    model: languageModel(remote),
  }));

  return {
    model: must(chain[0]).name,
    async ask(question, budget, signal) {
      const deadline = Math.min(budget.deadline, Date.now() + question.timeoutMs);
      const spending = spendingOf(question, budget);
      const failures: string[] = [];
      let last: RemoteFailure | undefined;
      for (const [i, link] of chain.entries()) {
        // One that hangs leaves time for those behind it.
        const share = (deadline - Date.now()) / (chain.length - i);
        try {
          const value = await askOne(link, question, spending, Date.now() + share, signal);
          return { value, usage: { model: link.name, ...spending.spent() } };
        } catch (error) {
          if (!(error instanceof RemoteFailure)) throw error;
          log.warn(
            { purpose: question.purpose, model: link.name, reason: error.message },
            'a language model gave no answer',
          );
          failures.push(`${link.name}: ${error.message}`);
          last = error;
        }
      }
      throw new LlmError(kindOf(must(last)), failures.join('; '));
    },
  };
}

async function askOne<T>(
  { model, key }: { model: LanguageModel; key: string | undefined },
  question: LlmQuestion<T>,
  spending: Spending,
  deadline: number,
  signal: AbortSignal,
): Promise<T> {
  const { schema, maxOutputTokens } = question;
  const text = await retrying(
    async (ms) => {
      const { prompt, settle } = spending.begin();
      const late = () => new RemoteFailure('late', `no answer in ${Math.round(ms)} ms`);
      try {
        const said = await attempt(
          model,
          { prompt, schema, maxOutputTokens, key },
          within(ms, late, signal),
        );
        settle(said);
        return said.text;
      } catch (error) {
        // Who answers late or with rubbish has worked.
        const kind = error instanceof RemoteFailure ? error.kind : 'late';
        if (kind === 'late' || kind === 'invalid') settle({});
        throw error;
      }
    },
    deadline,
    signal,
  );
  const parsed = schema.safeParse(jsonIn(text));
  if (!parsed.success) throw new RemoteFailure('invalid', 'an answer of another shape');
  return parsed.data;
}

interface Tokens {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}
type Spending = ReturnType<typeof spendingOf>;

/** Counts what the calls of one question take, and begins none that the budget cannot pay. */
function spendingOf(question: LlmQuestion<unknown>, budget: LlmBudget) {
  const spent = { inputTokens: 0, outputTokens: 0, calls: 0 };
  return {
    spent: () => spent,
    begin(): { prompt: LlmPrompt; settle: (tokens: Tokens) => void } {
      const prompt = promptOf(question);
      const estimate = estimatedTokens(prompt);
      if (estimate + question.maxOutputTokens > budget.tokens)
        throw new LlmError(
          'budget',
          `${budget.tokens} tokens are left, and the question may take ${estimate + question.maxOutputTokens}`,
        );
      spent.calls++;
      const settle = ({ inputTokens = estimate, outputTokens = 0 }: Tokens) => {
        spent.inputTokens += inputTokens;
        spent.outputTokens += outputTokens;
        budget.tokens -= inputTokens + outputTokens;
      };
      return { prompt, settle };
    },
  };
}

function kindOf({ kind }: RemoteFailure): LlmError['kind'] {
  if (kind === 'late') return 'timeout';
  return kind === 'invalid' ? 'invalid' : 'unavailable';
}
