import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseFolders, type MailFolder } from './folders.ts';

const folder = (id: string, name: string, parent?: string): MailFolder => ({ id, name, parent });
const FOLDERS = [
  folder('1', 'Posteingang'),
  folder('2', 'Projekte'),
  folder('3', 'Acme', '2'),
  folder('4', 'Alt', '3'),
  folder('5', 'Entwürfe', 'the root is not listed'),
];
const idOf = (name: string) =>
  new Map([
    ['inbox', '1'],
    ['drafts', '5'],
    ['clutter', ''],
  ]).get(name);
const chosen = (included: string[], excluded: string[], folders = FOLDERS) =>
  chooseFolders(folders, { included, excluded }, idOf).map(({ path }) => path);

describe('chooseFolders', () => {
  it('takes all folders but the excluded ones', () => {
    assert.deepEqual(chosen([], ['drafts', 'projekte/ACME']), ['Posteingang', 'Projekte']);
    assert.deepEqual(chosen([], ['clutter']).length, 5);
  });

  it('takes the included folders with those below them, and the nearest name decides', () => {
    assert.deepEqual(chosen(['inbox', 'Projekte'], ['Projekte/Acme']), ['Posteingang', 'Projekte']);
    assert.deepEqual(chosen(['Projekte', 'Projekte/Acme/Alt'], ['Projekte/Acme']), [
      'Projekte',
      'Projekte/Acme/Alt',
    ]);
    assert.deepEqual(chosen(['inbox'], ['inbox']), []);
    assert.deepEqual(chosen(['Acme'], []), []);
  });

  it('ends at folders that contain each other', () => {
    const loop = [folder('1', 'a', '2'), folder('2', 'b', '1')];
    assert.equal(chosen([], [], loop).length, 2);
  });
});
