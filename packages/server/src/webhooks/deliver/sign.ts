/**
 * The headers of a delivery follow Standard Webhooks, and repeat the same values under the older names of Svix.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { createHmac } from 'node:crypto';
import { signingKeyOf } from '../secret.ts';

export interface Signed {
  /** This is the id of the message. */
  readonly id: string;
  /** This is the time of the attempt, in milliseconds since 1970. */
  readonly at: number;
  /** This is the body exactly as it is sent, because the signature covers its bytes. */
  readonly body: string;
}

/** Returns the headers of a delivery; they hold one signature per secret. */
export function signedHeaders(
  { id, at, body }: Signed,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signature = secrets
    .map((secret) => {
      const mac = createHmac('sha256', signingKeyOf(secret)).update(`${id}.${timestamp}.${body}`);
      return `v1,${mac.digest('base64')}`;
    })
    .join(' ');
  const values = { id, timestamp, signature };
  return Object.fromEntries(
    ['webhook', 'svix'].flatMap((family) =>
      Object.entries(values).map(([name, value]) => [`${family}-${name}`, value]),
    ),
  );
}
