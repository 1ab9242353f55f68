/** The records of a site of Confluence, as the fake keeps them. */
import type { AdfDocument } from './atlassian-adf.ts';
import type { AtlassianUser } from './atlassian-people.ts';

/** The value is the id of an account or of a group. */
export interface ConfluenceHolder {
  readonly type: 'user' | 'group';
  readonly value: string;
}
/** The same text in both formats. */
export interface ConfluenceBody {
  readonly storage: string;
  readonly adf: AdfDocument;
}
export interface ConfluenceSpace {
  readonly id: string;
  readonly key: string;
  name: string;
  readonly type: 'global' | 'personal';
  status: 'current' | 'archived';
  description: string;
  readonly author: AtlassianUser;
  readonly createdAt: number;
  /** These may read the space. */
  readers: ConfluenceHolder[];
  /** If true, people who have not signed in may read the space, too. */
  isOpenToAll: boolean;
}
interface Versioned {
  readonly author: AtlassianUser;
  readonly createdAt: number;
  updatedAt: number;
  version: number;
}
export interface ConfluenceContent extends Versioned {
  readonly id: string;
  readonly kind: 'page' | 'blogpost' | 'folder';
  space: ConfluenceSpace;
  title: string;
  /** A blog post has no parent. A folder has no body, and stands between pages. */
  parent: ConfluenceContent | null;
  body: ConfluenceBody;
  status: 'current' | 'archived' | 'trashed' | 'draft';
  labels: string[];
  /** Only these may see the content, and the pages below it. */
  restriction: ConfluenceHolder[] | null;
}
export interface ConfluenceComment extends Versioned {
  readonly id: string;
  readonly kind: 'footer' | 'inline';
  readonly on: ConfluenceContent;
  /** An answer has a comment as its parent. */
  readonly parent: ConfluenceComment | null;
  body: ConfluenceBody;
  resolution: 'open' | 'resolved';
  /** An inline comment is about these words of the text. */
  readonly selection: string | null;
}
export interface ConfluenceAttachment extends Versioned {
  readonly id: string;
  readonly on: ConfluenceContent;
  readonly name: string;
  readonly type: string;
  content: string | Buffer;
  status: 'current' | 'trashed';
}
export type ConfluenceItem = ConfluenceContent | ConfluenceComment | ConfluenceAttachment;
