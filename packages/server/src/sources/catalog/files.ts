import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { defineSource, listed, stub, upsert } from '../define.ts';
export const files = defineSource({
  shortName: 'files', name: 'Files', description: 'x', labels: [], auth: { methods: ['direct'] },
  config: z.strictObject({ path: z.string().meta({title:'a',description:'a'}), include: z.array(z.string()).optional().meta({title:'a',description:'a'}), exclude: z.array(z.string()).optional().meta({title:'a',description:'a'}) }),
  entities: { File: z.object({}) }, rateLimitLevel: null,
  async *pull({ config }) {
    for (const f of readdirSync(config.path, { recursive: true, encoding: 'utf8' })) {
      if (f.includes('node_modules') || f.includes('.git')) continue;
      const s = statSync(join(config.path, f));
      if (s.isFile() && /\.(md|txt)$/.test(f)) yield stub(f, 'File', `${s.size}-${s.mtimeMs}-${s.ctimeMs}`);
    }
    yield listed('');
  },
  async *hydrate({ config }, stubs) {
    for (const one of stubs) yield upsert({ id: one.id, type: 'File', name: one.id, text: '', fields: {}, file: { path: join(config.path, one.id), name: one.id, size: 1 } }, { version: one.version });
  },
});
