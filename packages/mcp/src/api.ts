/** The tools use only the HTTP API of Quarry, through this interface. */

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** The path begins with `/v1/` and is percent-encoded. */
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Returns the JSON of a successful answer. Throws an `ApiError` for any other answer, and the reason of the signal when
 * the signal aborts.
 */
export type Api = (request: ApiRequest, signal: AbortSignal) => Promise<unknown>;

/** The message is written for the model that reads it: `API error (404): collection 'x' does not exist`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The status is undefined when the API did not answer. */
  readonly status: number | undefined;

  constructor(status: number | undefined, detail: string) {
    super(status === undefined ? `API error: ${detail}` : `API error (${status}): ${detail}`);
    this.status = status;
  }
}

/**
 * Makes the error for an answer that is not a success. `body` is the parsed JSON, or undefined when the body was not
 * JSON.
 */
export function errorOf(status: number, body: unknown): ApiError {
  const detail = (body as { detail?: unknown } | null | undefined)?.detail;
  if (typeof detail === 'string') return new ApiError(status, detail);
  if (Array.isArray(detail)) return new ApiError(status, detail.map(faultText).join('; '));
  return new ApiError(status, 'the answer does not come from Quarry: check the address');
}

/**
 * Returns the fault with the name of the field. The part of the request (`body`, `query`) is left out, because the
 * model does not know it.
 */
function faultText(fault: { loc?: unknown[]; msg?: unknown }): string {
  const place = (fault.loc ?? []).slice(1).join('.');
  return place === '' ? String(fault.msg) : `${place}: ${fault.msg}`;
}
