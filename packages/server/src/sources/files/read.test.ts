import assert from 'node:assert/strict';
import { lstat, mkdir, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inodeOf } from '../../documents/inode.ts';
import { filesFolder, stubsOf, whyNot } from '../../test/documents/files-folder.ts';
import { files } from '../catalog/files.ts';

const MB = 1024 * 1024;
describe('reading files', () => {
  const folder = filesFolder();
  const { context, hydrate, pull, write } = folder;

  it('[ENT-23] returns the record with a reference to its file', async () => {
    await write('docs/Big Guide/Intro.MD', 'hello');
    const modified = new Date('2026-03-04T05:06:07.500Z');
    const path = join(folder.root, 'docs/Big Guide/Intro.MD');
    await utimes(path, modified, modified);
    const [stub] = stubsOf(await pull());
    assert.ok(stub);
    const ctx = context();
    const [item] = await hydrate([stub], ctx);
    assert.ok(item?.kind === 'upsert');
    const { createdAt, ...entity } = item.entity;
    assert.ok(createdAt instanceof Date && Math.abs(Date.now() - createdAt.getTime()) < 60_000);
    assert.deepEqual(entity, {
      id: 'docs/Big Guide/Intro.MD',
      type: 'File',
      name: 'Intro.MD',
      text: '',
      breadcrumbs: [
        { id: 'docs', name: 'docs', type: 'folder' },
        { id: 'docs/Big Guide', name: 'Big Guide', type: 'folder' },
      ],
      updatedAt: modified,
      fields: { path: 'docs/Big Guide/Intro.MD', extension: 'md', size: 5 },
      file: {
        path,
        name: 'Intro.MD',
        size: 5,
        inode: inodeOf(await lstat(path, { bigint: true })),
        isNamed: false,
      },
    });
    assert.deepEqual([item.partition, item.version], [stub.partition, stub.version]);
    assert.ok(files.entities.File?.safeParse(entity.fields).success);
    assert.equal(ctx.meter.bytes, 5);
  });

  it('uses the current size and version of the file', async () => {
    await write('a.md', 'one');
    const [stub] = stubsOf(await pull());
    assert.ok(stub);
    await write('a.md', 'longer');
    const [item] = await hydrate([stub]);
    assert.ok(item?.kind === 'upsert');
    assert.equal(item.entity.fields.size, 6);
    assert.notEqual(item.version, stub.version);
    assert.equal(item.version, stubsOf(await pull())[0]?.version);
  });

  it('reads the target of a link under the name of the link', async () => {
    await write('docs/guide.pdf');
    await symlink('docs/guide.pdf', join(folder.root, 'latest'));
    const [item] = await hydrate(stubsOf(await pull()).filter(({ id }) => id === 'latest'));
    assert.ok(item?.kind === 'upsert');
    const path = join(folder.root, 'docs/guide.pdf');
    const inode = inodeOf(await lstat(path, { bigint: true }));
    assert.deepEqual(
      [item.entity.name, item.entity.fields.extension, item.entity.file],
      ['latest', '', { path, name: 'guide.pdf', size: 4, inode, isNamed: false }],
    );
  });

  it('reports for each file that it is gone, has been replaced, or leads outside', async () => {
    for (const name of ['a.md', 'b.md', 'c.md', 'd.md', 'e.md']) await write(name);
    await writeFile(join(folder.root, '../outside.md'), 'text');
    const stubs = stubsOf(await pull());
    for (const name of ['a.md', 'b.md', 'c.md', 'd.md']) await rm(join(folder.root, name));
    await mkdir(join(folder.root, 'b.md'));
    await symlink('../outside.md', join(folder.root, 'c.md'));
    await write('d.md', Buffer.alloc(0));
    await truncate(join(folder.root, 'd.md'), 100 * MB + 1);
    const items = await hydrate(stubs);
    assert.deepEqual(
      items.map((item) => (item.kind === 'upsert' ? item.entity.id : whyNot(item))),
      [
        ['fail', 'a.md', 'the file is gone: it was there when its folder was listed'],
        ['skip', 'b.md', 'not a regular file'],
        ['skip', 'c.md', 'a link that leads out of the folder'],
        ['skip', 'd.md', 'too large', '100.0 MB, more than 100 MB'],
        'e.md',
      ],
    );
  });

  it('stops when its signal aborts', async () => {
    await write('a.md');
    const stubs = stubsOf(await pull());
    const ctx = context({ signal: AbortSignal.abort(new Error('cancelled')) });
    await assert.rejects(hydrate(stubs, ctx), { message: 'cancelled' });
  });
});
