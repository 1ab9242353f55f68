/**
 * Changes buckets through the interface of S3. The requests are signed by the signer of Amazon's own SDK, so that a wrong
 * signature of the source does not agree with a wrong one here.
 */
import assert from 'node:assert/strict';
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

export interface S3Keys {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string;
}

export interface ToSign {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly date?: Date;
}

/** Returns the headers of the signed request. */
export async function signedHeaders(
  keys: S3Keys,
  region: string,
  { method, url, headers = {}, body, date = new Date() }: ToSign,
): Promise<Record<string, string>> {
  const signer = new SignatureV4({
    service: 's3',
    region,
    uriEscapePath: false,
    sha256: Sha256,
    credentials: {
      accessKeyId: keys.access_key_id,
      secretAccessKey: keys.secret_access_key,
      ...(keys.session_token !== undefined && { sessionToken: keys.session_token }),
    },
  });
  const signed = await signer.sign(
    {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { host: url.host, ...headers },
      body,
    },
    { signingDate: date },
  );
  return signed.headers;
}

class Sha256 {
  #hash: Hash | Hmac;

  constructor(secret?: any) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }

  update(data: any): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = createHash('sha256');
  }
}

export type S3Client = ReturnType<typeof openS3Client>;

const encoded = (key: string): string =>
  key.replaceAll(/[^\w.~/-]/gu, (one) =>
    [...Buffer.from(one)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );

export function openS3Client(endpoint: string, keys: S3Keys, region = 'us-east-1') {
  async function ask(method: string, path: string, more: Pick<ToSign, 'headers' | 'body'> = {}) {
    const url = new URL(`${endpoint}/${path}`);
    const { host: _, ...headers } = await signedHeaders(keys, region, { method, url, ...more });
    const answer = await fetch(url, { method, headers, body: more.body ?? null });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${url} answered ${answer.status} ${text}`);
    return text;
  }
  const at = (bucket: string, key: string) => `${bucket}/${encoded(key)}`;
  return {
    makeBucket: (bucket: string) => ask('PUT', bucket),
    removeBucket: (bucket: string) => ask('DELETE', bucket),
    /** From now on, the bucket keeps earlier versions, and deletes by markers. */
    keepVersions: (bucket: string) =>
      ask('PUT', `${bucket}?versioning=`, {
        body: '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>',
      }),
    put: (bucket: string, key: string, body: string | Uint8Array) =>
      ask('PUT', at(bucket, key), { body }),
    remove: (bucket: string, key: string) => ask('DELETE', at(bucket, key)),
    async move(bucket: string, from: string, to: string) {
      await ask('PUT', at(bucket, to), {
        headers: { 'x-amz-copy-source': `/${at(bucket, from)}` },
      });
      await ask('DELETE', at(bucket, from));
    },
  };
}
