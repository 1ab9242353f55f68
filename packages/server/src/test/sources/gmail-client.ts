/** Opens Google's own client of Gmail, whose requests go to a fake on this machine. */
import assert from 'node:assert/strict';
import { type auth, gmail, type gmail_v1 } from '@googleapis/gmail';
import { importPKCS8, SignJWT } from 'jose';
import type { GmailPeer } from './gmail-peer.ts';

/** No fake of a test has as many entries in a listing. */
const MOST_ROWS = 1000;

type GmailFake = Pick<GmailPeer, 'peer' | 'serviceAccount'>;
export type GmailClient = ReturnType<typeof openGmailClient>;

/** Returns an access token of the service account, which acts for the person or for itself. */
export async function tokenFor(
  { serviceAccount }: GmailFake,
  subject: string | undefined,
  scopes: readonly string[],
): Promise<{ access_token?: string; error?: string }> {
  const { client_email, private_key, token_uri } = JSON.parse(serviceAccount);
  const jwt = new SignJWT({ scope: scopes.join(' '), ...(subject && { sub: subject }) })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(client_email)
    .setAudience(token_uri)
    .setIssuedAt()
    .setExpirationTime('1h');
  const assertion = await jwt.sign(await importPKCS8(private_key, 'RS256'));
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  const body = new URLSearchParams({ grant_type, assertion });
  const answer = await fetch(token_uri, { method: 'POST', body });
  return answer.json() as Promise<{ access_token?: string; error?: string }>;
}

/** The client asks once, so a test sees each refusal. `one` signs the requests. */
export function openGmailClient({ peer }: GmailFake, one: InstanceType<typeof auth.OAuth2>) {
  const { users } = gmail({ version: 'v1', rootUrl: `${peer.baseUrl}/`, auth: one, retry: false });
  const userId = 'me';

  /** Follows the tokens of pages. */
  async function all<Page extends { nextPageToken?: string | null }, Row>(
    ask: (pageToken: string | undefined) => Promise<{ data: Page }>,
    rowsOf: (page: Page) => readonly Row[] | undefined,
  ): Promise<Row[]> {
    const rows: Row[] = [];
    for (let token: string | undefined; ; ) {
      const { data } = await ask(token);
      rows.push(...(rowsOf(data) ?? []));
      assert.ok(rows.length < MOST_ROWS, 'the listing does not end');
      if (!data.nextPageToken) return rows;
      token = data.nextPageToken;
    }
  }
  const within = (pageToken: string | undefined) => ({ userId, ...(pageToken && { pageToken }) });

  return {
    users,
    profile: async () => (await users.getProfile({ userId })).data,
    messages: (given: gmail_v1.Params$Resource$Users$Messages$List = {}) =>
      all(
        (token) => users.messages.list({ ...given, ...within(token) }),
        ({ messages }) => messages,
      ),
    threads: (given: gmail_v1.Params$Resource$Users$Threads$List = {}) =>
      all(
        (token) => users.threads.list({ ...given, ...within(token) }),
        ({ threads }) => threads,
      ),
    history: (startHistoryId: string, given: gmail_v1.Params$Resource$Users$History$List = {}) =>
      all(
        (token) => users.history.list({ ...given, startHistoryId, ...within(token) }),
        ({ history }) => history,
      ),
    message: async (id: string, given: gmail_v1.Params$Resource$Users$Messages$Get = {}) =>
      (await users.messages.get({ userId, id, ...given })).data,
    thread: async (id: string) => (await users.threads.get({ userId, id })).data,
    labels: async () => (await users.labels.list({ userId })).data.labels ?? [],
    label: async (id: string) => (await users.labels.get({ userId, id })).data,
    async attachment(messageId: string, id: string): Promise<Buffer> {
      const { data } = await users.messages.attachments.get({ userId, messageId, id });
      return Buffer.from(data.data ?? '', 'base64url');
    },
  };
}

/** Returns the part and all parts in it. */
export const partsOf = (part: gmail_v1.Schema$MessagePart = {}): gmail_v1.Schema$MessagePart[] => [
  part,
  ...(part.parts ?? []).flatMap(partsOf),
];

/** Returns the texts of a message, each with the place of its part. Files are fetched. */
export async function textsIn(client: GmailClient, message: gmail_v1.Schema$Message) {
  const texts = new Map<string, string>();
  for (const { partId, body } of partsOf(message.payload)) {
    const { attachmentId, data } = body ?? {};
    const bytes = attachmentId
      ? await client.attachment(message.id ?? '', attachmentId)
      : Buffer.from(data ?? '', 'base64url');
    if (bytes.length > 0) texts.set(partId ?? '', bytes.toString());
  }
  return texts;
}
