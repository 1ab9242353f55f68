/** This source reads the files of one branch of any Git repository, through the program git. */
import { defineSource } from '../define.ts';
import { GitConfig, GitCredentials } from '../git/config.ts';
import { GitCursor, pull } from '../git/pull.ts';
import { GitFile, readFiles } from '../git/read.ts';
import { openRepository } from '../git/repository.ts';

export const git = defineSource({
  shortName: 'git',
  name: 'Git',
  description: 'Files of a branch of any Git repository, by https, ssh or from this machine.',
  labels: ['Code'],
  auth: { direct: { fields: GitCredentials } },
  config: GitConfig,
  cursor: GitCursor,
  deletions: 'told',
  entities: { GitFile },
  evidence: [
    { class: 'A', by: 'git http-backend', asOf: '2.39.5' },
    { class: 'A', by: 'OpenSSH', asOf: '9.2p1' },
  ],
  rateLimitLevel: null,

  async check(ctx) {
    await (await openRepository(ctx)).tip();
  },
  pull,
  hydrate: readFiles,

  async options({ config, ...ctx }) {
    const repository = await openRepository({ ...ctx, config: GitConfig.parse(config) });
    return (await repository.branches()).map((branch) => ({ value: branch, title: branch }));
  },
});
