/** These are the two ways in which a request fails: the service refuses it, or does not answer. */

export interface FieldFault {
  /** The place of the value in the request, such as ['body', 'config', 'path']. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly faults: readonly FieldFault[];
  /** The service asks to wait for this number of seconds. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    more: Pick<Refusal, 'status' | 'code' | 'requestId' | 'faults' | 'retryAfter'>,
  ) {
    super(message);
    this.status = more.status;
    this.code = more.code;
    this.requestId = more.requestId;
    this.faults = more.faults;
    this.retryAfter = more.retryAfter;
  }
}

export class Unreachable extends Error {
  constructor() {
    super('Quarry does not answer.');
  }
}

interface ErrorBody {
  readonly detail?: string | readonly FieldFault[];
  readonly code?: string;
  readonly request_id?: string;
}

export function refusalOf(response: Response, body: unknown): Refusal {
  const { detail, code, request_id } = (typeof body === 'object' && body ? body : {}) as ErrorBody;
  const faults = Array.isArray(detail) ? (detail as readonly FieldFault[]) : [];
  const retryAfter = Number(response.headers.get('retry-after'));
  return new Refusal(sentence(detail, faults, response.status), {
    status: response.status,
    code: code ?? 'unknown',
    requestId: request_id ?? response.headers.get('x-request-id') ?? '',
    faults,
    retryAfter: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null,
  });
}

function sentence(
  detail: ErrorBody['detail'],
  faults: readonly FieldFault[],
  status: number,
): string {
  if (typeof detail === 'string') return sentenceOf(detail);
  if (faults.length > 0) return faults.map(({ msg }) => sentenceOf(msg)).join(' ');
  return `Quarry answered ${status} and gave no reason.`;
}

/** Messages of the API begin with a small letter and have no full stop, because they also stand within lines. */
export function sentenceOf(message: string): string {
  const begun = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
