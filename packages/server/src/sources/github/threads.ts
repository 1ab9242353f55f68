/** Lists issues and pull requests with their comments. */
import type { Entity } from '../../model/entity.ts';
import { listed, type SourceItem, upsert } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { part } from '../kit/listing.ts';
import { Comment, IssueAnswer, ReviewComment } from './answers.ts';
import type { CopiedKind } from './config.ts';
import {
  commentEntity,
  isOnPullRequest,
  issueEntity,
  numberIn,
  reviewCommentEntity,
} from './entities.ts';
import { changed, linked, placeSince } from './lists.ts';
import { type Chosen, type GitHubItems, issuesOf, threadOf } from './repository.ts';

export interface Threads {
  readonly http: Http;
  readonly chosen: Chosen;
  readonly kinds: readonly CopiedKind[];
}

export const STEPS = ['issues', 'comments', 'review_comments'] as const;
export interface ThreadPlace {
  readonly step: (typeof STEPS)[number];
  /** The place is null at the beginning of the step. */
  readonly place: string | null;
}
export const START: ThreadPlace = { step: 'issues', place: null };

interface ListingWay {
  readonly from: ThreadPlace;
  /** Only a full pull has this function. It makes the bookmark at which the pull can go on. */
  readonly mark?: ((place: ThreadPlace) => SourceItem) | undefined;
}

/**
 * Yields all issues and pull requests, and then all comments, from a place on. A full pull yields `listed` for a thread
 * before the comments of the thread. This is safe, because `listed` counts only when the pull has ended. An error
 * before that ends the pull, or makes all threads count as lost.
 */
export async function* allThreads(threads: Threads, { from, mark }: ListingWay): GitHubItems {
  if (!hasThreads(threads)) return;
  const isFull = mark !== undefined;
  for (const step of STEPS.slice(STEPS.indexOf(from.step))) {
    const place = step === from.step ? from.place : null;
    if (mark && place === null) yield mark({ step, place });
    for await (const { items, next } of pagesOf(threads, step, { place, isFull })) {
      yield* items;
      if (mark && next !== null) yield mark({ step, place: next });
    }
  }
}

/**
 * Yields what has changed since a time. GitHub does not report deletions. So all comments of every changed issue or
 * pull request are listed, which shows which of them were deleted. A full pull finds the other deletions.
 */
export async function* changedThreads(threads: Threads, since: string): GitHubItems {
  if (!hasThreads(threads)) return;
  const place = placeSince(since);
  for await (const { page } of issuePages(threads, place))
    for (const issue of page) {
      yield issueItem(threads, issue);
      yield* part(threadOf(threads.chosen, issue.number), thread(threads, issue));
    }
  for (const step of STEPS.slice(1))
    for await (const { items } of pagesOf(threads, step, { place, isFull: false })) yield* items;
}

const hasThreads = ({ kinds }: Threads): boolean => kinds.some((kind) => kind !== 'files');

interface StepPage {
  readonly items: readonly SourceItem[];
  readonly next: string | null;
}

async function* pagesOf(
  threads: Threads,
  step: ThreadPlace['step'],
  { place, isFull }: { readonly place: string | null; readonly isFull: boolean },
): AsyncGenerator<StepPage, void, void> {
  const { chosen } = threads;
  if (step === 'issues')
    for await (const { page, next } of issuePages(threads, place))
      yield {
        items: page.flatMap((issue) => [
          issueItem(threads, issue),
          ...(isFull ? [listed(threadOf(chosen, issue.number))] : []),
        ]),
        next,
      };
  else if (step === 'comments')
    for await (const { page, next } of changed(
      threads.http,
      requestOf(threads, 'issues/comments'),
      {
        schema: Comment,
        from: place,
      },
    ))
      yield { items: page.flatMap((comment) => commentItem(threads, comment)), next };
  else if (threads.kinds.includes('pull_requests'))
    for await (const { page, next } of changed(threads.http, requestOf(threads, 'pulls/comments'), {
      schema: ReviewComment,
      from: place,
    }))
      yield { items: page.map((comment) => reviewItem(threads, comment)), next };
}

/** Yields pages of issues and pull requests, without the kind that the connection does not copy. */
async function* issuePages(threads: Threads, from: string | null) {
  const { kinds, http } = threads;
  const request = { ...requestOf(threads, 'issues'), query: { state: 'all' } };
  for await (const { page, next } of changed(http, request, { schema: IssueAnswer, from }))
    yield { page: page.filter(({ pull_request }) => kinds.includes(kindOf(!!pull_request))), next };
}

/** Yields the comments of one issue or pull request. */
async function* thread(
  threads: Threads,
  { number, comments, pull_request }: IssueAnswer,
): GitHubItems {
  const { http } = threads;
  if (comments > 0)
    for await (const { items } of linked(
      http,
      requestOf(threads, `issues/${number}/comments`),
      Comment,
    ))
      yield* items.flatMap((comment) => commentItem(threads, comment));
  if (pull_request)
    for await (const { items } of linked(
      http,
      requestOf(threads, `pulls/${number}/comments`),
      ReviewComment,
    ))
      yield* items.map((comment) => reviewItem(threads, comment));
}

const requestOf = ({ chosen }: Threads, path: string) => ({
  path: `repos/${chosen.repository.full_name}/${path}`,
});

const kindOf = (isPullRequest: boolean): CopiedKind => (isPullRequest ? 'pull_requests' : 'issues');

const issueItem = ({ chosen }: Threads, issue: IssueAnswer): SourceItem =>
  item(issueEntity(chosen.repository, issue), issuesOf(chosen), issue);

const commentItem = ({ chosen, kinds }: Threads, comment: Comment): SourceItem[] =>
  kinds.includes(kindOf(isOnPullRequest(comment)))
    ? [
        item(
          commentEntity(chosen.repository, comment),
          threadOf(chosen, numberIn(comment.issue_url)),
          comment,
        ),
      ]
    : [];

const reviewItem = ({ chosen }: Threads, comment: ReviewComment): SourceItem =>
  item(
    reviewCommentEntity(chosen.repository, comment),
    threadOf(chosen, numberIn(comment.pull_request_url)),
    comment,
  );

const item = (entity: Entity, partition: string, { updated_at }: { updated_at: string }) =>
  upsert(entity, { partition, version: updated_at });
