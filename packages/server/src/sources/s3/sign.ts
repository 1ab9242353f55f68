/**
 * Signs requests with AWS Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
import aws4 from 'aws4';
import { z } from 'zod';
import type { HeaderFields, Outgoing } from '../auth.ts';
import type { S3Config } from './config.ts';

/** People copy keys with a line break at their end. */
const key = () => z.string().trim().min(1);

export const S3Credentials = z.object({
  access_key_id: key().meta({
    title: 'Access key ID',
    description: 'The name of the access key, which is not secret.',
  }),
  secret_access_key: key().meta({
    title: 'Secret access key',
    description: 'The secret of an access key that may list buckets and read objects.',
    secret: true,
  }),
  session_token: key().optional().meta({
    title: 'Session token',
    description: 'Only temporary credentials have one. The connection ends with them.',
    secret: true,
  }),
});
type S3Credentials = z.infer<typeof S3Credentials>;

/**
 * Signs the address and the host. Other headers are left unsigned, because the connection may change them on the way.
 */
export function sign(
  { access_key_id, secret_access_key, session_token }: S3Credentials,
  { method, url }: Outgoing,
  { region }: S3Config,
): HeaderFields {
  const { headers = {} } = aws4.sign(
    { service: 's3', region, method, host: url.host, path: url.pathname + url.search },
    {
      accessKeyId: access_key_id,
      secretAccessKey: secret_access_key,
      ...(session_token !== undefined && { sessionToken: session_token }),
    },
  );
  const { Host: _, ...signed } = headers;
  return signed as HeaderFields;
}
