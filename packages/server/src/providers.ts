/**
 * Providers serve models. The configuration names a model as `provider/model`, or as `provider/model@address` when
 * it is not at the provider's own address.
 */

/** A model may be configured for one of these roles. */
export type ModelRole = 'llm' | 'embedder' | 'reranker' | 'transcriber';

export const KEY_SETTINGS = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'MISTRAL_API_KEY',
  'COHERE_API_KEY',
  'VOYAGE_API_KEY',
  'OPENAI_COMPATIBLE_API_KEY',
] as const;
export type KeySetting = (typeof KEY_SETTINGS)[number];

interface ProviderFacts {
  /** The setting is missing for providers whose servers take no keys. */
  readonly key?: KeySetting;
  /** It is set for providers some of whose servers need no key. */
  readonly isKeyOptional?: true;
  /** The address is missing when every server of the provider has its own address. */
  readonly url?: string;
  readonly roles: readonly ModelRole[];
}

const FACTS = {
  openai: {
    key: 'OPENAI_API_KEY',
    url: 'https://api.openai.com/v1',
    roles: ['llm', 'embedder', 'transcriber'],
  },
  anthropic: {
    key: 'ANTHROPIC_API_KEY',
    url: 'https://api.anthropic.com/v1',
    roles: ['llm'],
  },
  google: {
    key: 'GEMINI_API_KEY',
    url: 'https://generativelanguage.googleapis.com/v1beta',
    roles: ['llm'],
  },
  mistral: {
    key: 'MISTRAL_API_KEY',
    url: 'https://api.mistral.ai/v1',
    roles: ['llm', 'embedder'],
  },
  cohere: {
    key: 'COHERE_API_KEY',
    url: 'https://api.cohere.com/v2',
    roles: ['llm', 'embedder', 'reranker'],
  },
  voyage: {
    key: 'VOYAGE_API_KEY',
    url: 'https://api.voyageai.com/v1',
    roles: ['embedder', 'reranker'],
  },
  ollama: { url: 'http://127.0.0.1:11434', roles: ['embedder'] },
  'openai-compatible': {
    key: 'OPENAI_COMPATIBLE_API_KEY',
    isKeyOptional: true,
    roles: ['llm', 'embedder', 'reranker', 'transcriber'],
  },
} as const satisfies Record<string, ProviderFacts>;

export type Provider = keyof typeof FACTS;

export interface NamedModel {
  readonly provider: Provider;
  /** The model has this name at its provider. */
  readonly model: string;
  /** The address has no slash at its end. Requests go only to addresses below it. */
  readonly url: string;
}

export interface RemoteModel extends NamedModel {
  /** The key is missing when the server needs none. */
  readonly key?: string | undefined;
}

/** Returns the name of a model in logs, errors and recipes: `openai/gpt-5-mini`. */
export const nameOf = ({ provider, model }: NamedModel): string => `${provider}/${model}`;

const FORM = /^([a-z-]+)\/([^\s,]+?)(?:@(https?:\/\/\S+))?$/;

/** Throws an Error whose message says which names are possible. */
export function parseModel(text: string, role: ModelRole): NamedModel {
  const [, name = '', model = '', address] = FORM.exec(text) ?? [];
  const may = Object.entries<ProviderFacts>(FACTS).filter(([, { roles }]) => roles.includes(role));
  const facts = may.find(([provider]) => provider === name)?.[1];
  if (!facts)
    throw new Error(
      `'${text}' does not have the form provider/model, with one of ${may.map(([provider]) => provider).join(', ')} as its provider`,
    );
  const url = address === undefined ? facts.url : addressOf(address);
  if (url === undefined)
    throw new Error(`'${text}' lacks the address of its server: write ${text}@http://host:port/v1`);
  return { provider: name as Provider, model, url };
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || url.username || url.password || url.search || url.hash)
    throw new Error(
      `'${url ? `${url.origin}${url.pathname}` : text}' is not the address of a server: give one with scheme, host and path, and nothing else`,
    );
  return url.href.replace(/\/+$/, '');
}

/** Adds the key of the model. Throws an Error that names the missing setting. */
export function withKey(
  model: NamedModel,
  keys: Readonly<Partial<Record<KeySetting, string | undefined>>>,
): RemoteModel {
  const { key: setting, isKeyOptional }: ProviderFacts = FACTS[model.provider];
  if (!setting) return model;
  const key = keys[setting];
  if (!key && !isKeyOptional) throw new Error(`${nameOf(model)} needs ${setting}: set it`);
  return { ...model, key };
}
