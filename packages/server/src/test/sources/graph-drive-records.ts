/** The records of sites and drives in SharePoint Online, as the fake keeps them. */
import type { GraphUser } from './graph-directory.ts';

export interface GraphSite {
  readonly id: string;
  displayName: string;
  /** It is the path of the address, such as /sites/engineering. */
  readonly path: string;
  readonly isPersonal: boolean;
  readonly parent: string | null;
}

export interface GraphDrive {
  readonly id: string;
  name: string;
  readonly siteId: string;
  readonly rootId: string;
  /** A drive of a person belongs to OneDrive. */
  readonly owner: GraphUser | null;
}

/** Everyone is everyone of the organization but guests. A link has a scope, and people only where its scope is `users`. */
export interface GraphGrant {
  readonly to: 'user' | 'group' | 'siteGroup' | 'everyone' | 'anonymous' | 'organization' | 'users';
  /** The ids of people, groups or groups of the site. */
  readonly ids?: readonly string[];
  readonly roles?: readonly string[];
  readonly isPasswordNeeded?: boolean;
}

export interface GraphItem {
  readonly id: string;
  driveId: string;
  /** The root of a drive has no parent. */
  parent: string | null;
  name: string;
  /** Before the last renaming, the item had this name. */
  oldName: string;
  readonly kind: 'root' | 'folder' | 'file' | 'package' | 'shortcut';
  content: string | Buffer;
  /** The listing shows this size instead of the real one. */
  claimedSize: number | null;
  mimeType: string;
  /** Times are texts as Graph shows them. */
  readonly createdAt: string;
  modifiedAt: string;
  /** The version changes with everything but permissions, and the content's with the content. */
  version: number;
  contentVersion: number;
  /** The number of the last change. */
  seq: number;
  isDeleted: boolean;
  /** A deletion that no delta tells. */
  isSilent: boolean;
  /** A folder or file with permissions of its own has none of those above it. */
  isUnique: boolean;
  grants: GraphGrant[];
  /** A shortcut leads to this item. */
  readonly target: { readonly driveId: string; readonly itemId: string } | null;
  isMalware: boolean;
}
