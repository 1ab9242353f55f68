/** Tests what a document inside of a file has from the file, and what it says about itself. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Extractor, InnerText } from '../../documents/extract.ts';
import type { Entity } from '../../model/entity.ts';
import { extract } from './extract.ts';

const day = (number: number): Date => new Date(Date.UTC(2025, 2, number));
const MAIL: Entity = {
  id: 'mail',
  type: 'Mail',
  name: 'Offer',
  text: '',
  url: 'https://example.org/mail',
  breadcrumbs: [{ id: 'box', name: 'Inbox', type: 'Box' }],
  createdAt: day(10),
  updatedAt: day(11),
  access: { viewers: ['user:ann'], isPublic: false },
  fields: { folder: 'Inbox', size: 7, extension: '.eml', mime_type: 'message/rfc822' },
  file: { path: '/a', name: 'a.eml', size: 7, inode: '1' },
};

/** Returns the documents inside of the mail. */
async function insideOf(inner: readonly InnerText[]): Promise<readonly Entity[]> {
  const extractor: Extractor = {
    extract: async () => ({ kind: 'text', text: '# Offer', version: 'eml-1', inner }),
    extractHtml: () => assert.fail('the mail has a file'),
    close: async () => {},
  };
  const deps = { extractor, findExtracted: async () => null, signal: AbortSignal.any([]) };
  const upsert = { kind: 'upsert', entity: MAIL, partition: 'p', version: null } as const;
  const [record, ...others] = await extract(upsert, deps);
  assert.ok(record && 'entity' in record && others.length === 0);
  return record.entity.inside ?? [];
}

describe('a document inside of a file', () => {
  it('has the address, the access and the fields of the file, but not those that describe the file', async () => {
    const [plan] = await insideOf([
      { path: 'pack.zip!/plans/plan.md', outcome: { is: 'text', text: 'The plan' } },
    ]);
    assert.deepEqual(plan, {
      id: 'mail!/pack.zip!/plans/plan.md',
      type: 'Mail',
      name: 'plan.md',
      text: 'The plan',
      isMarkdown: true,
      url: 'https://example.org/mail',
      breadcrumbs: [
        { id: 'box', name: 'Inbox', type: 'Box' },
        { id: 'mail', name: 'Offer', type: 'Mail' },
      ],
      access: { viewers: ['user:ann'], isPublic: false },
      createdAt: day(10),
      updatedAt: day(11),
      fields: { folder: 'Inbox', path_inside: 'pack.zip!/plans/plan.md' },
    });
  });

  it('has the dates and the facts that it says about itself', async () => {
    const about = {
      author: 'Bob',
      created_at: '2025-03-01T00:00:00Z',
      modified_at: '2025-03-02T00:00:00Z',
    };
    const text = (more: object): InnerText['outcome'] => ({ is: 'text', text: 'x', ...more });
    const [plan, undated] = await insideOf([
      { path: 'plan.docx', name: 'Plan', outcome: text({ about }) },
      { path: 'b.docx', outcome: text({ about: { created_at: 'soon' } }) },
    ]);
    assert.equal(plan?.name, 'Plan');
    assert.deepEqual([plan?.createdAt, plan?.updatedAt], [day(1), day(2)]);
    assert.deepEqual(plan?.fields, { folder: 'Inbox', path_inside: 'plan.docx', ...about });
    assert.deepEqual([undated?.createdAt, undated?.updatedAt], [day(10), day(11)]);
  });

  it('has the same dates in every zone of a machine', async (test) => {
    const zone = process.env.TZ;
    test.after(() => {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    });
    process.env.TZ = 'Pacific/Auckland';
    const about = { created_at: '2025-03-01T00:00:00.000000000', modified_at: '2025-03-02T00:00' };
    const outcome = { is: 'text', text: 'x', about } as const;
    const [letter] = await insideOf([{ path: 'letter.odt', outcome }]);
    assert.deepEqual([letter?.createdAt, letter?.updatedAt], [day(1), day(2)]);
  });
});
