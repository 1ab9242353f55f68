import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameAndOriginals } from './copies.ts';

const leadsTo = (copy: string, name: string) =>
  assert.ok(
    nameAndOriginals(copy).has(name),
    `${copy}: ${[...nameAndOriginals(copy)].join(' | ')}`,
  );

describe('the original names of a copy', () => {
  it('[CON-41] are found for copies of editors', () => {
    for (const copy of [
      '.env~',
      '.env.~1~',
      '#.env#',
      '.#.env',
      '.env.swp',
      '.env.SWO',
      '..env.swp',
    ])
      leadsTo(copy, '.env');
    leadsTo('.server.pem.swp', 'server.pem');
  });

  it('[CON-41] are found for copies of people and of file managers', () => {
    for (const copy of [
      'server (1).pem',
      'server copy.pem',
      'server copy 2.pem',
      'server - Copy.pem',
      'Copy of server.pem',
      'Kopie von server.pem',
      'server.pem.bak',
      'server.pem-old',
      'server.pem_backup',
      'server.pem.2024',
      'server.pem.txt',
      'server.pem.asc',
      'server.pem.dpkg-old',
    ])
      leadsTo(copy, 'server.pem');
    for (const copy of ['id_rsa (1)', 'id_rsa(2)', 'id_rsa copy', 'Copy (2) of id_rsa', 'id_rsa.1'])
      leadsTo(copy, 'id_rsa');
  });

  it('[CON-41] are found for copies of copies', () => {
    leadsTo('Copy of .env.bak~', '.env');
    leadsTo('id_rsa (1).old.txt', 'id_rsa');
  });

  it('[CON-41] are found despite invisible characters and other forms of the same letters', () => {
    for (const name of [
      ' .env',
      '.env ',
      '.env.',
      '.\u200benv',
      '.env\u0000',
      '\uff0e\uff45\uff4e\uff56',
    ])
      leadsTo(name, '.env');
  });

  it('do not exist for a name that is not a copy', () => {
    for (const name of [
      'notes.md',
      'notes.txt',
      '~',
      '...',
      '.txt',
      'copy',
      '(1)',
      '1',
      '-',
      'a b.md',
    ])
      assert.deepEqual([...nameAndOriginals(name)], [name]);
  });

  it('are found quickly for every name', () => {
    for (const part of ['~', '(', '(1)', 'copy ', '.1', '.bak', '#', ' ', '.', '_-'])
      assert.ok(nameAndOriginals(part.repeat(255 / part.length)).size < 1000);
  });
});
