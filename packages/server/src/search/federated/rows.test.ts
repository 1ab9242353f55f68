import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entity } from '../../model/entity.ts';
import { book, federatedSource } from '../../test/app/federated-source.ts';
import { toRow } from './rows.ts';

const { source } = federatedSource();
const connection = {
  id: 'connection',
  short_name: 'shelf',
  collection_id: 'collection',
  sync_id: 'sync',
};
const row = (over: Partial<Entity> = {}) => toRow(source, connection, book('a', over));

describe('a row of a federated source', () => {
  it('is dropped when its id is empty or too long', () => {
    const id = 'i'.repeat(2000);
    assert.equal(row({ id })?.entity_id, id);
    for (const other of [`${id}i`, '']) assert.equal(row({ id: other }), undefined);
  });

  it('has its name and text cut to a limit, and no link that is too long', () => {
    assert.equal(row({ name: 'n'.repeat(1001) })?.name, 'n'.repeat(1000));
    const url = `https://shelf.example/${'u'.repeat(4000 - 22)}`;
    assert.deepEqual([row({ url })?.url, row({ url: `${url}u` })?.url], [url, null]);
    assert.ok(row({ text: 'word '.repeat(100_000) })!.text.length <= 20_000);
  });

  it('has at most 50 breadcrumbs, each cut to a limit', () => {
    const long = 'b'.repeat(3000);
    const breadcrumbs = Array.from({ length: 51 }, () => ({ id: long, name: long, type: long }));
    const cut = { id: long.slice(0, 2000), name: long.slice(0, 1000), type: long.slice(0, 1000) };
    assert.deepEqual(
      row({ breadcrumbs })?.breadcrumbs,
      Array.from({ length: 50 }, () => cut),
    );
  });

  it('keeps only declared types and fields, with valid values', () => {
    assert.equal(row({ fields: { shelf: 'one' } }), undefined);
    assert.equal(row({ type: 'Film' }), undefined);
    assert.deepEqual(row({ fields: { shelf: 1, more: 2 } })?.metadata, { shelf: 1 });
    const odd = row({ type: 'Page', fields: { title: 'a\0b', 'k\0': '\ud800' } })?.metadata;
    assert.doesNotMatch(JSON.stringify(odd), /\\u0000|\\ud800/);
    const dates = row({ createdAt: new Date('no date'), updatedAt: new Date(7) });
    assert.deepEqual([dates?.source_created_at, dates?.source_updated_at], [null, 7]);
    assert.deepEqual([row()?.viewers, row()?.is_public], [null, false]);
  });
});
