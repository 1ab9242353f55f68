/** Tests how an app and a person sign in to Microsoft, and which message a person gets for a refusal. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { outlookMail } from '../../sources/catalog/outlook-mail.ts';
import { sharepointOnline } from '../../sources/catalog/sharepoint-online.ts';
import { must } from '../../util.ts';
import { APP_CREDENTIALS, type GraphHouse, openGraphHouse, withLogin } from './graph-house.ts';
import { type GraphPeer, openGraph } from './graph-peer.ts';
import { GRAPH_CLIENT } from './graph-tokens.ts';

describe('the sign-in to Microsoft', () => {
  let graph: GraphPeer;
  let sharepoint: GraphHouse;
  let outlook: GraphHouse;
  before(async () => {
    graph = await openGraph();
    sharepoint = await openGraphHouse(sharepointOnline, graph, (one) => withLogin(one, graph));
    outlook = await openGraphHouse(outlookMail, graph, (one) => withLogin(one, graph));
    const site = graph.drives.addSite('Sales');
    const library = graph.drives.addDrive(site, 'Documents', {
      grants: [{ to: 'user', ids: [graph.directory.ann.id] }],
    });
    graph.drives.addFile(library, 'goals.md', 'the heron waits');
    const box = graph.mail.mailboxOf(graph.directory.ann);
    graph.mail.add(box, must(graph.mail.folderOf(box, 'inbox')), { body: 'the heron waits' });
  });
  after(async () => {
    await sharepoint.close();
    await outlook.close();
    await graph.peer.close();
  });
  const accountOf = async ({ quarry }: GraphHouse, id: string) =>
    (await quarry.ok('GET', `/v1/source-connections/${id}`)).auth.account;

  it('[AUTH-37] an app exchanges its secret for a token, and asks for one token for several syncs', async () => {
    for (const [house, account] of [
      [sharepoint, 'acme.sharepoint.example'],
      [outlook, 'an app of acme.example'],
    ] as const) {
      graph.login.requests.length = 0;
      const { id, having, sync } = await house.follow();
      assert.equal((await having('heron')).length, 1);
      assert.equal(await accountOf(house, id), account);
      await sync();
      // The check of a new connection asks for a token of its own.
      assert.ok(graph.login.requests.length <= 2, `${graph.login.requests.length} tokens`);
      const form = new URLSearchParams(graph.login.requests[0]?.body);
      assert.deepEqual(
        [form.get('grant_type'), form.get('scope')],
        ['client_credentials', 'https://graph.microsoft.com/.default'],
      );
      graph.tokens.endAccess();
      await sync();
    }
  });

  it('a wrong secret, tenant or client is refused with the words of Microsoft', async () => {
    for (const [wrong, says] of [
      [{ client_secret: 'wrong' }, /Invalid client secret provided/],
      [{ client_id: 'unknown' }, /The application was not found/],
      [{ tenant: 'nobody.example' }, /Tenant 'nobody\.example' not found/],
      [{ tenant: '../common' }, /is neither a tenant ID nor a domain/],
    ] as const) {
      const credentials = { ...APP_CREDENTIALS, ...wrong };
      const { status, body } = await sharepoint.connect({}, { credentials });
      assert.equal(status, 422);
      assert.match(JSON.stringify(body), says);
    }
  });

  it('[AUTH-23] a person signs in, and each refresh token is used once', async () => {
    const post = async (fields: Readonly<Record<string, string>>) => {
      const client = { client_id: GRAPH_CLIENT.id, client_secret: GRAPH_CLIENT.secret };
      const body = new URLSearchParams({ ...client, ...fields });
      return (await fetch(graph.operator.tokenUrl, { method: 'POST', body })).json();
    };
    for (const house of [sharepoint, outlook]) {
      const authorize = new URL(graph.operator.authorizeUrl);
      const redirect_uri = 'https://quarry.example/callback';
      const scope = 'offline_access https://graph.microsoft.com/Sites.Read.All';
      for (const [name, value] of Object.entries({
        client_id: GRAPH_CLIENT.id,
        response_type: 'code',
        redirect_uri,
        scope,
      }))
        authorize.searchParams.set(name, value);
      const { headers } = await fetch(authorize, { redirect: 'manual' });
      const code = must(new URL(must(headers.get('location'))).searchParams.get('code'));
      const tokens: any = await post({ grant_type: 'authorization_code', code, redirect_uri });
      const { access_token, refresh_token } = tokens;
      const { id, having, sync } = await house.follow({}, { access_token, refresh_token });
      assert.equal(await accountOf(house, id), 'ann@acme.example');
      assert.equal((await having('heron')).length, 1);
      for (let i = 0; i < 2; i++) {
        graph.tokens.endAccess();
        await sync();
      }
      graph.tokens.endAccess();
      graph.tokens.endRefresh();
      const ended = await house.quarry.sync(id);
      assert.equal(ended.status, 'failed');
      assert.match(ended.error, /refresh token is not valid/);
      assert.equal((await having('heron')).length, 1);
    }
  });

  it('asks for a refresh token, and only for what reads', () => {
    for (const { auth } of [sharepointOnline, outlookMail]) {
      const [first, ...scopes] = must(auth.oauth).scopes;
      assert.equal(first, 'offline_access');
      for (const scope of scopes)
        assert.match(scope, /^https:\/\/graph\.microsoft\.com\/[\w.]*\.Read(?:Basic)?(?:\.All)?$/);
    }
  });
});
