/** The records of a site of Jira, as the fake keeps them. */
import type { AdfDocument } from './atlassian-adf.ts';
import type { AtlassianUser } from './atlassian-people.ts';

/** Whom a permission, a role or a security level names. The value is an id of a user, a group or a role. */
export interface JiraHolder {
  readonly type:
    | 'anyone'
    | 'applicationRole'
    | 'group'
    | 'user'
    | 'projectRole'
    | 'projectLead'
    | 'reporter'
    | 'assignee';
  readonly value?: string;
}
export interface JiraLevel {
  readonly id: string;
  readonly name: string;
  readonly holders: JiraHolder[];
}
export interface JiraScheme {
  readonly id: string;
  readonly name: string;
  readonly levels: JiraLevel[];
}
export interface JiraProject {
  readonly id: string;
  key: string;
  name: string;
  description: string;
  readonly lead: AtlassianUser;
  state: 'live' | 'archived' | 'deleted';
  /** These may browse the project. */
  browse: JiraHolder[];
  /** The key is the id of a role. */
  readonly roles: Map<string, JiraHolder[]>;
  scheme: JiraScheme | null;
  lastNumber: number;
}
export interface JiraIssue {
  readonly id: string;
  key: string;
  /** The issue is found by its earlier keys, too. */
  readonly earlierKeys: string[];
  project: JiraProject;
  type: string;
  summary: string;
  description: AdfDocument | null;
  status: string;
  priority: string | null;
  labels: string[];
  reporter: AtlassianUser | null;
  assignee: AtlassianUser | null;
  readonly createdAt: number;
  updatedAt: number;
  dueDate: string | null;
  parent: JiraIssue | null;
  /** The issue blocks these. */
  readonly blocks: Set<string>;
  level: JiraLevel | null;
}
export interface JiraComment {
  readonly id: string;
  readonly issueId: string;
  body: AdfDocument;
  readonly author: AtlassianUser;
  readonly createdAt: number;
  updatedAt: number;
  /** Only members of the group or role see the comment. The value is the id, which the answer may not have. */
  visibility: {
    readonly type: 'group' | 'role';
    readonly value: string;
    readonly hasNoId?: boolean;
  } | null;
}
export interface JiraAttachment {
  readonly id: string;
  readonly issueId: string;
  readonly name: string;
  readonly type: string;
  content: string | Buffer;
  readonly author: AtlassianUser;
  readonly createdAt: number;
}
