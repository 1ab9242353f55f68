/**
 * Chooses the folders of a mailbox that are read, by well-known names, which are the same in all languages
 * (https://learn.microsoft.com/graph/api/resources/mailfolder), or by the path of their names.
 */
import type { Breadcrumb } from '../../model/entity.ts';

export interface MailFolder {
  readonly id: string;
  readonly name: string;
  readonly parent: string | undefined;
}

export const WELL_KNOWN: readonly string[] = [
  'inbox',
  'sentitems',
  'archive',
  'drafts',
  'outbox',
  'junkemail',
  'deleteditems',
  'clutter',
  'conversationhistory',
  'scheduled',
  'syncissues',
];

export interface FolderChoice {
  /** When this list is empty, all folders are read except the excluded ones. */
  readonly included: readonly string[];
  readonly excluded: readonly string[];
}

export interface ChosenFolder {
  readonly id: string;
  readonly path: string;
  readonly breadcrumbs: readonly Breadcrumb[];
}

/** A folder may be far below others. The limit also ends a loop of folders, which must not exist. */
const DEEPEST = 300;

/**
 * `idOf` returns the id of a well-known folder. Of the chosen folders that contain a folder, the nearest one decides;
 * of a folder that is both included and excluded, nothing is read.
 */
export function chooseFolders(
  folders: readonly MailFolder[],
  { included, excluded }: FolderChoice,
  idOf: (name: string) => string | undefined,
): ChosenFolder[] {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const above = (folder: MailFolder): MailFolder[] => {
    const chain: MailFolder[] = [];
    for (let at: MailFolder | undefined = folder; at && chain.length < DEEPEST; ) {
      chain.unshift(at);
      at = at.parent === undefined ? undefined : byId.get(at.parent);
    }
    return chain;
  };
  const isNamed = (chain: readonly MailFolder[], names: readonly string[]) => {
    const path = pathOf(chain).toLowerCase();
    return names.some((name) => idOf(name) === chain.at(-1)?.id || name.toLowerCase() === path);
  };
  return folders.flatMap((folder) => {
    const chain = above(folder);
    let isRead = included.length === 0;
    for (let depth = 1; depth <= chain.length; depth++) {
      const upTo = chain.slice(0, depth);
      if (isNamed(upTo, included)) isRead = true;
      if (isNamed(upTo, excluded)) isRead = false;
    }
    if (!isRead) return [];
    const breadcrumbs = chain.map(({ id, name }) => ({ id, name, type: 'OutlookMailFolder' }));
    return [{ id: folder.id, path: pathOf(chain), breadcrumbs }];
  });
}

const pathOf = (chain: readonly MailFolder[]): string => chain.map(({ name }) => name).join('/');
