/** The records of a site of Jira, as the fake keeps them. */
import type { AdfDocument } from './atlassian-adf.ts';

export interface JiraUser {
  readonly accountId: string;
  name: string;
  /** The address is null when the person hides it. */
  email: string | null;
  timeZone: string;
  isActive: boolean;
  readonly type: 'atlassian' | 'app';
}
export interface JiraGroup {
  readonly id: string;
  name: string;
  readonly members: Set<string>;
}
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
  readonly lead: JiraUser;
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
  reporter: JiraUser | null;
  assignee: JiraUser | null;
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
  readonly author: JiraUser;
  readonly createdAt: number;
  updatedAt: number;
  /** Only members of the group or role see the comment. The value is the id. */
  visibility: { readonly type: 'group' | 'role'; readonly value: string } | null;
}
export interface JiraAttachment {
  readonly id: string;
  readonly issueId: string;
  readonly name: string;
  readonly type: string;
  content: string | Buffer;
  readonly author: JiraUser;
  readonly createdAt: number;
}
