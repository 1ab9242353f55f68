import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerOf, everybodyMaySee, principalOf, principalParts } from './access-words.ts';

describe('the words about who may see a record', () => {
  it('take an e-mail address for a person, and keep a principal as it is', () => {
    assert.equal(principalOf(' ann@example.com '), 'user:ann@example.com');
    for (const principal of ['group:a:b', 'team:c'])
      assert.equal(principalOf(principal), principal);
    assert.deepEqual(principalParts('group:a:b'), { isGroup: true, name: 'a:b' });
  });

  it('say whether somebody sees it, and why', () => {
    const asked = { principal: 'user:ben@acme.example', may_see: true, through: [] };
    assert.equal(
      answerOf({ ...asked, reason: 'group', through: ['group:staff', 'group:all'] }),
      'ben@acme.example sees this record, as a member of staff, all.',
    );
    assert.match(answerOf({ ...asked, may_see: false, reason: 'none' }), /^ben@\S+ does not see/);
  });

  it('say when everybody or nobody may see it', () => {
    const access = { is_public: false, asked: null };
    assert.match(everybodyMaySee({ ...access, viewers: null }) ?? '', /^Everybody/);
    assert.match(
      everybodyMaySee({ ...access, viewers: ['user:a'], is_public: true }) ?? '',
      /public/,
    );
    assert.match(everybodyMaySee({ ...access, viewers: [] }) ?? '', /^Nobody/);
    assert.equal(everybodyMaySee({ ...access, viewers: ['user:a'] }), null);
  });
});
