/**
 * Reads why a service refuses a request (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). The code
 * decides and not the status, because a 403 may be about the credentials, the clock, the bucket or one object.
 */
import { z } from 'zod';
import type { Omission } from '../../documents/omission.ts';
import { SourceError } from '../../errors.ts';
import { retryAfterOf } from '../../net/retry-after.ts';
import { beginningOf } from '../../util.ts';
import type { CloudApi } from '../api.ts';
import { NotFound } from '../kit/refusal.ts';
import { element, one, optional, readXml } from '../kit/xml.ts';

const MAX_SENTENCE = 300;
/** Services that ask to slow down mostly name no time. */
const SHORT_PAUSE_S = 5;

const text = z.string();
const Refusal = z.object({
  Error: one(
    element({
      Code: one(text),
      Message: optional(text),
      Region: optional(text),
    }),
  ),
});

/** The bucket is in another region, or the signature names another region than that of the service. */
export class WrongRegion extends SourceError {}
/** The bucket no longer has the object. */
export class NoObject extends NotFound {}
/** The object is not the one that was listed. */
export class Changed extends SourceError {}
/** The service does not give the content of the object, and never will to this connection. */
export class Closed extends SourceError {
  readonly omission: Omission;

  constructor(message: string, omission: Omission) {
    super('skip', message, { hint: omission.hint });
    this.omission = omission;
  }
}

export const ARCHIVED: Omission = {
  reason: 'archived',
  hint: 'Restore the object, and copy it to a storage class that can be read at once.',
};
const CUSTOMER_KEY: Omission = {
  reason: 'encrypted with a key of their owner',
  hint: 'Objects with SSE-C are only given to those who send the key. Encrypt it with a key of the service instead.',
};

const SIGN_IN = [
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
  'InvalidSecurity',
  'AccessKeyDisabled',
  'AccountProblem',
  'UserSuspended',
  'Unauthorized',
  'AuthorizationHeaderMalformed',
];
const LIMITS = ['SlowDown', 'TooManyRequests', 'RequestLimitExceeded', 'BandwidthLimitExceeded'];
const PASSING = ['InternalError', 'ServiceUnavailable', 'RequestTimeout', 'OperationAborted'];
const REGIONS = [
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
];

type S3Error = z.infer<typeof Refusal>['Error'] & {
  readonly status: number;
  readonly message: string;
  readonly region: string | undefined;
  /** The service asks to wait for this many seconds. */
  readonly wait: number | undefined;
};

export const refusal: NonNullable<CloudApi<unknown>['refusal']> = ({ status, headers, body }) => {
  if (status < 300) return undefined;
  // An answer to a conditional request may have no body.
  if (status === 412) return new Changed('skip', 'the object has changed while it was read');
  const error = typeof body === 'string' ? readXml(body, Refusal).value?.Error : undefined;
  if (!error) return undefined;
  const sentence = beginningOf((error.Message ?? '').trim(), MAX_SENTENCE);
  const read: S3Error = {
    ...error,
    status,
    message: `the service answered ${status} ${error.Code}: ${sentence}`,
    region: error.Region ?? headers.get('x-amz-bucket-region') ?? undefined,
    wait: retryAfterOf(headers, Date.now()),
  };
  return ofPlace(read) ?? ofSignIn(read) ?? ofMoment(read) ?? ofObject(read);
};

function ofPlace({ Code, message, region }: S3Error): SourceError | undefined {
  if (Code === 'NoSuchBucket') return new NotFound('skip', message);
  if (!REGIONS.includes(Code)) return undefined;
  // The same code tells of a key that no service could read.
  if (Code === 'AuthorizationHeaderMalformed' && region === undefined) return undefined;
  return new WrongRegion('config', message, {
    hint:
      region === undefined
        ? 'Set the region of the bucket, or the endpoint of its region.'
        : `Set the region to '${beginningOf(region, MAX_SENTENCE)}'.`,
  });
}

function ofSignIn({ Code, Message = '', message }: S3Error): SourceError | undefined {
  // Cloudflare R2 answers so to a key of another service.
  const isForeign = Code === 'InvalidArgument' && /access key/i.test(Message);
  if (!SIGN_IN.includes(Code) && !isForeign) return undefined;
  return new SourceError('auth', message, {
    hint:
      Code === 'ExpiredToken'
        ? 'Temporary credentials have ended. Give new ones, or an access key that stays.'
        : 'Check the access key ID and its secret, and that they belong to this service.',
  });
}

/** The same request may succeed later. */
function ofMoment({ Code, Message = '', status, message, wait }: S3Error): SourceError | undefined {
  if (LIMITS.includes(Code) || status === 429)
    return new SourceError('rate_limited', message, { retryAfter: wait ?? SHORT_PAUSE_S });
  if (Code === 'InvalidArgument' && /continuation/i.test(Message))
    return new SourceError('outdated', message);
  if (PASSING.includes(Code) && wait === undefined) return new SourceError('transient', message);
  return Code === 'RequestTimeTooSkewed'
    ? new SourceError('fatal', message, {
        hint: 'The clock of this machine differs from that of the service by more than 15 minutes. Set it.',
      })
    : undefined;
}

function ofObject({ Code, Message = '', message }: S3Error): SourceError | undefined {
  if (Code === 'NoSuchKey') return new NoObject('skip', message);
  if (Code === 'InvalidObjectState') return new Closed(message, ARCHIVED);
  if (Code === 'InvalidRequest' && /server side encryption|customer/i.test(Message))
    return new Closed(message, CUSTOMER_KEY);
  // Requests for other objects have the same form, so the fault lies in this object or in its key.
  return Code === 'InvalidRequest' || Code.startsWith('KMS.')
    ? new SourceError('skip', message)
    : undefined;
}
