/** Makes models of the AI SDK from the configuration. The SDK must not read settings from the environment. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createCohere } from '@ai-sdk/cohere';
import { createGoogle } from '@ai-sdk/google';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { Provider, RemoteModel } from '../../providers.ts';
import { fetchOf } from '../remote/fetch.ts';

const MAX_BYTES = 4 * 2 ** 20;

/** These models reason before they answer. Their reasoning counts towards the limit of output tokens. */
const THINKING: Readonly<Partial<Record<Provider, RegExp>>> = {
  openai: /^(o\d|gpt-([5-9]|\d\d))(?!.*chat)/,
  google: /^gemini-(2\.5|[3-9])/,
};

export const thinks = ({ provider, model }: RemoteModel): boolean =>
  THINKING[provider]?.test(model) ?? false;

export function languageModel(remote: RemoteModel): LanguageModel {
  const { provider, model, url: baseURL, key = '' } = remote;
  const settings = { baseURL, apiKey: key, fetch: fetchOf(remote, MAX_BYTES) };
  switch (provider) {
    case 'openai':
      return createOpenAI(settings).chat(model);
    case 'anthropic':
      return createAnthropic(settings)(model);
    case 'google':
      return createGoogle(settings)(model);
    case 'mistral':
      return createMistral(settings)(model);
    case 'cohere':
      return createCohere(settings)(model);
    case 'openai-compatible':
      return createOpenAICompatible({
        name: provider,
        baseURL,
        fetch: settings.fetch,
        ...(key && { apiKey: key }),
        supportsStructuredOutputs: true,
      })(model);
    default:
      throw new Error(`${provider} does not offer language models`);
  }
}
