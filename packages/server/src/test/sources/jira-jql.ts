/**
 * Reads a part of JQL (https://support.atlassian.com/jira-software-cloud/docs/jql-fields/): project, issuekey, created and
 * updated, with AND, OR, NOT and brackets, and ORDER BY. A time is in the time zone of the user and has no seconds. What Jira
 * refuses is refused with its sentence; what Jira allows and the fake does not know is an error of the fake.
 */
import { COMPARES, instantOf, refuseQuery as refuse, tokensOf } from './atlassian-query.ts';
import type { JiraIssue, JiraProject } from './jira-records.ts';

type Place = readonly (string | number)[];
type Holds = (issue: JiraIssue) => boolean;
export interface Jql {
  readonly holds: Holds;
  /** The place of an issue in the order of the results. */
  readonly placeOf: (issue: JiraIssue) => Place;
  readonly compare: (one: Place, other: Place) => number;
  /** The projects that the query names. */
  readonly projects: readonly JiraProject[];
}
export interface JqlReader {
  /** Returns the project with this id, key or name that the user may browse. */
  readonly projectOf: (text: string) => JiraProject | undefined;
  readonly issueOf: (text: string) => JiraIssue | undefined;
  readonly timeZone: string;
  /** The time is in milliseconds since 1970. */
  readonly now: number;
}

const TIMES: Readonly<Record<string, (issue: JiraIssue) => number>> = {
  updated: ({ updatedAt }) => updatedAt,
  updateddate: ({ updatedAt }) => updatedAt,
  created: ({ createdAt }) => createdAt,
  createddate: ({ createdAt }) => createdAt,
};
const KEYS = ['key', 'issuekey', 'issue', 'id'];
export function readJql(jql: string, reader: JqlReader): Jql {
  const tokens = tokensOf(jql);
  let at = 0;
  const projects: JiraProject[] = [];
  const word = () => tokens[at]?.toLowerCase();
  const next = () => tokens[at++] ?? refuse('Error in the JQL Query: The query ends too early.');
  const take = (wanted: string) => word() === wanted && ++at > 0;
  const text = () =>
    next()
      .replace(/^(["'])(.*)\1$/s, '$2')
      .replaceAll(/\\(.)/g, '$1');

  function any(): Holds {
    const parts = [all()];
    while (take('or')) parts.push(all());
    return (issue) => parts.some((part) => part(issue));
  }
  function all(): Holds {
    const parts = [clause()];
    while (take('and')) parts.push(clause());
    return (issue) => parts.every((part) => part(issue));
  }
  function clause(): Holds {
    if (take('not')) {
      const inner = clause();
      return (issue) => !inner(issue);
    }
    if (take('(')) {
      const inner = any();
      if (!take(')')) refuse(`Error in the JQL Query: Expecting ')' but got '${tokens[at]}'.`);
      return inner;
    }
    const field = text().toLowerCase();
    const isNot = take('not');
    const operator = next().toLowerCase();
    const values = operator === 'in' ? list() : [text()];
    if (field === 'project') return ofProject(`${isNot ? 'not ' : ''}${operator}`, values);
    const time = TIMES[field];
    if (!time && !KEYS.includes(field))
      throw new Error(`the fake of Jira does not know the field ${field} in JQL`);
    const compare = COMPARES[operator];
    if (time && compare) {
      const instant = instantOf(field, values[0] ?? '', reader);
      return (issue) => compare(time(issue), instant);
    }
    if (!time) return ofKeys(`${isNot ? 'not ' : ''}${operator}`, values);
    throw new Error(`the fake of Jira does not know ${operator} for ${field} in JQL`);
  }
  function list(): string[] {
    if (!take('(')) refuse(`Error in the JQL Query: Expecting '(' but got '${tokens[at]}'.`);
    const values = [text()];
    while (take(',')) values.push(text());
    if (!take(')')) refuse(`Error in the JQL Query: Expecting ')' but got '${tokens[at]}'.`);
    return values;
  }
  function ofProject(operator: string, values: readonly string[]): Holds {
    const found = values.map(
      (value) =>
        reader.projectOf(value) ??
        refuse(`The value '${value}' does not exist for the field 'project'.`),
    );
    projects.push(...found);
    if (operator === 'in' || operator === '=') return ({ project }) => found.includes(project);
    if (operator === 'not in' || operator === '!=')
      return ({ project }) => !found.includes(project);
    return refuse(`The operator '${operator}' is not supported by the 'project' field.`);
  }
  function ofKeys(operator: string, values: readonly string[]): Holds {
    const found = values.map(
      (value) =>
        reader.issueOf(value) ??
        refuse(`An issue with key '${value}' does not exist for field 'issuekey'.`),
    );
    if (operator === 'in') return (issue) => found.includes(issue);
    if (operator === 'not in') return (issue) => !found.includes(issue);
    const [one] = found;
    const compare = COMPARES[operator];
    // Keys are compared by their numbers, within the project of the key.
    return (issue) =>
      one !== undefined &&
      issue.project === one.project &&
      !!compare?.(numberOf(issue), numberOf(one));
  }

  const isBounded = tokens.length > 0 && word() !== 'order';
  if (!isBounded)
    refuse(
      'Unbounded JQL queries are not allowed here. Please add a search restriction to your query.',
    );
  const holds = any();
  const orders: { read: (issue: JiraIssue) => string | number; sign: number }[] = [];
  if (take('order')) {
    if (!take('by')) refuse("Error in the JQL Query: Expecting 'by'.");
    do {
      const field = text().toLowerCase();
      const direction = word();
      if (direction === 'asc' || direction === 'desc') at++;
      const sign = direction === 'desc' ? -1 : 1;
      if (KEYS.includes(field))
        orders.push({ read: ({ project }) => project.key, sign }, { read: numberOf, sign });
      else orders.push({ read: TIMES[field] ?? unknown(field), sign });
    } while (take(','));
  }
  if (at < tokens.length)
    refuse(`Error in the JQL Query: Expecting either 'OR' or 'AND' but got '${tokens[at]}'.`);
  // Jira does not say in which order issues with equal values come.
  orders.push({ read: ({ id }) => Number(id), sign: -1 });
  return {
    holds,
    projects,
    placeOf: (issue) => orders.map(({ read }) => read(issue)),
    compare(one, other) {
      for (const [i, { sign }] of orders.entries()) {
        const [a = 0, b = 0] = [one[i], other[i]];
        if (a !== b) return a < b ? -sign : sign;
      }
      return 0;
    },
  };
}

const numberOf = ({ key }: JiraIssue): number => Number(key.split('-')[1]);
const unknown = (field: string): never => {
  throw new Error(`the fake of Jira does not order by ${field}`);
};
