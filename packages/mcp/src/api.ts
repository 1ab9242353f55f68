/** What the tools need of Quarry: its HTTP API, wherever it runs. */

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** From `/v1/` on, encoded. */
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Gives the JSON of a success. Throws an `ApiError` for anything else, and the reason of the signal soon after
 * it aborts.
 */
export type Api = (request: ApiRequest, signal: AbortSignal) => Promise<unknown>;

/** Its message is for the model that reads it: `API error (404): collection 'x' does not exist`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Absent when there was no answer. */
  readonly status: number | undefined;

  constructor(status: number | undefined, detail: string) {
    super(status === undefined ? `API error: ${detail}` : `API error (${status}): ${detail}`);
    this.status = status;
  }
}

/** Of an answer that is no success. `body` is the parsed JSON, undefined when it was none. */
export function errorOf(status: number, body: unknown): ApiError {
  const detail = (body as { detail?: unknown } | null | undefined)?.detail;
  if (typeof detail === 'string') return new ApiError(status, detail);
  if (Array.isArray(detail)) return new ApiError(status, detail.map(faultText).join('; '));
  return new ApiError(status, 'the answer is not one of Quarry: does the address lead to it?');
}

/** The names of the API, without the part of the request that the model has not written. */
function faultText(fault: { loc?: unknown[]; msg?: unknown }): string {
  const place = (fault.loc ?? []).slice(1).join('.');
  return place === '' ? String(fault.msg) : `${place}: ${fault.msg}`;
}
