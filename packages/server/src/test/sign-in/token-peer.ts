/**
 * Runs, on this machine, a token endpoint whose refresh tokens work once, and a service that accepts its access tokens.
 * A refresh token that is used twice revokes all tokens, as RFC 9700, 4.14.2, recommends.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Respond = (
  request: IncomingMessage,
  response: ServerResponse,
  form: URLSearchParams,
) => void | Promise<void>;

export type TokenPeer = Awaited<ReturnType<typeof openTokenPeer>>;

export async function openTokenPeer() {
  let issued = 0;
  const peer = {
    url: '',
    tokenUrl: '',
    /** Access tokens are valid for this number of seconds. Undefined leaves the number out of the answer. */
    expiresIn: 3600 as number | undefined,
    /** These forms were sent to the token endpoint. */
    forms: [] as URLSearchParams[],
    headers: [] as IncomingMessage['headers'][],
    /** These handlers replace the usual answers of the token endpoint, one handler for each request. */
    instead: [] as Respond[],
    /** Lists the refresh tokens that were sent after they had been used. */
    spentTwice: [] as string[],
    refreshToken: 'refresh-0',
    accessToken: 'access-0',
    /** Lists the access tokens that were sent to the service. */
    used: [] as (string | undefined)[],
    isRevoked: false,
    /** Issues the next tokens without a request. */
    issue(more: object = {}) {
      issued++;
      peer.accessToken = `access-${issued}`;
      peer.refreshToken = `refresh-${issued}`;
      return {
        access_token: peer.accessToken,
        refresh_token: peer.refreshToken,
        token_type: 'Bearer',
        ...(peer.expiresIn !== undefined && { expires_in: peer.expiresIn }),
        ...more,
      };
    },
    /** Gives the usual answer to a refresh. */
    refresh(response: ServerResponse, form: URLSearchParams): void {
      const sent = form.get('refresh_token') ?? '';
      if (form.get('grant_type') === 'refresh_token' && sent !== peer.refreshToken) {
        peer.spentTwice.push(sent);
        peer.isRevoked = true;
      }
      if (peer.isRevoked) json(response, 400, { error: 'invalid_grant' });
      else json(response, 200, peer.issue());
    },
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (pathname !== '/token') {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
      peer.used.push(token);
      const isRight = token === peer.accessToken && !peer.isRevoked;
      json(response, isRight ? 200 : 401, isRight ? { ok: true } : { error: 'no' });
      return;
    }
    const form = new URLSearchParams(await text(request));
    peer.forms.push(form);
    peer.headers.push(request.headers);
    const respond = peer.instead.shift();
    if (respond) await respond(request, response, form);
    else peer.refresh(response, form);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  peer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  peer.tokenUrl = `${peer.url}/token`;
  return peer;
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
