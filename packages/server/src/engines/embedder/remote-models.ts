/**
 * This file has the published sizes of known embedding models, so that an operator does not have to set them, and the
 * limits of a request to each provider.
 */
import type { Provider } from '../../providers.ts';

export interface KnownModel {
  /** The vectors have this length unless a request asks for another one. */
  readonly dimensions: number;
  /** A text may have this many tokens. */
  readonly tokens: number;
}

const KNOWN_MODELS: Readonly<Record<string, KnownModel>> = {
  'openai/text-embedding-3-small': { dimensions: 1536, tokens: 8191 },
  'openai/text-embedding-3-large': { dimensions: 3072, tokens: 8191 },
  'openai/text-embedding-ada-002': { dimensions: 1536, tokens: 8191 },
  'cohere/embed-v4.0': { dimensions: 1536, tokens: 128_000 },
  'cohere/embed-english-v3.0': { dimensions: 1024, tokens: 512 },
  'cohere/embed-multilingual-v3.0': { dimensions: 1024, tokens: 512 },
  'cohere/embed-english-light-v3.0': { dimensions: 384, tokens: 512 },
  'cohere/embed-multilingual-light-v3.0': { dimensions: 384, tokens: 512 },
  'voyage/voyage-3.5': { dimensions: 1024, tokens: 32_000 },
  'voyage/voyage-3.5-lite': { dimensions: 1024, tokens: 32_000 },
  'voyage/voyage-3-large': { dimensions: 1024, tokens: 32_000 },
  'voyage/voyage-code-3': { dimensions: 1024, tokens: 32_000 },
  'mistral/mistral-embed': { dimensions: 1024, tokens: 8192 },
  'mistral/codestral-embed': { dimensions: 1536, tokens: 8192 },
  'ollama/nomic-embed-text': { dimensions: 768, tokens: 2048 },
  'ollama/mxbai-embed-large': { dimensions: 1024, tokens: 512 },
  'ollama/bge-m3': { dimensions: 1024, tokens: 8192 },
  'ollama/all-minilm': { dimensions: 384, tokens: 256 },
  'ollama/embeddinggemma': { dimensions: 768, tokens: 2048 },
};

/** The tag of an ollama model (`:latest`) is ignored, because it does not change these numbers. */
export const knownModel = (name: string): KnownModel | undefined =>
  KNOWN_MODELS[name.split(':')[0] ?? ''];

/**
 * Texts are cut to this many tokens when neither the settings nor the table have the limit of the model, because not
 * every server cuts texts itself.
 */
export const DEFAULT_TOKENS = 8192;

export interface EmbedderLimits {
  /** A request may contain this many texts. */
  readonly texts: number;
  readonly tokens: number;
  /** This many requests may run at once. */
  readonly parallel: number;
}

const HOSTED_LIMITS = { parallel: 4 };
/** A server on the operator's own machine processes requests one after the other. */
const OWN_SERVER_LIMITS = { texts: 32, tokens: 60_000, parallel: 1 };

/** These limits are well below those of the vendors, because tokens are only estimated. */
export const LIMITS: Readonly<Partial<Record<Provider, EmbedderLimits>>> = {
  openai: { ...HOSTED_LIMITS, texts: 256, tokens: 150_000 },
  cohere: { ...HOSTED_LIMITS, texts: 96, tokens: 60_000 },
  voyage: { ...HOSTED_LIMITS, texts: 128, tokens: 60_000 },
  // The API refuses larger requests: "Too many tokens in batch. Max is 16384".
  mistral: { ...HOSTED_LIMITS, texts: 128, tokens: 12_000 },
  ollama: OWN_SERVER_LIMITS,
  'openai-compatible': OWN_SERVER_LIMITS,
};
