/** The contract of Linear: the fields, arguments and filters of its GraphQL schema that the source uses. */
import type { GraphqlContract } from '../contract.ts';

export const LINEAR = {
  title: 'Linear GraphQL schema',
  origin: {
    address: 'https://github.com/linear/linear/blob/master/packages/sdk/src/schema.graphql',
    date: '2026-07-22',
    license: 'MIT',
    file: 'linear.graphql',
  },
  selection: {
    Comment: 'body createdAt id issue updatedAt url user',
    CommentCollectionFilter: 'some',
    CommentConnection: 'nodes pageInfo',
    CommentFilter: 'issue updatedAt',
    DateComparator: 'gt gte',
    Document:
      'archivedAt content createdAt creator id issue project team title trashed updatedAt url',
    DocumentConnection: 'nodes pageInfo',
    DocumentFilter: 'and issue or project team updatedAt',
    IDComparator: 'eq',
    Issue:
      'archivedAt assignee comments(first) createdAt description dueDate id identifier labels(after first) parent priorityLabel project state team title trashed updatedAt url',
    IssueConnection: 'nodes pageInfo',
    IssueFilter: 'archivedAt comments or team updatedAt',
    IssueIDComparator: 'in',
    IssueLabel: 'name',
    IssueLabelConnection: 'nodes pageInfo',
    NullableDateComparator: 'gte',
    NullableIssueFilter: 'id',
    NullableTeamFilter: 'key',
    Organization: 'id urlKey',
    PageInfo: 'endCursor hasNextPage',
    Project:
      'archivedAt content createdAt description id lead name status teams(after first) trashed updatedAt url',
    ProjectConnection: 'nodes pageInfo',
    ProjectFilter: 'accessibleTeams updatedAt',
    ProjectStatus: 'name',
    Query:
      'comments(after filter includeArchived) documents(after filter first includeArchived orderBy) issue(id) issues(after filter first includeArchived orderBy) organization project(id) projects(after filter first includeArchived orderBy) teamMemberships(after) teams(after filter includeArchived) viewer',
    StringComparator: 'containsIgnoreCase in',
    Team: 'id key name visibility',
    TeamCollectionFilter: 'some',
    TeamConnection: 'nodes pageInfo',
    TeamFilter: 'id key name or',
    TeamMembership: 'team user',
    TeamMembershipConnection: 'nodes pageInfo',
    User: 'active email',
    WorkflowState: 'name',
  },
} as const satisfies GraphqlContract;
