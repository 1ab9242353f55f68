/** Says which records the source makes of the company in Notion. */
import { createHash } from 'node:crypto';
import { type NotionCompany, type NotionRecord, openNotionCompany } from './notion-company.ts';

export async function openNotionCloud(): Promise<NotionCompany> {
  const company: NotionCompany = await openNotionCompany({ recordId });
  return company;

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
