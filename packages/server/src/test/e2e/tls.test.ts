/** A service with a certificate of its own, as people start it and ask it by commands. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeAuthority, replaceFile, type TestAuthority } from '../certificates.ts';
import { until } from '../until.ts';
import { launch, runToEnd, tempDir } from './process.ts';

describe('quarry start with a certificate', () => {
  let dir: ReturnType<typeof tempDir>;
  let authority: TestAuthority;
  before(() => {
    dir = tempDir();
    authority = makeAuthority(dir.path);
  });
  after(() => dir.remove());

  const started = (env: Record<string, string>) => launch(['start', '--port', '0'], env);

  it('is asked by commands over HTTPS, names files that cannot be used, and stops', async () => {
    const { certificate, key } = authority.issue('service');
    const env = {
      QUARRY_DATA_DIR: join(dir.path, 'data'),
      QUARRY_TLS_CERTIFICATE: certificate,
      QUARRY_TLS_KEY: key,
    };
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: authority.caFile };
    const { child, output, exited } = started(env);
    try {
      await until(() => /ready at https:\/\/127\.0\.0\.1:\d+/.test(output.stdout));
      // The link that signs the owner in is one of a secure page.
      await until(() => /Sign in +https:\/\/localhost:\d+\//.test(output.stdout));
      const status = await runToEnd(['status', '--problems'], trusting);
      assert.deepEqual([status.code, status.stdout], [0, 'Nothing is wrong.\n'], status.stderr);
      const strange = await runToEnd(['status'], env);
      assert.equal(strange.code, 1);
      assert.match(strange.stderr, /the certificate at https:\/\/localhost:\d+ is not trusted/);

      const renewed = authority.issue('renewed');
      replaceFile(certificate, renewed.certificate);
      replaceFile(key, renewed.key);
      child.kill('SIGHUP');
      await until(() => /the certificate has been renewed/.test(output.stderr));
      assert.equal(child.exitCode, null);

      replaceFile(certificate, authority.issue('other').certificate);
      await until(async () => {
        const { code, stdout } = await runToEnd(['status', '--problems'], trusting);
        return code === 1 && /new certificate of the service cannot be used/.test(stdout);
      });
      const stopped = await runToEnd(['stop'], env);
      assert.equal(stopped.code, 0, stopped.stderr);
      assert.equal((await exited).code, 0);
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
  });

  it('is refused with files that cannot be used, before anything is made', async () => {
    const { certificate } = authority.issue('one');
    const broken = join(dir.path, 'broken.key');
    writeFileSync(broken, 'no key');
    const data = join(dir.path, 'never');
    for (const [env, message] of [
      [{ QUARRY_TLS_CERTIFICATE: certificate }, /QUARRY_TLS_CERTIFICATE needs QUARRY_TLS_KEY/],
      [{ QUARRY_TLS_KEY: broken }, /QUARRY_TLS_KEY needs QUARRY_TLS_CERTIFICATE/],
      [
        { QUARRY_TLS_CERTIFICATE: certificate, QUARRY_TLS_KEY: broken },
        /QUARRY_TLS_KEY: .*broken.key has no private key in PEM form/,
      ],
    ] as const) {
      const { code, stderr } = await started({ ...env, QUARRY_DATA_DIR: data }).exited;
      assert.equal(code, 1);
      assert.match(stderr, message);
    }
  });
});
