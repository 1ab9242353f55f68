/** The tools need only the HTTP API of Quarry, wherever it runs. */

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** The path begins with `/v1/` and is encoded. */
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Gives the JSON of a successful answer. Throws an `ApiError` for anything else, and the reason of the signal soon
 * after it aborts.
 */
export type Api = (request: ApiRequest, signal: AbortSignal) => Promise<unknown>;

/** The message is for the model that reads it: `API error (404): collection 'x' does not exist`. */
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
 * Makes the error of an answer that is not a success. The `body` is the parsed JSON, and undefined when it was not
 * JSON.
 */
export function errorOf(status: number, body: unknown): ApiError {
  const detail = (body as { detail?: unknown } | null | undefined)?.detail;
  if (typeof detail === 'string') return new ApiError(status, detail);
  if (Array.isArray(detail)) return new ApiError(status, detail.map(faultText).join('; '));
  return new ApiError(status, 'the answer does not come from Quarry: check the address');
}

/** Gives the name that the API uses, without the part of the request, because the model did not write that part. */
function faultText(fault: { loc?: unknown[]; msg?: unknown }): string {
  const place = (fault.loc ?? []).slice(1).join('.');
  return place === '' ? String(fault.msg) : `${place}: ${fault.msg}`;
}
