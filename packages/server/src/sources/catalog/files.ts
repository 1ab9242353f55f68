/** This source reads the files of a folder on this machine. */
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { defineSource } from '../define.ts';
import { suggestFolders } from '../files/folders.ts';
import { PatternList } from '../files/patterns.ts';
import { readFiles } from '../files/read.ts';
import { openRoot, openSourceRoot } from '../files/root.ts';
import { walk } from '../files/walk.ts';
import { watchFolder } from '../files/watch.ts';

export const files = defineSource({
  shortName: 'files',
  name: 'Files',
  description: 'Documents, mail, archives, text and source code of a folder on this machine.',
  labels: ['Files'],
  auth: {},
  config: z.strictObject({
    path: z
      .string()
      .max(4096)
      .overwrite((path) => path.replace(/^~(?=$|[\\/])/, homedir()))
      .refine(
        (path) => isAbsolute(path) && !path.includes('\0'),
        'is not a whole path: begin with /, or with ~ for the home folder, such as ~/notes',
      )
      .meta({
        title: 'Folder',
        description:
          'Whole path of the folder on the machine on which Quarry runs, such as /home/ann/notes or ~/notes.',
        options: true,
      }),
    include: PatternList.optional().meta({
      title: 'Include',
      description:
        'Patterns as in .gitignore, such as *.md or docs/; without any, all files. Secrets, dependencies, caches and build output are left out unless a pattern spells their name, such as .env, *.pem or node_modules/left-pad/.',
    }),
    exclude: PatternList.optional().meta({
      title: 'Exclude',
      description: 'Patterns as in .gitignore. Files that a .gitignore names are always left out.',
    }),
    watch: z.boolean().default(true).meta({
      title: 'Watch',
      description:
        'Finds a change as it happens. Without it, only the schedule and people start syncs.',
      saysWhen: true,
    }),
  }),
  entities: {
    File: z.object({
      path: z
        .string()
        .meta({ title: 'Path', description: 'Path within the folder, separated by /.' }),
      extension: z
        .string()
        .meta({ title: 'Extension', description: 'Extension in lower case, without the dot.' }),
      size: z.number().int().meta({ title: 'Size', description: 'Size in bytes.' }),
    }),
  },
  files: 'all with text',
  evidence: [{ class: 'A', by: 'folders on Linux', asOf: 'this version' }],
  rateLimitLevel: null,
  isLocal: true,

  async check({ config, allowPath }) {
    await openRoot(config.path, allowPath);
  },

  async options(ctx, { query }) {
    const places = { home: homedir(), current: process.cwd(), mostCounted: 5000 };
    return suggestFolders({ ...places, query }, ctx);
  },

  async *pull({ config, signal, takeChanged, ...environment }) {
    yield* walk(await openSourceRoot(config, environment), signal, takeChanged);
  },

  watch: { isWanted: ({ watch }) => watch, open: (ctx) => watchFolder(ctx) },

  async *hydrate({ config, signal, meter, ...environment }, stubs) {
    const sourceRoot = await openSourceRoot(config, environment);
    for await (const item of readFiles(sourceRoot, stubs, signal)) {
      if (item.kind === 'upsert') meter.bytes += item.entity.file?.size ?? 0;
      yield item;
    }
  },
});
