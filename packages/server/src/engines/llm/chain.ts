/** Asks the configured models one after the other until one of them has answered. */
import type { LanguageModel } from 'ai';
import type { Logger } from 'pino';
import { nameOf, type RemoteModel } from '../../providers.ts';
import { must, within } from '../../util.ts';
import { type ModelMetrics, measuredCall } from '../measure.ts';
import { type FailureKind, RemoteFailure } from '../remote/failure.ts';
import { retrying } from '../remote/retry.ts';
import { attempt } from './attempt.ts';
import { jsonIn } from './json.ts';
import { type Llm, LlmError, type LlmQuestion } from './llm.ts';
import { estimatedTokens, promptOf } from './prompt.ts';
import { languageModel, thinks } from './providers.ts';
import { type Spending, spendingOf, type TokenUsage } from './spending.ts';

/** A model that reasons before it answers may use this many tokens in addition to those of the answer. */
const THINKING_TOKENS = 2000;

interface ChainLink {
  readonly remote: RemoteModel;
  readonly model: LanguageModel;
}

/** `models` must have at least one element. */
export function createLlm(models: readonly RemoteModel[], log: Logger, metrics: ModelMetrics): Llm {
  const chain = models.map((remote) => ({ remote, model: languageModel(remote) }));

  return {
    model: nameOf(must(chain[0]).remote),
    async ask(question, budget, signal) {
      const deadline = Math.min(budget.deadline, Date.now() + question.timeoutMs);
      const spending = spendingOf(budget);
      const failures: string[] = [];
      let last: RemoteFailure | undefined;
      for (const [i, link] of chain.entries()) {
        const name = nameOf(link.remote);
        // Each model gets a share of the remaining time, so that a model that hangs leaves time for the models after
        // it.
        const share = (deadline - Date.now()) / (chain.length - i);
        try {
          const limits = { spending, deadline: Date.now() + share, signal, metrics };
          const value = await measuredCall(
            metrics,
            { role: 'llm', model: name },
            { signal, work: () => askOne(link, question, limits) },
          );
          return { value, usage: { model: name, ...spending.spent } };
        } catch (error) {
          if (!(error instanceof RemoteFailure)) throw error;
          (question.log ?? log).warn(
            { purpose: question.purpose, model: name, reason: error.message },
            'a language model gave no answer',
          );
          failures.push(`${name}: ${error.message}`);
          last = error;
        }
      }
      throw new LlmError(kindOf(must(last)), failures.join('; '));
    },
  };
}

interface CallLimits {
  readonly metrics: ModelMetrics;
  readonly spending: Spending;
  readonly signal: AbortSignal;
}

async function askOne<T>(
  link: ChainLink,
  question: LlmQuestion<T>,
  { deadline, ...limits }: CallLimits & { readonly deadline: number },
): Promise<T> {
  const { schema } = question;
  const text = await retrying((ms) => callOnce(link, question, { ...limits, ms }), {
    deadline,
    signal: limits.signal,
  });
  const parsed = schema.safeParse(jsonIn(text));
  if (!parsed.success) throw new RemoteFailure('invalid', 'an answer of another shape');
  return parsed.data;
}

/** Returns the answer of the model, which must come within `ms` milliseconds. */
async function callOnce(
  { remote, model }: ChainLink,
  question: LlmQuestion<unknown>,
  { metrics, spending, ms, signal }: CallLimits & { readonly ms: number },
): Promise<string> {
  const { schema, purpose } = question;
  const prompt = promptOf(question);
  const isThinker = thinks(remote);
  const most = {
    inputTokens: estimatedTokens(prompt),
    outputTokens: question.maxOutputTokens + (isThinker ? THINKING_TOKENS : 0),
  };
  const chargeCall = spending.begin(most);
  let taken = NO_TOKENS;
  try {
    const late = () => new RemoteFailure('late', `no answer in ${Math.round(ms)} ms`);
    const answer = await within({ ms, late, signal }, (inTime) =>
      attempt(
        model,
        {
          prompt,
          schema,
          purpose,
          maxOutputTokens: most.outputTokens,
          thinks: isThinker,
          key: remote.key,
        },
        inTime,
      ),
    );
    taken = {
      inputTokens: answer.inputTokens ?? most.inputTokens,
      outputTokens: answer.outputTokens ?? Math.ceil(Buffer.byteLength(answer.text) / 3),
    };
    return answer.text;
  } catch (error) {
    // A refused call costs nothing. When the answer is late or unusable, the tokens of the question are still charged.
    const isFree = error instanceof RemoteFailure && FREE_FAILURES.has(error.kind);
    if (!isFree) taken = { ...most, outputTokens: 0 };
    throw error;
  } finally {
    chargeCall(taken);
    const counted = metrics.quarry_model_tokens_total;
    counted.inc({ model: nameOf(remote), direction: 'in' }, taken.inputTokens);
    counted.inc({ model: nameOf(remote), direction: 'out' }, taken.outputTokens);
  }
}

const FREE_FAILURES: ReadonlySet<FailureKind> = new Set(['refused', 'limited', 'broken']);
const NO_TOKENS: TokenUsage = { inputTokens: 0, outputTokens: 0 };

function kindOf({ kind }: RemoteFailure): LlmError['kind'] {
  if (kind === 'late') return 'timeout';
  return kind === 'invalid' ? 'invalid' : 'unavailable';
}
