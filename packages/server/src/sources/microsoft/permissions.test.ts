import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { principalOfLogin } from './permissions.ts';

const ID = '8b6a1f2e-0000-4000-8000-000000000001';

describe('principalOfLogin', () => {
  it('reads people, groups and everybody', () => {
    assert.equal(principalOfLogin('i:0#.f|membership|Ann@Acme.example'), 'user:ann@acme.example');
    assert.equal(principalOfLogin(`c:0t.c|tenant|${ID.toUpperCase()}`), `group:${ID}`);
    assert.equal(principalOfLogin(`c:0o.c|federateddirectoryclaimprovider|${ID}`), `group:${ID}`);
    const all = [`c:0-.f|rolemanager|spo-grid-all-users/${ID}`, 'c:0(.s|true'];
    for (const name of all) assert.equal(principalOfLogin(name), 'group:everyone');
  });

  it('names nobody by a name that it does not know', () => {
    const others = [
      '',
      'Sales Members',
      'SHAREPOINT\\system',
      'i:0#.f|membership|',
      'i:0#.f|membership|ann@acme.example evil@acme.example',
      'i:0i.t|00000003-0000-0ff1-ce00-000000000000|app@sharepoint',
      // These are the owners of a group, of whom Graph tells nothing here.
      `c:0o.c|federateddirectoryclaimprovider|${ID}_o`,
      'c:0t.c|tenant|x',
      'c:0(.s|false',
    ];
    for (const name of others) assert.equal(principalOfLogin(name), undefined, name);
  });
});
