/**
 * What is known of models that make vectors, as their vendors publish it, so that nobody has to set it,
 * and what a request to each provider may hold.
 */
import type { Provider } from '../../providers.ts';

export interface KnownModel {
  /** Of a vector when nothing is asked for. */
  readonly dimensions: number;
  /** Longest text. */
  readonly tokens: number;
}

const KNOWN: Readonly<Record<string, KnownModel>> = {
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

/** A tag of ollama (`:latest`) changes neither. */
export const knownModel = (name: string): KnownModel | undefined => KNOWN[name.split(':')[0] ?? ''];

/** Where the server does not cut by itself and nobody has said what it takes. */
export const DEFAULT_TOKENS = 8192;

export interface EmbedderLimits {
  /** A request. */
  readonly texts: number;
  readonly tokens: number;
  /** Requests at once. */
  readonly parallel: number;
}

const HOSTED = { parallel: 4 };
/** A server on somebody's own machine works one after the other. */
const OWN = { texts: 32, tokens: 60_000, parallel: 1 };

/** Well below what the vendors allow: the tokens are estimated. */
export const LIMITS: Readonly<Partial<Record<Provider, EmbedderLimits>>> = {
  openai: { ...HOSTED, texts: 256, tokens: 150_000 },
  cohere: { ...HOSTED, texts: 96, tokens: 60_000 },
  voyage: { ...HOSTED, texts: 128, tokens: 60_000 },
  // "Too many tokens in batch. Max is 16384".
  mistral: { ...HOSTED, texts: 128, tokens: 12_000 },
  ollama: OWN,
  'openai-compatible': OWN,
};
