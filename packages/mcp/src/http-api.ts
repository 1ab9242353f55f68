/** This client calls the API over HTTP, with a key. */
import { type Api, ApiError, errorOf } from './api.ts';

/** The timeout is longer than the time after which the API itself ends a search. */
const TIMEOUT_MS = 60_000;

export const httpApi =
  (baseUrl: string, key: string): Api =>
  async ({ method, path, body }, signal) => {
    const response = await ask(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // Redirects are not followed, so that the key does not reach another server.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (!response.ok) throw errorOf(response.status, response.json);
    if (response.json === undefined) throw errorOf(response.status, undefined);
    return response.json;

    async function ask(url: string, init: RequestInit) {
      try {
        const response = await fetch(url, init);
        return { ok: response.ok, status: response.status, json: parsed(await response.text()) };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw new ApiError(undefined, `${baseUrl} does not answer (${reasonOf(error)})`);
      }
    }
  };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller decides by the status whether a body without JSON is an error.
    return undefined;
  }
}

/** The reason of a failed `fetch` is not in the message of its error but in the cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
