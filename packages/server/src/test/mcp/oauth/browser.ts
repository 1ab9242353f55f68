/** Does the part of a browser that a sign-in needs: it follows redirects and keeps cookies. */
import assert from 'node:assert/strict';

/** Returns the callback address of the client that started the sign-in. */
export async function browse(start: URL, callback: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = start;
  for (let steps = 0; steps < 10; steps++) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    assert.ok(location, `${at.href} answers ${response.status}: ${await response.text()}`);
    at = new URL(location, at);
    if (at.href.startsWith(callback)) return at;
  }
  throw new Error('the sign-in redirects in a circle');
}
