/** These settings name the models that embed, rerank and write texts, and the keys of their providers. */
import { z } from 'zod';
import { type ModelRole, parseModel } from './providers.ts';

export const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
/** The built-in model needs no other server. */
export const BUILTIN = 'builtin';

const HAS_BUILTIN: readonly ModelRole[] = ['embedder', 'reranker'];

/** Refuses a name that does not denote a model, with the sentence of `parseModel`. */
const named = (role: ModelRole) =>
  z.string().superRefine((text, context) => {
    try {
      if (!HAS_BUILTIN.includes(role) || text !== BUILTIN) parseModel(text, role);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });
const key = (whose: string) =>
  z
    .string()
    // An empty variable counts as not set.
    .transform((text) => text.trim() || undefined)
    .optional()
    .describe(`Key of ${whose}.`);

export const MODEL_SETTINGS = {
  QUARRY_LLM: z
    .string()
    .default('')
    .transform(list)
    .pipe(z.array(named('llm')))
    .describe(
      'Language models, as provider/model or provider/model@address: the first is asked, the next ones when it fails (openai, anthropic, google, mistral, cohere, openai-compatible). Without one the built-in methods are used.',
    ),
  QUARRY_EMBEDDER: named('embedder')
    .default(BUILTIN)
    .describe(
      'Model that makes vectors: builtin, or provider/model (openai, cohere, voyage, mistral, ollama, openai-compatible). After a change run quarry reindex.',
    ),
  QUARRY_EMBEDDER_DIMENSIONS: z
    .string()
    .regex(/^\d{1,4}$/, 'give a number of dimensions')
    .transform(Number)
    .pipe(z.number().min(16, 'give at least 16').max(4000, 'give at most 4000'))
    .optional()
    .describe(
      'Length of the vectors of QUARRY_EMBEDDER. A provider that offers several lengths is asked for this one. Not needed for models that Quarry knows.',
    ),
  QUARRY_EMBEDDER_TOKENS: z
    .string()
    .regex(/^\d{2,6}$/, 'give a number of tokens')
    .transform(Number)
    .optional()
    .describe(
      'Longest text that QUARRY_EMBEDDER takes, in tokens. Of a longer text only the beginning is embedded.',
    ),
  QUARRY_EMBEDDER_QUERY_PREFIX: z
    .string()
    .default('')
    .describe('Text put before each query that is embedded, for models that need it.'),
  QUARRY_EMBEDDER_DOCUMENT_PREFIX: z
    .string()
    .default('')
    .describe('Text put before each text that is embedded, for models that need it.'),
  QUARRY_RERANKER: named('reranker')
    .default(BUILTIN)
    .describe(
      'Model that reorders the best results: builtin, or provider/model (cohere, voyage, openai-compatible).',
    ),
  QUARRY_TRANSCRIBER: named('transcriber')
    .optional()
    .describe(
      'Model that writes down what is spoken in recordings, as provider/model or provider/model@address (openai, openai-compatible). The recordings are sent to it. Without one they are left out.',
    ),
  QUARRY_TRANSCRIBER_MB: z
    .string()
    .regex(/^\d{1,4}$/, 'give a number of megabytes')
    .default('25')
    .transform(Number)
    .pipe(z.number().min(1, 'give at least 1').max(2000, 'give at most 2000'))
    .describe('Size of the largest recording that is sent to QUARRY_TRANSCRIBER.'),
  QUARRY_TRANSCRIBER_SECONDS: z
    .string()
    .regex(/^\d{1,5}$/, 'give a number of seconds')
    .default('600')
    .transform(Number)
    .pipe(z.number().min(1, 'give at least 1 second'))
    .describe('Longest time that QUARRY_TRANSCRIBER may take for a recording.'),
  OPENAI_API_KEY: key('OpenAI'),
  ANTHROPIC_API_KEY: key('Anthropic'),
  GEMINI_API_KEY: key('Google'),
  MISTRAL_API_KEY: key('Mistral'),
  COHERE_API_KEY: key('Cohere'),
  VOYAGE_API_KEY: key('Voyage'),
  OPENAI_COMPATIBLE_API_KEY: key('the openai-compatible servers, if they want one'),
};
