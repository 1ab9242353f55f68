/**
 * Describes the protocols of the vendors of models: what a request must contain, where the question is in it, and what
 * an answer and an error look like.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Provider } from '../../providers.ts';

/** A request has these parts in every protocol. */
export interface Asked {
  readonly kind: 'chat' | 'embed' | 'rerank';
  readonly model: string;
  /** A chat names the schema of the wanted answer, if the protocol has such a name. */
  readonly purpose: string | null;
  /** Only a chat has instructions. They are empty for other requests. */
  readonly instructions: string;
  /** This is the prompt of a chat, or the query of a reranking request. */
  readonly prompt: string;
  /** These texts are to be embedded or ranked. */
  readonly texts: readonly string[];
  readonly as: 'query' | 'document' | null;
  readonly dimensions: number | null;
  readonly maxOutputTokens: number | null;
}

interface Protocol {
  /** Maps paths below the provider's address to the kind of request. */
  readonly paths: Readonly<Record<string, Asked['kind']>>;
  /** Returns an error message when the key is not sent as the vendor requires. */
  readonly unkeyed: (headers: IncomingHttpHeaders) => string | null;
  readonly read: (body: Json, path: string) => Asked;
  readonly said: (text: string, model: string) => object;
  readonly failed: (status: number, message: string) => object;
  readonly embedded?: (vectors: readonly (readonly number[])[], model: string) => object;
  readonly ranked?: (scores: readonly Score[], model: string) => object;
}

export interface Score {
  readonly index: number;
  readonly relevance_score: number;
}

type Json = any;

/** Each chat uses this number of tokens, whatever its content is. */
export const USED = { input: 50, output: 10 };

const bearer = ({ authorization }: IncomingHttpHeaders) =>
  authorization?.startsWith('Bearer ') ? null : 'no bearer token';
const nothing = {
  purpose: null,
  instructions: '',
  prompt: '',
  texts: [],
  as: null,
  dimensions: null,
  maxOutputTokens: null,
} as const;
const textOf = (content: Json): string =>
  typeof content === 'string' ? content : content.map(({ text }: Json) => text).join('');
const saidBy = (messages: Json, ...roles: string[]) =>
  messages
    .filter(({ role }: Json) => roles.includes(role))
    .map(({ content }: Json) => textOf(content))
    .join('\n');

const openaiLike: Protocol = {
  paths: { '/chat/completions': 'chat', '/embeddings': 'embed', '/rerank': 'rerank' },
  unkeyed: bearer,
  read: (body, path) => {
    if (path === '/embeddings')
      return {
        ...nothing,
        kind: 'embed',
        model: body.model,
        texts: body.input,
        as: body.input_type ?? null,
        dimensions: body.dimensions ?? body.output_dimension ?? null,
      };
    if (path === '/rerank')
      return {
        ...nothing,
        kind: 'rerank',
        model: body.model,
        prompt: body.query,
        texts: body.documents,
      };
    return {
      ...nothing,
      kind: 'chat',
      model: body.model,
      purpose: body.response_format?.json_schema?.name ?? null,
      instructions: saidBy(body.messages, 'system', 'developer'),
      prompt: saidBy(body.messages, 'user'),
      maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
    };
  },
  said: (content, model) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: USED.input,
      completion_tokens: USED.output,
      total_tokens: USED.input + USED.output,
    },
  }),
  failed: (status, message) => ({ error: { message, type: 'server_error', code: String(status) } }),
  embedded: (vectors, model) => ({
    object: 'list',
    // The protocol allows any order, because each vector has the index of its text.
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse(),
    model,
    usage: { prompt_tokens: 1, total_tokens: 1 },
  }),
  ranked: (results, model) => ({ model, results, usage: { total_tokens: 1 } }),
};

export const PROTOCOLS: Readonly<Record<Provider, Protocol>> = {
  openai: openaiLike,
  'openai-compatible': { ...openaiLike, unkeyed: () => null },
  mistral: {
    ...openaiLike,
    failed: (status, message) => ({ object: 'error', message, type: 'error', code: status }),
  },
  voyage: {
    ...openaiLike,
    ranked: (data, model) => ({ object: 'list', data, model, usage: { total_tokens: 1 } }),
    failed: (_status, detail) => ({ detail }),
  },
  anthropic: {
    paths: { '/messages': 'chat' },
    unkeyed: (headers) =>
      headers['x-api-key'] && headers['anthropic-version']
        ? null
        : 'x-api-key and anthropic-version are required',
    read: (body) => ({
      ...nothing,
      kind: 'chat',
      model: body.model,
      instructions: textOf(body.system),
      prompt: saidBy(body.messages, 'user'),
      maxOutputTokens: body.max_tokens,
    }),
    said: (text, model) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: USED.input, output_tokens: USED.output },
    }),
    failed: (_status, message) => ({ type: 'error', error: { type: 'api_error', message } }),
  },
  google: {
    paths: { ':generateContent': 'chat' },
    unkeyed: (headers) => (headers['x-goog-api-key'] ? null : 'no API key'),
    read: (body, path) => ({
      ...nothing,
      kind: 'chat',
      model: path.replace('/models/', '').replace(':generateContent', ''),
      instructions: textOf(body.systemInstruction.parts),
      prompt: body.contents.map(({ parts }: Json) => textOf(parts)).join('\n'),
      maxOutputTokens: body.generationConfig.maxOutputTokens,
    }),
    said: (text) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: USED.input,
        candidatesTokenCount: USED.output,
        totalTokenCount: USED.input + USED.output,
      },
    }),
    failed: (code, message) => ({ error: { code, message, status: 'INTERNAL' } }),
  },
  cohere: {
    paths: { '/chat': 'chat', '/embed': 'embed', '/rerank': 'rerank' },
    unkeyed: bearer,
    read: (body, path) => {
      if (path === '/embed')
        return {
          ...nothing,
          kind: 'embed',
          model: body.model,
          texts: body.texts,
          as: { search_query: 'query', search_document: 'document' }[
            body.input_type as 'search_query'
          ] as 'query',
          dimensions: body.output_dimension ?? null,
        };
      return path === '/rerank'
        ? openaiLike.read(body, path)
        : {
            ...nothing,
            kind: 'chat',
            model: body.model,
            instructions: saidBy(body.messages, 'system'),
            prompt: saidBy(body.messages, 'user'),
            maxOutputTokens: body.max_tokens,
          };
    },
    said: (text) => ({
      id: 'c1',
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text }] },
      usage: {
        billed_units: { input_tokens: USED.input, output_tokens: USED.output },
        tokens: { input_tokens: USED.input, output_tokens: USED.output },
      },
    }),
    failed: (_status, message) => ({ message }),
    embedded: (float) => ({
      id: 'c1',
      embeddings: { float },
      meta: { api_version: { version: '2' } },
    }),
    ranked: (results) => ({ id: 'c1', results, meta: { api_version: { version: '2' } } }),
  },
  ollama: {
    paths: { '/api/embed': 'embed' },
    unkeyed: () => null,
    read: (body) => ({
      ...nothing,
      kind: 'embed',
      model: body.model,
      texts: body.input,
      dimensions: body.dimensions ?? null,
    }),
    said: () => ({}),
    failed: (_status, error) => ({ error }),
    embedded: (embeddings, model) => ({ model, embeddings, total_duration: 1, load_duration: 1 }),
  },
};
