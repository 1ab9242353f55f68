/** The settings of a fake of Jira, and the form in which it refuses. */
import type { AtlassianOddity } from './atlassian-oddities.ts';
import type { PeerRequest } from './cloud-peer.ts';
import type { JiraIssue } from './jira-records.ts';

/** Bodies of requests and answers have many forms. */
export type JiraRow = Record<string, any>;

export interface JiraSettings {
  /** A page of a listing has at most this many items, even when a request asks for more. */
  largestPage: number;
  /** An issue shows at most this many of its comments. The others have a listing of their own. */
  mostComments: number;
  /** The token of a next page is a place in the order, or the number of issues before it, so that pages shift. */
  paging: 'places' | 'numbers';
  /** Searches do not show the changes of these issues yet. The value is how the issue was. */
  readonly unindexed: Map<string, 'missing' | JiraIssue>;
  /** The account gets 403 for queries that name these projects, and for what stands below the projects. */
  readonly forbidden: Set<string>;
  /** Only administrators read schemes, members of groups and roles. */
  isAdministrator: boolean;
  /** Answers are odd in these ways, which the contract does not allow. */
  readonly odd: Set<AtlassianOddity>;
}

export class JiraRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
export const refuse = (status: number, message: string): never => {
  throw new JiraRefusal(status, message);
};
/** Returns the values of a request by name. A parameter that may come several times is a list. */
export function valuesOf({ url, body }: PeerRequest, lists: readonly string[]): JiraRow {
  const values: JiraRow = body ? JSON.parse(body) : {};
  for (const [name, value] of url.searchParams)
    if (lists.includes(name)) values[name] = [...(values[name] ?? []), value];
    else values[name] = value;
  return values;
}
