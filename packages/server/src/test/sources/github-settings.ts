/** Settings of the fake of GitHub's REST API: how much its lists show, and what they leave out. */
export type GitHubSettings = ReturnType<typeof usualGitHubSettings>;

export const usualGitHubSettings = () => ({
  /** A recursive listing of a tree has at most this many entries. */
  treeLimit: 100_000,
  /** GitHub says in this header that it leaves something out. */
  sso: null as string | null,
  /** If true, the lists of an owner have only the properties that the document requires. */
  listsLess: false,
  /** If true, a list of changes does not have those of the time `since` itself. */
  isAfterSince: false,
  /** A page has at most this many items, even when a request asks for more. */
  pageLimit: 100,
  /** If true, there is an empty page before each page. */
  emptyPages: false,
});
