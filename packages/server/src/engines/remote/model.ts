/** A model at an address, as the configuration names it. */
export type Provider =
  | 'openai'
  | 'openai-compatible'
  | 'anthropic'
  | 'google'
  | 'mistral'
  | 'cohere'
  | 'voyage'
  | 'ollama';

export interface RemoteModel {
  readonly provider: Provider;
  /** As the provider names it. */
  readonly model: string;
  /** Without a slash at its end. Requests go to addresses below it and nowhere else. */
  readonly url: string;
  /** Absent where the server wants none. */
  readonly key?: string | undefined;
}

/** How logs, errors and recipes name it: `openai/gpt-5-mini`. */
export const nameOf = ({ provider, model }: RemoteModel): string => `${provider}/${model}`;
