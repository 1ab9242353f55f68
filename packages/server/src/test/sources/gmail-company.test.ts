/** Tests by Google's own client that the company of Gmail shows each change that its record of expectations tells. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auth } from '@googleapis/gmail';
import { must } from '../../util.ts';
import { type GmailClient, openGmailClient, textsIn, tokenFor } from './gmail-client.ts';
import { type GmailCompany, type GmailCompanyOptions, openGmailCompany } from './gmail-company.ts';
import { ANN, BOB } from './gmail-peer.ts';
import { GMAIL_READONLY } from './gmail-settings.ts';

const DIRECTORY = 'https://www.googleapis.com/auth/admin.directory.user.readonly';

async function clientOf(company: GmailCompany, subject: string): Promise<GmailClient> {
  const { access_token = '' } = await tokenFor(company, subject, [GMAIL_READONLY]);
  const one = new auth.OAuth2();
  one.setCredentials({ access_token });
  return openGmailClient(company, one);
}

/** Reads a mailbox once, and then only what the history tells. The key is the id of a message. */
class Reader {
  readonly texts = new Map<string, string>();
  historyId = '';
  readonly client: GmailClient;
  constructor(client: GmailClient) {
    this.client = client;
  }
  async look(id: string): Promise<void> {
    const message = await this.client.message(id).catch((error: { status: number }) => {
      assert.equal(error.status, 404);
    });
    const isShown =
      message && !message.labelIds?.some((one) => ['SPAM', 'TRASH', 'DRAFT'].includes(one));
    this.texts.delete(id);
    if (isShown) this.texts.set(id, [...(await textsIn(this.client, message)).values()].join('\n'));
  }
  async read(): Promise<this> {
    const now = must((await this.client.profile()).historyId);
    const ids =
      this.historyId === ''
        ? (await this.client.messages()).map(({ id }) => id)
        : (await this.client.history(this.historyId)).flatMap(({ messages = [] }) =>
            messages.map(({ id }) => id),
          );
    for (const id of new Set(ids)) await this.look(must(id));
    this.historyId = now;
    return this;
  }
}

async function openWith(
  t: { after: (end: () => unknown) => void },
  options: GmailCompanyOptions = {},
) {
  const company = await openGmailCompany(options);
  t.after(() => company.peer.close());
  return company;
}

function assertHeld({ expected }: GmailCompany, texts: ReadonlyMap<string, string>, what: string) {
  const ids = [...expected().keys()].map((id) => id.split('/')[0] ?? '');
  assert.deepEqual([...texts.keys()].toSorted(), [...new Set(ids)].toSorted(), what);
  for (const [id, word] of expected())
    assert.ok(texts.get(id.split('/')[0] ?? '')?.includes(word), `${what}: ${id} lacks ${word}`);
}

describe('the company of Gmail', () => {
  it('tells all changes by the history of one mailbox', async (t) => {
    const company = await openWith(t);
    const client = await clientOf(company, ANN);
    const patient = await new Reader(client).read();
    assertHeld(company, patient.texts, 'at first');
    const steps = [
      'edit',
      'edit',
      'edit',
      'edit',
      'edit',
      'add',
      'add',
      'shuffle',
      'remove',
      'remove',
      'remove',
      'removeMany',
      'removePart',
      'edit',
    ] as const;
    for (const [i, step] of steps.entries()) {
      const before = [...company.expected()];
      company[step]();
      assertHeld(company, (await patient.read()).texts, `${i} ${step}`);
      assertHeld(company, (await new Reader(client).read()).texts, `${i} ${step}, all`);
      const { size } = company.expected();
      if (step.startsWith('remove')) assert.ok(size < before.length, `${i} ${step}`);
      if (step === 'add') assert.ok(size > before.length, `${i} ${step}`);
    }
    company.forgetCursors();
    await assert.rejects(patient.read(), { status: 404 });
  });

  it('changes what a connector sees that copies drafts, the trash and threads', async (t) => {
    const company = await openWith(t, {
      recordId: ({ kind, messageId, partId }) => `${kind} ${messageId} ${partId ?? ''}`,
    });
    const before = company.expected();
    company.edit();
    const after = company.expected();
    const drafts = [...after].filter(([id, word]) => before.get(id) !== word);
    assert.deepEqual(
      drafts.map(([id]) => id.split(' ')[0]),
      ['message'],
    );
    assert.equal(after.size, before.size);
    for (let i = 0; i < 24; i++) company.shuffle();
    const words = [...company.expected().values()];
    assert.equal(new Set(words).size, words.length);
  });

  it('has other ids than other companies, and nothing of Bob', async (t) => {
    const [one, other] = [await openWith(t), await openWith(t)];
    const ids = new Set(one.expected().keys());
    assert.ok([...other.expected().keys()].every((id) => !ids.has(id)));
    const third = await openWith(t, { recordId: ({ mailbox }) => mailbox });
    assert.deepEqual([...third.expected().keys()], [ANN]);
    assert.equal('forbidPart' in one, false);
  });

  it('has a directory of an organization, whose people come, are refused and leave', async (t) => {
    const company = await openWith(t, { isOrganization: true });
    const [ann, bob] = [await clientOf(company, ANN), await clientOf(company, BOB)];
    const [mine, bobs] = [await new Reader(ann).read(), await new Reader(bob).read()];
    const texts = () => new Map([...mine.texts, ...bobs.texts]);
    assertHeld(company, texts(), 'at first');
    for (let i = 0; i < 4; i++) {
      company.add();
      company.edit();
      await Promise.all([mine.read(), bobs.read()]);
      assertHeld(company, texts(), `add ${i}`);
    }
    const people = async () => {
      const { access_token } = await tokenFor(company, ANN, [DIRECTORY]);
      const url = `${company.peer.baseUrl}/admin/directory/v1/users?customer=my_customer`;
      const headers = { authorization: `Bearer ${access_token}`, 'user-agent': 'test' };
      const { users } = (await (await fetch(url, { headers })).json()) as {
        users: { primaryEmail: string }[];
      };
      return users.map(({ primaryEmail }) => primaryEmail);
    };
    assert.deepEqual(await people(), [ANN, BOB]);
    company.forbidPart?.();
    await assert.rejects(bobs.read(), { status: 403 });
    for (let i = 0; i < 8; i++) company.shuffle();
    assertHeld(company, new Map([...(await mine.read()).texts, ...bobs.texts]), 'without Bob');
    company.settings.forbidden.clear();
    company.removePart();
    assertHeld(company, mine.texts, 'Bob has left');
    assert.deepEqual(await people(), [ANN]);
    assert.equal((await tokenFor(company, BOB, [GMAIL_READONLY])).error, 'invalid_grant');
    await assert.rejects(bobs.read(), { status: 400 });
  });
});
