import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RedirectUri, withOutcome } from './redirect.ts';

describe('the address to which the browser returns', () => {
  it('[AUTH-21] keeps its query and fragment, byte for byte', () => {
    const outcome = { status: 'success', source_connection_id: 'x' } as const;
    const to = (uri: string) => withOutcome(uri, outcome);
    const told = 'status=success&source_connection_id=x';
    assert.equal(to('https://a.example/b'), `https://a.example/b?${told}`);
    assert.equal(to('https://a.example'), `https://a.example/?${told}`);
    assert.equal(to('https://a.example/?'), `https://a.example/?${told}`);
    assert.equal(to('https://a.example/?b=c%20d&e'), `https://a.example/?b=c%20d&e&${told}`);
    assert.equal(to('https://a.example/#/b?c=d'), `https://a.example/?${told}#/b?c=d`);
    assert.equal(to('http://localhost:3000/ä?b#c'), `http://localhost:3000/%C3%A4?b&${told}#c`);
  });

  it('is http or https, has no credentials, and has a limited length', () => {
    const takes = (uri: string) => RedirectUri.safeParse(uri).success;
    assert.ok(takes('https://a.example/b?c#d') && takes('http://localhost:3000'));
    for (const uri of ['javascript:alert(1)', 'file:///etc', 'ftp://a.example', '//a.example', ''])
      assert.equal(takes(uri), false, uri);
    assert.equal(takes('https://me:secret@a.example'), false);
    assert.equal(takes('https://me@a.example'), false);
    assert.equal(takes(`https://a.example/${'x'.repeat(2000)}`), false);
  });
});
