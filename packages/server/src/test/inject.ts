/** Calls an API in this process, without a port. */
import type { App } from '../http/server.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body is parsed when it is JSON. */
  readonly body: any;
}

export interface CallOptions {
  readonly body?: unknown;
  /** This key replaces the caller's own key. Null sends a request without a key. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export const caller =
  (api: App, ownKey: string) =>
  async (method: Method, url: string, options: CallOptions = {}): Promise<Answer> => {
    const key = options.key === undefined ? ownKey : options.key;
    const response = await api.inject({
      method,
      url,
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...options.headers },
      ...(options.body !== undefined && { payload: options.body as object }),
    });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson ? response.json() : response.body,
    };
  };
