/**
 * Lists the people of an organization by the Directory API of Google Workspace
 * (https://developers.google.com/workspace/admin/directory/reference/rest/v1), which only administrators may use.
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Http } from '../kit/http.ts';
import { pages } from '../kit/listing.ts';

export const DIRECTORY = 'https://admin.googleapis.com';
export const USERS_SCOPE = 'https://www.googleapis.com/auth/admin.directory.user.readonly';

/** The kind is always there, so an answer without it is not a list of nobody. */
const Users = z.object({
  kind: z.literal('admin#directory#users'),
  users: z.array(z.object({ primaryEmail: z.string() })).default([]),
  nextPageToken: z.string().optional(),
});
export interface DirectoryList<Page> {
  readonly path: string;
  readonly schema: z.ZodType<Page>;
  readonly query: Readonly<Record<string, string | number>>;
}

export const USERS: DirectoryList<z.infer<typeof Users>> = {
  path: 'users',
  schema: Users,
  query: {
    customer: 'my_customer',
    maxResults: 500,
    fields: 'kind,nextPageToken,users(primaryEmail)',
  },
};

/** Throws when there is nobody, because the administrator who asks is one of the people. */
export async function peopleOf(http: Http): Promise<string[]> {
  const emails: string[] = [];
  for await (const { users } of listOf(http, USERS))
    emails.push(...users.map(({ primaryEmail }) => primaryEmail));
  if (emails.length > 0) return emails;
  throw new SourceError('fatal', 'Google lists no people of the organization');
}

export async function* listOf<Page extends { readonly nextPageToken?: string | undefined }>(
  http: Http,
  list: DirectoryList<Page>,
): AsyncGenerator<Page, void, void> {
  for await (const { page } of pages(null, (token: string | null) => pageOf(http, list, token)))
    yield page;
}

export async function pageOf<Page extends { readonly nextPageToken?: string | undefined }>(
  http: Http,
  { path, schema, query }: DirectoryList<Page>,
  pageToken: string | null,
) {
  const request = {
    path: `${DIRECTORY}/admin/directory/v1/${path}`,
    query: { ...query, pageToken: pageToken ?? undefined },
  };
  const { value } = await http.json(request, schema);
  return { page: value, next: value.nextPageToken };
}
