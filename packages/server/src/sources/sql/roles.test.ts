import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kindOf } from '../postgresql/values.ts';
import { namingOf, rolesOf } from './roles.ts';

const columns = (...names: string[]) =>
  names.map((text) => {
    const [name = '', type = 'text'] = text.split(':');
    return { name, kind: kindOf(type, false) };
  });

describe('the roles of columns', () => {
  it('put a name before a title, and both before identifiers', () => {
    assert.deepEqual(namingOf('books', columns('sku', 'Title', 'id', 'name', 'email')), {
      names: [['name'], ['Title']],
      identifiers: [['sku'], ['email']],
    });
  });

  it('recognize names of columns that contain the name of the table', () => {
    for (const [table, column] of [
      ['products', 'product_name'],
      ['Products', 'ProductName'],
      ['categories', 'category_name'],
      ['boxes', 'box_title'],
      ['staff', 'staff_name'],
    ] as const)
      assert.deepEqual(namingOf(table, columns('id', column)).names, [[column]], table);
    assert.deepEqual(namingOf('orders', columns('product_name')).names, []);
    assert.deepEqual(namingOf('orders', columns('order_no:int4', 'number')).identifiers, [
      ['order_no'],
      ['number'],
    ]);
  });

  it('join the first and the last name of a person', () => {
    assert.deepEqual(namingOf('staff', columns('last_name', 'first_name')).names, [
      ['first_name', 'last_name'],
    ]);
    assert.deepEqual(namingOf('staff', columns('first_name')).names, []);
  });

  it('use only text columns as names, and only time columns as dates', () => {
    const all = columns('name:int4', 'title:jsonb', 'created_at:text', 'updated_at:date');
    assert.deepEqual(rolesOf('t', all), {
      names: [],
      identifiers: [],
      created: [],
      updated: ['updated_at'],
    });
  });
});
