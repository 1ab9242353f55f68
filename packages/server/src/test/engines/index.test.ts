import { createExactIndex } from '../../engines/index/exact.ts';
import { createSqliteIndex } from '../../engines/index/sqlite.ts';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { testIndex } from './index-suite.ts';
import { DIMENSIONS } from './world.ts';

const [sqlite] = DATABASES;

testIndex({
  name: 'sqlite',
  open: must(sqlite).open,
  create: ({ url }, options) =>
    createSqliteIndex({ path: must(url), dimensions: DIMENSIONS, ...options }),
});
for (const { name, open } of DATABASES)
  testIndex({
    name: `exact over ${name}`,
    open,
    create: ({ db, kind }, options) =>
      createExactIndex({ db, kind, dimensions: DIMENSIONS, ...options }),
  });
