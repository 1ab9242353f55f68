/** This issuer signs the tokens that a test wants, gives the answers that a test wants, and counts its requests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';

export type Issuer = Awaited<ReturnType<typeof openIssuer>>;
export type Answer = (req: IncomingMessage, res: ServerResponse, body: string) => unknown;

export interface SigningKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export async function makeKey(kid: string, alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg } };
}

export const json =
  (value: unknown, status = 200): Answer =>
  (_req, res) =>
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

export async function openIssuer() {
  const asked: string[] = [];
  const main = await makeKey('main');
  const keys = [main];
  const server = createServer((req, res) => {
    const path = req.url ?? '';
    asked.push(path);
    const pieces: Buffer[] = [];
    req.on('data', (piece) => pieces.push(piece));
    req.on('end', () => {
      (answers[path] ?? json({}, 404))(req, res, Buffer.concat(pieces).toString());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const METADATA = '/.well-known/openid-configuration';
  const metadata = {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    introspection_endpoint: `${issuer}/introspect`,
    userinfo_endpoint: `${issuer}/userinfo`,
  };
  const usual: Record<string, Answer> = {
    [METADATA]: json(metadata),
    '/jwks': (...at) => json({ keys: keys.map(({ publicJwk }) => publicJwk) })(...at),
    '/introspect': json({ active: false }),
    '/userinfo': json({ error: 'invalid_token' }, 401),
  };
  const answers = { ...usual };

  /** Signs a token of a person that is valid for an hour. The claims and the header may change this. */
  function sign(
    claims: Readonly<Record<string, unknown>>,
    header: Partial<JWTHeaderParameters> = {},
    key = main,
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: issuer, sub: 'somebody', iat: now, exp: now + 3600, ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header })
      .sign(key.privateKey);
  }

  return {
    issuer,
    METADATA,
    metadata,
    keys,
    main,
    answers,
    sign,
    /** Counts the requests for a path. */
    count: (path: string) => asked.filter((one) => one === path).length,
    asked,
    /** Restores the original keys and answers. */
    heal() {
      Object.assign(answers, usual);
      keys.splice(0, keys.length, main);
      asked.length = 0;
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
