import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportPKCS8, exportSPKI, generateKeyPair, importSPKI, jwtVerify } from 'jose';
import {
  basic,
  bearer,
  clientCredentials,
  googleKey,
  isServiceAccount,
  microsoftApp,
} from './sign.ts';

describe('methods to sign requests', () => {
  it('[AUTH-04] write the usual headers', () => {
    assert.deepEqual(bearer('t0p'), { authorization: 'Bearer t0p' });
    assert.deepEqual(basic('änn', 'a:b'), { authorization: 'Basic w6RubjphOmI=' });
  });

  it('[AUTH-37] request a token with client credentials, also for an app of Microsoft', async () => {
    const url = 'https://login.example/token';
    assert.deepEqual(clientCredentials(url, { id: 'i', secret: 's', scope: 'read' }), {
      url,
      form: { grant_type: 'client_credentials', client_id: 'i', client_secret: 's', scope: 'read' },
    });
    const sign = microsoftApp<{ tenant: string; client_id: string; client_secret: string }>();
    assert.ok('token' in sign);
    const asked = await sign.token({ tenant: 'a/../b', client_id: 'i', client_secret: 's' }, {});
    assert.equal(asked.url, 'https://login.microsoftonline.com/a%2F..%2Fb/oauth2/v2.0/token');
    assert.equal(asked.form.scope, 'https://graph.microsoft.com/.default');
  });

  it('[AUTH-37] request a token of Google with a signed JWT, for the service account or for a person', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const account = JSON.stringify({
      client_email: 'robot@acme.iam.gserviceaccount.com',
      private_key: await exportPKCS8(privateKey),
    });
    assert.ok(isServiceAccount(account));
    const sign = googleKey<{ service_account: string; subject?: string | undefined }>(() => [
      'a',
      'b',
    ]);
    assert.ok('token' in sign);
    for (const subject of [undefined, 'ann@acme.example']) {
      const { url, form } = await sign.token({ service_account: account, subject }, {});
      assert.equal(url, 'https://oauth2.googleapis.com/token');
      assert.equal(form.grant_type, 'urn:ietf:params:oauth:grant-type:jwt-bearer');
      const key = await importSPKI(await exportSPKI(publicKey), 'RS256');
      const { payload } = await jwtVerify(form.assertion ?? '', key, {
        issuer: 'robot@acme.iam.gserviceaccount.com',
        audience: url,
      });
      assert.deepEqual([payload.sub, payload.scope], [subject, 'a b']);
      assert.equal(Number(payload.exp) - Number(payload.iat), 3600);
    }
  });

  it('[AUTH-12] do not quote an invalid key', async () => {
    for (const text of ['', '{}', '{"client_email":"a@b.example"}', 'not json'])
      assert.ok(!isServiceAccount(text), text);
    const account = JSON.stringify({ client_email: 'a@b.example', private_key: 'planted-key' });
    const sign = googleKey<{ service_account: string }>(() => ['a']);
    assert.ok('token' in sign);
    await assert.rejects(
      async () => sign.token({ service_account: account }, {}),
      (error: Error) => {
        assert.match(error.message, /^the private key of the service account cannot be read$/);
        return !error.message.includes('planted-key');
      },
    );
  });
});
