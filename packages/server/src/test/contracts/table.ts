/** The table of all contracts. The name of a contract is that of its digest. */
import type { GraphqlContract, HttpContract } from './contract.ts';
import { CONFLUENCE, CONFLUENCE_V1, JIRA } from './vendors/atlassian.ts';
import { DISCOURSE } from './vendors/discourse.ts';
import { GITHUB } from './vendors/github.ts';
import { GMAIL, GOOGLE_DIRECTORY, GOOGLE_DRIVE } from './vendors/google.ts';
import { INTERCOM } from './vendors/intercom.ts';
import { LINEAR } from './vendors/linear.ts';
import { MICROSOFT_GRAPH } from './vendors/microsoft-graph.ts';
import { NOTION, NOTION_CLIENT } from './vendors/notion.ts';
import { OUTLINE } from './vendors/outline.ts';
import { SLACK } from './vendors/slack.ts';

export const HTTP_CONTRACTS = {
  confluence: CONFLUENCE,
  'confluence-v1': CONFLUENCE_V1,
  discourse: DISCOURSE,
  github: GITHUB,
  gmail: GMAIL,
  'google-directory': GOOGLE_DIRECTORY,
  'google-drive': GOOGLE_DRIVE,
  intercom: INTERCOM,
  jira: JIRA,
  'microsoft-graph': MICROSOFT_GRAPH,
  notion: NOTION,
  'notion-client': NOTION_CLIENT,
  outline: OUTLINE,
  slack: SLACK,
} satisfies Readonly<Record<string, HttpContract>>;

export const GRAPHQL_CONTRACTS = {
  linear: LINEAR,
} satisfies Readonly<Record<string, GraphqlContract>>;

export const CONTRACTS = { ...HTTP_CONTRACTS, ...GRAPHQL_CONTRACTS };

export type HttpContractName = keyof typeof HTTP_CONTRACTS;
export type GraphqlContractName = keyof typeof GRAPHQL_CONTRACTS;
export type ContractName = HttpContractName | GraphqlContractName;
