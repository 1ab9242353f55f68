/**
 * Does the part of a browser that a sign-in needs: it follows redirects, and keeps the cookies of each origin and path.
 */
import assert from 'node:assert/strict';

interface KeptCookie {
  readonly host: string;
  readonly path: string;
  readonly pair: string;
  /** This is the Set-Cookie header of the cookie. */
  readonly header: string;
}

export interface Page {
  /** The browser is at this address. */
  readonly url: URL;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export type Browser = ReturnType<typeof openBrowser>;

/** The browser does not open addresses that begin with `stopsAt`. It stops there, as at a page of another service. */
export function openBrowser(stopsAt = 'https://app.example.com/') {
  const cookies: KeptCookie[] = [];

  function keep(at: URL, headers: Headers): void {
    for (const header of headers.getSetCookie()) {
      const [pair = ''] = header.split(';');
      const path = /; *path=([^;]*)/i.exec(header)?.[1] ?? '/';
      const name = pair.slice(0, pair.indexOf('='));
      const old = cookies.findIndex(
        (one) => one.host === at.host && one.pair.startsWith(`${name}=`),
      );
      if (old >= 0) cookies.splice(old, 1);
      cookies.push({ host: at.host, path, pair, header });
    }
  }

  async function step(at: URL): Promise<Response> {
    const cookie = cookies
      .filter(({ host, path }) => host === at.host && at.pathname.startsWith(path))
      .map(({ pair }) => pair)
      .join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
    keep(at, response.headers);
    return response;
  }

  return {
    cookies,

    /** Opens one address, and returns the target of its redirect without opening it. */
    async peek(url: string): Promise<{ status: number; location: string | null; text: string }> {
      const response = await step(new URL(url));
      const location = response.headers.get('location');
      return { status: response.status, location, text: await response.text() };
    },

    /** Follows redirects to a page, or to an address that begins with `stopsAt` or `stop`. */
    async open(url: string, stop = stopsAt): Promise<Page> {
      let at = new URL(url);
      for (let steps = 0; steps < 15; steps++) {
        if (at.href.startsWith(stop) || at.href.startsWith(stopsAt))
          return { url: at, status: 0, text: '', headers: new Headers() };
        const response = await step(at);
        const location = response.headers.get('location');
        const text = await response.text();
        if (location === null)
          return { url: at, status: response.status, text, headers: response.headers };
        at = new URL(location, at);
      }
      return assert.fail(`the sign-in redirects in a circle at ${at.origin}${at.pathname}`);
    },
  };
}
