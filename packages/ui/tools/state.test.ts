import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { dashboardStamps, isDashboardStale, LIST } from './state.ts';

const LOCK = 'package-lock.json';
const PAGE = 'packages/ui/src/page.tsx';
const SETTING = 'packages/ui/vite.config.ts';
const TEXT = 'packages/text/src/time.ts';
const FILES = [LOCK, PAGE, SETTING, TEXT, `node_modules/.${LOCK}`];
const FOLDERS = ['packages/ui/tools', 'packages/client/src'];

const skip = process.getuid?.() !== 0 && 'only root can be another user';

describe('the dashboard', () => {
  const projects: string[] = [];
  after(() => {
    for (const project of projects) fs.rmSync(project, { recursive: true });
  });

  /** Makes a project whose dashboard is built. */
  async function built() {
    const project = fs.mkdtempSync(join(tmpdir(), 'quarry-dashboard-'));
    projects.push(project);
    const write = (path: string, content: string) => {
      fs.mkdirSync(dirname(join(project, path)), { recursive: true });
      fs.writeFileSync(join(project, path), content);
    };
    for (const path of FILES) write(path, 'old');
    for (const path of FOLDERS) fs.mkdirSync(join(project, path), { recursive: true });
    const [folder, root] = [join(project, 'packages/server/ui'), join(project, 'packages/ui')];
    write(`packages/server/ui/${LIST}`, JSON.stringify(dashboardStamps(root)));
    // The clock of a file system may stand still for some milliseconds.
    await sleep(20);
    return { project, write, folder, root, isStale: () => isDashboardStale(folder, root) };
  }

  it('is built once more when a file that it is made from is another one, new or gone', async () => {
    const { isStale } = await built();
    assert.equal(isStale(), false);
    const changes: Record<string, (project: Awaited<ReturnType<typeof built>>) => void> = {
      'a source': ({ write }) => write(PAGE, 'new'),
      'an older source': ({ project, write }) => {
        write(PAGE, 'new');
        fs.utimesSync(join(project, PAGE), 0, 0);
      },
      'a new source': ({ write }) => write('packages/ui/src/pages/next.tsx', 'new'),
      'a deleted source': ({ project }) => fs.rmSync(join(project, PAGE)),
      'a source of another package': ({ write }) => write(TEXT, 'new'),
      'a setting': ({ write }) => write(SETTING, 'new'),
      'the lock file': ({ write }) => write(LOCK, 'new'),
      'what is installed': ({ write }) => write(`node_modules/.${LOCK}`, 'new'),
      'a list without its content': ({ folder }) => fs.truncateSync(join(folder, LIST)),
      'a missing build': ({ folder }) => fs.rmSync(folder, { recursive: true }),
    };
    for (const [what, change] of Object.entries(changes)) {
      const project = await built();
      change(project);
      assert.equal(project.isStale(), true, what);
    }
  });

  it('is built once more by a user who may not open the folder of the last build', {
    skip,
  }, async () => {
    const { project, folder, isStale } = await built();
    fs.chmodSync(project, 0o755);
    fs.chmodSync(folder, 0o700);
    process.seteuid?.(65_534);
    try {
      assert.equal(isStale(), true);
    } finally {
      process.seteuid?.(0);
    }
  });
});
