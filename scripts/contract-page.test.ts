import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { CONTRACTS } from '../packages/server/src/test/contracts/table.ts';
import { contractPage } from './contract-page.ts';

const origin = { address: 'https://notes.example/api.json', license: 'MIT', file: 'notes.json' };

describe('the page about contracts', () => {
  const page = contractPage([
    {
      title: 'Notes API',
      origin: { ...origin, date: '2026-01-02' },
      operations: ['GET /notes', 'GET /notes/{id}'],
      amendments: [
        { reason: 'A note may be <empty> (https://notes.example/empty).', emptyLists: true },
      ],
    },
    {
      title: 'Moons API',
      origin: { ...origin, date: '2026-01-01', npm: 'moons@1.2.3', isUndated: true },
      selection: { Moon: 'id' },
    },
  ]);

  it('says of each document where it is, of which day, and in what the tests know better', () => {
    const [, moons = '', notes = ''] = page.split(/^## /m);
    assert.match(
      notes,
      /^Notes API\n\n\[its document\]\(https:\/\/notes\.example\/api\.json\), MIT/,
    );
    assert.match(notes, /of 2026-01-02; 2 operations are used\./);
    assert.match(notes, /^- A note may be &lt;empty> \(<https:\/\/notes\.example\/empty>\)\.$/m);
    assert.match(
      moons,
      /of 2026-01-01, when moons@1\.2\.3 was published\.\n\nThe document needed no/,
    );
  });

  it('is docs/sources/contracts.md: npm run source-pages', () => {
    assert.equal(
      readFileSync('docs/sources/contracts.md', 'utf8'),
      contractPage(Object.values(CONTRACTS)),
    );
  });
});
