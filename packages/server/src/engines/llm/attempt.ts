/** Makes one call of one model, by the AI SDK. The answer is text; the caller judges what it means. */
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

// The SDK warns about options that a model lacks, and its warnings would go to standard error instead of our log.
globalThis.AI_SDK_LOG_WARNINGS = false;

export interface Said {
  readonly text: string;
  /** The number is undefined where the model does not report it. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export interface LlmCall {
  readonly prompt: LlmPrompt;
  readonly schema: z.ZodType;
  readonly purpose: string;
  readonly maxOutputTokens: number;
  /** The model shall think no longer than it must. */
  readonly thinks: boolean;
  /** No message may hold this key. */
  readonly key: string | undefined;
}

/** Throws a RemoteFailure, or the reason of the signal. */
export async function attempt(
  model: LanguageModel,
  { prompt, schema, maxOutputTokens, purpose, thinks, key }: LlmCall,
  signal: AbortSignal,
): Promise<Said> {
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
    return { text, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
  } catch (error) {
    signal.throwIfAborted();
    // The model has answered, but the SDK could not read the answer; the caller may be able to.
    if (NoObjectGeneratedError.isInstance(error))
      return {
        text: error.text ?? '',
        inputTokens: error.usage?.inputTokens,
        outputTokens: error.usage?.outputTokens,
      };
    throw failureOf(error, key);
  }
}

/** Turns an error into a failure without a cause, because the cause of the SDK holds the whole request. */
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
