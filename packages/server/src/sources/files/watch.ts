/**
 * Watches the folders of a tree that a sync enters (docs/decisions/0033-watched-folders.md).
 *
 * A handle is opened before its folder is listed: a pass over the tree opens the missing handles, and further passes
 * follow until one opens none. So a folder that is made meanwhile is either listed by a pass or reported by the handle
 * of its parent.
 *
 * Linux drops events when many happen at once, and does not say so. But each event that arrives has the next renewal go
 * over the whole tree.
 */
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setImmediate as giveWay } from 'node:timers/promises';
import { inodeOf } from '../../documents/inode.ts';
import { SourceError } from '../../errors.ts';
import type { SourceWatch, WatchContext, WatchReport } from '../watching.ts';
import { createHandles, type HandleEvent, IS_RECURSIVE, NoMoreHandles } from './handles.ts';
import { networkDriveOf } from './network-drive.ts';
import { openSourceRoot, type SourceRoot } from './root.ts';
import type { Patterns, Rules } from './rules.ts';
import { below, enterFolders } from './tree.ts';

/** A tree that grows faster than the passes go over it is left to the next renewal. */
const MOST_PASSES = 10;

export type FolderConfig = Patterns & { readonly path: string };

/** The root of a watch was found there. */
interface RootPlace {
  readonly root: string;
  readonly inode: string;
  readonly device: string;
  readonly isEmpty: boolean;
}

export function watchFolder({ config, ...ctx }: WatchContext<FolderConfig>): SourceWatch {
  const closing = new AbortController();
  const handles = createHandles(ctx.budget, noticed);
  /** These are the folders that a sync enters, with the rules inside them. */
  let entered = new Map<string, Rules>();
  /** A sync does not enter these folders, so their own events tell nothing. */
  let others = new Set<string>();
  let place: RootPlace | undefined;
  let { device } = ctx;
  /** If true, nothing has happened since the last renewal. */
  let isCurrent = false;
  let report: WatchReport | undefined;
  let renewal: Promise<WatchReport> | undefined;

  async function renewed(): Promise<WatchReport> {
    if (isCurrent && report) return report;
    isCurrent = true;
    try {
      report = await bringInLine();
    } catch (error) {
      isCurrent = false;
      throw error;
    }
    if (report.state !== 'watching') isCurrent = false;
    return report;
  }

  async function bringInLine(): Promise<WatchReport> {
    const sourceRoot = await rootOrReason(config, ctx);
    if (typeof sourceRoot === 'string') return away(sourceRoot);
    const found = await placeOf(sourceRoot.root);
    if (found.isEmpty && device !== null && device !== found.device)
      return away(`${config.path} is empty, and its files were on another drive`);
    if (place?.root !== found.root || place.inode !== found.inode) handles.closeAll();
    place = found;
    if (!found.isEmpty) ({ device } = found);
    const fault = (await faultOfHandles(sourceRoot)) ?? (await faultOfDrive(found.root));
    if (fault === null) return { state: 'watching', message: null, device };
    return {
      state: 'polling',
      message: `The folder is read every few minutes, because ${fault}.`,
      device,
    };
  }

  function away(why: string): WatchReport {
    handles.closeAll();
    place = undefined;
    const message = `${why}. What was read stays. The folder is read again when it is back.`;
    return { state: 'away', message, device };
  }

  /** Returns why not all folders can be watched, or null. */
  async function faultOfHandles(sourceRoot: SourceRoot): Promise<string | null> {
    handles.closeStale();
    try {
      for (let pass = 1; pass <= MOST_PASSES; pass++)
        if (!(await openMissing(sourceRoot))) return null;
    } catch (error) {
      if (!(error instanceof NoMoreHandles)) throw error;
      handles.closeAll();
      return error.message;
    }
    isCurrent = false;
    return null;
  }

  /** Returns true when it has opened a handle. */
  async function openMissing(sourceRoot: SourceRoot): Promise<boolean> {
    const now = { entered: new Map<string, Rules>(), others: new Set<string>() };
    let hasOpened = false;
    for await (const { folder, contents, error } of enterFolders(sourceRoot, closing)) {
      const { path, real } = folder;
      if (contents) now.entered.set(path, contents.rules);
      else if (!error) now.others.add(path);
      if (!contents || handles.has(path) || (IS_RECURSIVE && path !== '')) continue;
      closing.signal.throwIfAborted();
      hasOpened = handles.open(path, real) || hasOpened;
      await giveWay();
    }
    ({ entered, others } = now);
    handles.closeExcept(entered);
    return hasOpened;
  }

  function noticed({ path: at, real, type, name }: HandleEvent): void {
    isCurrent = false;
    if (name === null) {
      ctx.changed(at);
      return;
    }
    const path = below({ path: at }, IS_RECURSIVE ? name.replaceAll('\\', '/') : name);
    if (type === 'rename') {
      handles.markStale(path);
      // The system reports the end of the folder itself under its own name.
      if (name === basename(real)) handles.markStale(at);
    } else if (entered.has(path) || others.has(path)) return;
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    const rules = entered.get(folder);
    if (rules && concerns(rules, path, type)) ctx.changed(folder);
  }

  return {
    renew() {
      renewal ??= renewed().finally(() => {
        renewal = undefined;
      });
      return renewal;
    },

    async isInPlace() {
      const { root, inode } = (await placeNow(config.path, ctx.allowPath)) ?? {};
      const isSame = root === place?.root && inode === place?.inode;
      // No event may have told of another place, such as a drive that was mounted over the folder.
      if (!isSame) isCurrent = false;
      return isSame;
    },

    close() {
      closing.abort();
      handles.closeAll();
    },
  };
}

/** Returns true when a sync may find something else because of an event about this path. */
export function concerns(rules: Rules, path: string, type: string): boolean {
  if (basename(path) === '.gitignore' || rules.file(path) === 'taken') return true;
  return type === 'rename' && rules.folder(path, null).rules !== null;
}

/** Returns a text when the folder does not exist or cannot be read. */
async function rootOrReason(
  config: FolderConfig,
  ctx: Pick<WatchContext<unknown>, 'allowPath' | 'ownFiles'>,
): Promise<SourceRoot | string> {
  try {
    return await openSourceRoot(config, ctx);
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'config') return error.message;
    throw error;
  }
}

async function faultOfDrive(root: string): Promise<string | null> {
  const drive = await networkDriveOf(root);
  return drive && `other machines may change it unnoticed on a network drive (${drive})`;
}

async function placeNow(path: string, allowPath: (path: string) => Promise<string>) {
  try {
    const root = await realpath(await allowPath(path));
    return { root, inode: inodeOf(await stat(root, { bigint: true })) };
  } catch {
    // Whatever the reason is, the next renewal finds it again and reports it.
    return undefined;
  }
}

async function placeOf(root: string): Promise<RootPlace> {
  const stats = await stat(root, { bigint: true });
  const { length } = await readdir(root);
  return { root, inode: inodeOf(stats), device: String(stats.dev), isEmpty: length === 0 };
}
