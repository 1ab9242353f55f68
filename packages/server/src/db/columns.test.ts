import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { connect } from './connect.ts';

describe('DeclaredColumns', () => {
  it('decodes JSON and booleans by the name of the column, and leaves what is null', async () => {
    const db = connect(':memory:');
    const { rows } = await sql`
      select '{"a":[1]}' as config, null as cursor, '{"a":1}' as name,
        1 as is_public, 0 as continuous, null as full, 1 as chunks
      union all select null, '"x"', '7', 0, 1, 1, 0`.execute(db);
    assert.deepEqual(
      rows.map((row) => ({ ...(row as object) })),
      [
        {
          config: { a: [1] },
          cursor: null,
          name: '{"a":1}',
          is_public: true,
          continuous: false,
          full: null,
          chunks: 1,
        },
        {
          config: null,
          cursor: 'x',
          name: '7',
          is_public: false,
          continuous: true,
          full: true,
          chunks: 0,
        },
      ],
    );
    await db.destroy();
  });
});
