/** Runs the shared suites of a source of the cloud against the fake of Notion. */
import { createHash } from 'node:crypto';
import { notion } from '../../sources/catalog/notion.ts';
import { testCloudSource } from './cloud-suite.ts';
import { testSource } from './harness.ts';
import { type NotionCompany, type NotionRecord, openNotionCompany } from './notion-company.ts';

async function open(): Promise<NotionCompany> {
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

testCloudSource(notion, open);

testSource(notion, async () => {
  const { peer, credentials } = await open();
  return {
    credentials,
    operatorBaseUrl: peer.baseUrl,
    close: peer.close,
    wrong: [
      {
        name: 'secret',
        credentials: { api_key: 'no' },
        kind: 'auth',
        says: /API token is invalid/,
      },
    ],
  };
});
