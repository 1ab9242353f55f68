/** Says which records the source makes of the company in Notion. */
import { createHash } from 'node:crypto';
import { type NotionCompany, openNotionCompany } from './notion-company.ts';
import { MOST } from './notion-paging.ts';
import type { NotionRecord } from './notion-words.ts';

const FULL = {
  perGrowth: 2,
  why: 'Notion lists comments only of a page, and a comment does not change its page',
};

export async function openNotionCloud() {
  const company: NotionCompany = await openNotionCompany({ recordId });
  return { ...company, resync: { full: FULL, widen, grow: () => company.inPast(grow) } };

  function widen(): void {
    company.settings.largestPage = MOST;
  }
  function grow(): void {
    const page = company.addPage('Grown', company.handbook.id);
    company.addComment(page);
    company.addFile(page, 'grown.md');
    company.addComment(company.addRow(company.tasks, 'Grown row'));
  }

  /** The source makes no records of comments on blocks. */
  function recordId({ kind, id, pageId }: NotionRecord): string | null {
    const { comments, files } = company.world;
    if (kind === 'comment') return comments.get(id)?.on === pageId ? id : null;
    if (kind !== 'file_of_property') return id;
    const name = files.get(id)?.name;
    const address = [company.peer.baseUrl, `/secure-files/${id}/${name}`, name, ''];
    const digest = createHash('sha256').update(JSON.stringify(address)).digest('base64url');
    return `${pageId}/${digest.slice(0, 22)}`;
  }
}
