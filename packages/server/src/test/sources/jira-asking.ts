/** Reads the fake of Jira with jira.js, page by page. */
import assert from 'node:assert/strict';
import { createCloudClient } from 'jira.js';
import { ATLASSIAN_API_TOKEN, ATLASSIAN_EMAIL } from './atlassian-gate.ts';
import type { JiraRow } from './jira-refusal.ts';

export type JiraAsking = ReturnType<typeof askJira>;

/** The path leads to the gateway. Without it, the client asks the site. */
export const jiraClient = (
  baseUrl: string,
  { apiToken = ATLASSIAN_API_TOKEN, token = '', path = '' } = {},
) =>
  createCloudClient({
    host: `${baseUrl}${path}`,
    auth: token ? { type: 'bearer', token } : { type: 'basic', email: ATLASSIAN_EMAIL, apiToken },
    onSchemaMismatch: 'throw',
  });

export function askJira(baseUrl: string) {
  const jira = jiraClient(baseUrl);
  async function searched(jql: string, values: JiraRow = {}): Promise<JiraRow[]> {
    const found: JiraRow[] = [];
    let nextPageToken: string | undefined;
    do {
      const page: JiraRow = await jira.issueSearch.searchAndReconsileIssuesUsingJql({
        jql,
        fields: ['*all'],
        ...(nextPageToken && { nextPageToken }),
        ...values,
      });
      found.push(...page.issues);
      assert.equal(page.isLast, page.nextPageToken === undefined);
      nextPageToken = page.nextPageToken;
    } while (nextPageToken);
    return found;
  }
  const keys = async (jql: string) => (await searched(jql)).map(({ key }) => key);
  async function numbered(read: (startAt: number) => Promise<JiraRow>): Promise<any[]> {
    const found: unknown[] = [];
    for (;;) {
      const page = await read(found.length);
      const items = page.values ?? page.comments;
      found.push(...items);
      if (page.isLast ?? found.length >= page.total) return found;
      assert.ok(items.length > 0);
    }
  }
  const projects = () =>
    numbered((startAt) => jira.projects.searchProjects({ startAt, expand: 'description,lead' }));
  const commentsOf = (issueIdOrKey: string) =>
    numbered((startAt) => jira.issueComments.getComments({ issueIdOrKey, startAt }));

  return { jira, searched, keys, numbered, projects, commentsOf };
}

/** Fails unless the client was refused with this status, and with a body that matches. */
export const refusedWith = (status: number, message: RegExp) => (thrown: any) => {
  assert.equal(thrown.status, status, thrown.message);
  assert.match(JSON.stringify(thrown.body), message);
  return true;
};
