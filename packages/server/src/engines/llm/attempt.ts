/** Calls one model once with the AI SDK. The answer is a text, which the caller must check. */
import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel,
  NoObjectGeneratedError,
  Output,
} from 'ai';
import type { z } from 'zod';
import { RemoteFailure, scrubbed, statusFailure } from '../remote/failure.ts';
import type { LlmPrompt } from './prompt.ts';
import { wireSchema } from './wire-schema.ts';

// The SDK writes warnings about unsupported options to standard error and not into our log, so they are switched off.
globalThis.AI_SDK_LOG_WARNINGS = false;

export interface LlmAnswerText {
  readonly text: string;
  /** This is undefined when the model does not report it. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export interface LlmCall {
  readonly prompt: LlmPrompt;
  readonly schema: z.ZodType;
  readonly purpose: string;
  readonly maxOutputTokens: number;
  /** If true, the model can reason before it answers, and is asked to do so only briefly. */
  readonly thinks: boolean;
  /** Error messages must not contain this key. */
  readonly key: string | undefined;
}

/** Throws a RemoteFailure, or the reason of the signal when it aborts. */
export async function attempt(
  model: LanguageModel,
  { prompt, schema, maxOutputTokens, purpose, thinks, key }: LlmCall,
  signal: AbortSignal,
): Promise<LlmAnswerText> {
  const wire = wireSchema(schema);
  const strict = { strictJsonSchema: wire.isStrict };
  try {
    const { text, usage } = await generateText({
      model,
      ...prompt,
      output: Output.object({ schema: jsonSchema(wire.schema), name: purpose }),
      providerOptions: { openai: strict, openaiCompatible: strict },
      maxOutputTokens,
      ...(thinks && { reasoning: 'low' }),
      maxRetries: 0,
      abortSignal: signal,
    });
    return { text, ...reported(usage) };
  } catch (error) {
    signal.throwIfAborted();
    // The model has answered, but the SDK could not parse the answer. The caller parses the text more tolerantly.
    if (NoObjectGeneratedError.isInstance(error))
      return { text: error.text ?? '', ...reported(error.usage) };
    throw failureOf(error, key);
  }
}

/** A server may report anything. What is not a number of tokens counts as not reported. */
function reported(
  usage: Partial<Omit<LlmAnswerText, 'text'>> | undefined,
): Omit<LlmAnswerText, 'text'> {
  const countOf = (tokens: number | undefined) =>
    Number.isSafeInteger(tokens) && Number(tokens) >= 0 ? tokens : undefined;
  return {
    inputTokens: countOf(usage?.inputTokens),
    outputTokens: countOf(usage?.outputTokens),
  };
}

/**
 * Turns an error into a RemoteFailure. The failure has no cause, because the error of the SDK contains the whole
 * request.
 */
function failureOf(error: unknown, key: string | undefined): RemoteFailure {
  const { message, cause } = error as Error;
  const own = [error, cause].find((one) => one instanceof RemoteFailure);
  if (own) return own;
  if (!APICallError.isInstance(error)) return new RemoteFailure('invalid', scrubbed(message, key));
  const { statusCode: status, responseBody: text = '', responseHeaders } = error;
  if (status !== undefined && status >= 300)
    return statusFailure({ status, text, headers: new Headers(responseHeaders) }, key);
  return new RemoteFailure('invalid', 'an answer that is not of its own protocol');
}
