/** Tests the fake of Microsoft Graph for people and groups, and its sign-in, by Microsoft's own client. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { type GraphClient, openGraphClient, refusedWith } from './graph-client.ts';
import { type GraphPeer, openGraph } from './graph-peer.ts';
import type { GraphRow } from './graph-refusal.ts';
import { GRAPH_APP_TOKEN, GRAPH_CLIENT, GRAPH_PERSON_TOKEN } from './graph-tokens.ts';

describe('the fake of Microsoft Graph, asked for people by the client of Microsoft', () => {
  let graph: GraphPeer;
  let app: GraphClient;
  let ann: GraphClient;
  beforeEach(async () => {
    graph = await openGraph();
    graph.settings.largestPage = 2;
    app = openGraphClient(graph.peer, GRAPH_APP_TOKEN);
    ann = openGraphClient(graph.peer, GRAPH_PERSON_TOKEN);
  });
  afterEach(() => graph.peer.close());

  it('names people and groups, with all members at any depth', async () => {
    const { directory, settings } = graph;
    const staff = directory.addGroup('Staff', [directory.ann, directory.bob], { isUnified: true });
    const all = directory.addGroup('All', [staff, directory.guest]);
    staff.members.add(all.id);
    const { rows } = await app.all(`/groups/${all.id}/transitiveMembers`);
    const [annId, bobId] = [directory.ann.id, directory.bob.id];
    assert.deepEqual(
      rows.map(({ id }) => id).toSorted(),
      [staff.id, all.id, annId, bobId, directory.guest.id].toSorted(),
    );
    const people = await app.all(
      `/groups/${all.id}/transitiveMembers/microsoft.graph.user?$select=id,mail`,
    );
    assert.ok(people.rows.some(({ id, mail }) => id === bobId && mail === 'Bob@Acme.example'));
    const active = await app.all(
      `/users?$filter=accountEnabled eq true&$select=id,userType&$top=1`,
    );
    assert.deepEqual(
      active.rows.map(({ userType }) => userType),
      ['Member', 'Member', 'Guest'],
    );
    assert.equal((await app.get('/users/BOB@acme.onmicrosoft.example')).id, bobId);
    assert.equal((await ann.get('/me')).mail, 'ann@acme.example');
    await assert.rejects(app.get('/me'), refusedWith(400, 'BadRequest'));
    await assert.rejects(app.get('/groups/1'), refusedWith(404, 'Request_ResourceNotFound'));
    settings.permissions.delete('User.Read.All');
    const [known] = (await app.all(`/groups/${staff.id}/members`)).rows;
    assert.deepEqual([known?.id, known?.mail], [annId, null]);
    await assert.rejects(app.get('/users'), refusedWith(403, 'Authorization_RequestDenied'));
  });

  it('signs apps and people in, and takes each refresh token once', async () => {
    const { operator, appTokenUrl, tokens, login } = graph;
    const { id: client_id, secret: client_secret } = GRAPH_CLIENT;
    async function post(url: string, form: Record<string, string>) {
      const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
      return { status: answer.status, body: (await answer.json()) as GraphRow };
    }
    const scope = 'https://graph.microsoft.com/.default';
    const asApp = { grant_type: 'client_credentials', client_id, client_secret, scope };
    const given = await post(appTokenUrl, asApp);
    const own = openGraphClient(graph.peer, given.body.access_token);
    assert.equal((await own.all('/users')).rows.length, 4);
    tokens.endAccess();
    await assert.rejects(own.get('/users'), refusedWith(401, 'InvalidAuthenticationToken'));
    const secret = await post(appTokenUrl, { ...asApp, client_secret: 'wrong' });
    assert.deepEqual([secret.status, secret.body.error], [401, 'invalid_client']);
    const common = await post(operator.tokenUrl, asApp);
    assert.equal(common.body.error_codes[0], 50059);
    const stranger = await post(`${login.baseUrl}/other/oauth2/v2.0/token`, asApp);
    assert.equal(stranger.body.error_codes[0], 90002);

    const redirect_uri = 'https://quarry.example/callback';
    const query = {
      client_id,
      response_type: 'code',
      redirect_uri,
      scope: 'offline_access',
      state: '7',
    };
    const sent = await fetch(`${operator.authorizeUrl}?${new URLSearchParams(query)}`, {
      redirect: 'manual',
    });
    const back = new URL(must(sent.headers.get('location')));
    assert.equal(back.searchParams.get('state'), '7');
    const code = must(back.searchParams.get('code'));
    const redeem = {
      grant_type: 'authorization_code',
      client_id,
      client_secret,
      code,
      redirect_uri,
    };
    const first = await post(operator.tokenUrl, redeem);
    assert.equal((await post(operator.tokenUrl, redeem)).body.error, 'invalid_grant');
    const renew = (refresh_token: string) =>
      post(operator.tokenUrl, {
        grant_type: 'refresh_token',
        client_id,
        client_secret,
        refresh_token,
      });
    const second = await renew(first.body.refresh_token);
    const person = openGraphClient(graph.peer, second.body.access_token);
    assert.equal((await person.get('/me')).displayName, 'Ann');
    assert.equal((await renew(first.body.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await renew(second.body.refresh_token)).status, 200);
  });
});
