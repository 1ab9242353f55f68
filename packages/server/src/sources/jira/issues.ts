/** Yields the records of an issue: itself, its comments and its attachments. */

import { SourceError } from '../../errors.ts';
import type { AdfNode } from '../atlassian/adf.ts';
import type { AdfNames } from '../atlassian/adf-inline.ts';
import type { SourceItem } from '../items.ts';
import { part } from '../kit/listing.ts';
import { numbered } from '../kit/numbered.ts';
import type { JiraAccess } from './access.ts';
import {
  CommentPage,
  type JiraComment,
  type JiraDocument,
  type JiraIssue,
  type JiraProject,
} from './answer.ts';
import { attachmentStub } from './files.ts';
import type { JiraPeople } from './people.ts';
import type { JiraSite } from './reader.ts';
import { type IssuePlace, ofComment, ofIssueItem, partOfIssue } from './records.ts';

const MOST_COMMENTS = 100;

/** Everything that a pull reads with. */
export interface JiraReader {
  readonly site: JiraSite;
  readonly home: string;
  readonly people: JiraPeople;
  readonly access: JiraAccess;
}
export type JiraItems<Result = void> = AsyncGenerator<SourceItem, Result, void>;

export async function* itemsOf(
  reader: JiraReader,
  project: JiraProject,
  issue: JiraIssue,
): JiraItems {
  const access = await reader.access.ofIssue(project, issue);
  const place: IssuePlace = { project, home: reader.home, issue, access };
  const { description, environment } = issue.fields;
  yield ofIssueItem(place, await namesIn(reader, [description, environment]));
  yield* part(partOfIssue(project, issue), belowIssue(reader, place));
}

async function* belowIssue(reader: JiraReader, place: IssuePlace): JiraItems {
  const { project, issue, access: ofIssue } = place;
  for (const attachment of issue.fields.attachment ?? [])
    yield attachmentStub(place, attachment, reader.site.api);
  for (const comment of await commentsOf(reader.site, issue)) {
    const access = await reader.access.ofComment(project, comment, ofIssue);
    const names = await namesIn(reader, [comment.body]);
    yield ofComment({ ...place, access }, comment, names);
  }
}

/** A search shows only some of many comments. */
async function commentsOf(
  site: JiraSite,
  { id, fields }: JiraIssue,
): Promise<readonly JiraComment[]> {
  const { comments, total } = fields.comment;
  if (comments.length >= total && comments.length < FEW_COMMENTS) return comments;
  const path = `issue/${encodeURIComponent(id)}/comment`;
  return numbered(
    async (startAt) => {
      const query = { startAt, maxResults: MOST_COMMENTS, orderBy: 'created' };
      const page = await site.ask({ path, query }, CommentPage);
      const { comments, startAt: first, maxResults, total } = page;
      if (startAt === 0 && comments.length === 0 && total > 0)
        throw new SourceError(
          'skip',
          'Jira lists none of the comments, and says that there are some',
        );
      // The total alone may lie, and a page may be short because it hides some comments.
      const isEnd = comments.length < maxResults && startAt + comments.length >= total;
      return { values: comments, startAt: first, ...(isEnd && { isLast: true }) };
    },
    (comment) => comment.id,
  );
}
/** A total that lies may say that so many comments are all of an issue, so the list of comments is asked. */
const FEW_COMMENTS = 20;

/** Asks for the people of the site only when a mention does not tell a name. */
async function namesIn(
  { people }: JiraReader,
  documents: readonly JiraDocument[],
): Promise<AdfNames> {
  if (!documents.some((one) => one !== null && typeof one !== 'string' && hasNameless(one)))
    return () => '';
  const known = await people.all();
  return (accountId) => known.get(accountId)?.displayName ?? '';
}

const hasNameless = ({ type, attrs, content }: AdfNode): boolean =>
  (type === 'mention' && !attrs.text) || content.some(hasNameless);
