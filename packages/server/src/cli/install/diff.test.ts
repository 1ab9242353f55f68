import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diff } from './diff.ts';

describe('the difference of a file', () => {
  it('has the changed lines, and two lines on each side', () => {
    const before = 'a\nb\nc\nd\ne\nf\n';
    assert.equal(diff(before, 'a\nb\nc\nX\nY\nd\ne\nf\n', []), '  b\n  c\n+ X\n+ Y\n  d\n  e\n');
    assert.equal(diff(before, 'a\nb\nc\nX\ne\nf\n', []), '  b\n  c\n- d\n+ X\n  e\n  f\n');
    assert.equal(diff('', 'a\n', []), '+ a\n');
    assert.equal(diff('a\r\n', '', []), '- a\n');
  });

  it('has the changed part of a file with a single line', () => {
    const long = 'x'.repeat(500);
    assert.equal(diff(`{${long}}`, `{"a":1,${long}}`, []), '+ …"a":1,…\n');
    assert.equal(diff(`${long}1${long}`, `${long}2${long}`, []), '- …1…\n+ …2…\n');
  });

  it('has the length of a long line instead of the line', () => {
    const long = 'x'.repeat(500);
    assert.equal(diff('a\n', `a\n${long}\n`, []), '  a\n+ (a line of 500 characters)\n');
  });

  it('shows no secret, even if one secret is a part of another', () => {
    const secrets = ['secret-secret-1234', 'secret', 'secret-secret-1234-and-more'];
    const text = diff(
      '',
      'a secret-secret-1234-and-more\nb secret-secret-1234\nc secret\n',
      secrets,
    );
    assert.equal(text, '+ a …more\n+ b …1234\n+ c …\n');
  });
});
