/** Runs the suite that every source passes for the git source: on git-http-backend, on sshd, and on a folder. */
import { describe } from 'node:test';
import { git } from '../../sources/catalog/git.ts';
import { type GitServer, openGitServer, PASSWORD, skipWithoutGit, USER } from './git-server.ts';
import { testSource, type Wrong } from './harness.ts';

async function openNotes() {
  const server = await openGitServer();
  const repository = await server.repository('team/notes');
  await repository.commit({
    'README.md': '# Notes\n\nThe heron waits.',
    'docs/üben.txt': 'practice',
    'src/main.py': 'print("hello")',
    '.env': 'TOKEN=abc',
    'logo.png': 'not read',
  });
  return server;
}

const noBranch: Omit<Wrong, 'config'> = {
  name: 'branch',
  kind: 'config',
  says: /^the repository has no branch 'atlantis'$/,
};

describe('git over http', { skip: skipWithoutGit }, () => {
  testSource(git, async () => {
    const server = await openNotes();
    const url = server.http('team/notes');
    const credentials = { username: USER, password: PASSWORD };
    return {
      credentials,
      config: { url },
      wrong: [
        {
          name: 'password',
          credentials: { username: USER, password: 'not-this-one' },
          kind: 'auth',
          says: /^the server refuses the credentials: Authentication failed/,
        },
        {
          name: 'no password',
          credentials: {},
          kind: 'auth',
          says: /^the server refuses the credentials: could not read Username/,
        },
        {
          name: 'repository',
          config: { url: server.http('team/nothing') },
          kind: 'config',
          says: /^there is no repository at this address that the credentials can see: /,
        },
        { ...noBranch, config: { url, branch: 'atlantis' } },
        {
          name: 'port',
          config: { url: 'http://127.0.0.1:1/notes.git' },
          kind: 'transient',
          says: /^the repository cannot be read: unable to access .*Failed to connect/,
        },
      ],
      close: () => server.close(),
    };
  });
});

describe('git over ssh', { skip: skipWithoutGit }, () => {
  testSource(git, async () => {
    const server: GitServer = await openNotes();
    const ssh = await server.ssh();
    const url = ssh.url('team/notes');
    const config = { url, host_keys: [ssh.hostKey] };
    const stranger = ssh.hostKey.replace(/.{8}$/, 'AAAAAAAA');
    return {
      credentials: { private_key: ssh.clientKey },
      config,
      wrong: [
        {
          name: 'key',
          credentials: { private_key: 'not a key' },
          kind: 'auth',
          says: /^the private key cannot be used/,
        },
        {
          name: 'no key',
          credentials: {},
          kind: 'auth',
          says: /^an address by ssh needs private_key/,
        },
        {
          name: 'no host key',
          config: { url },
          kind: 'config',
          says: /^an address by ssh needs host_keys, or accept_any_host_key$/,
        },
        {
          name: 'host key of another server',
          config: { url, host_keys: [stranger] },
          kind: 'config',
          says: /^the server does not prove that it is the right one/,
        },
        {
          name: 'repository',
          config: { ...config, url: ssh.url('team/nothing') },
          kind: 'config',
          says: /^there is no repository at this address that the credentials can see: /,
        },
        { ...noBranch, config: { ...config, branch: 'atlantis' } },
        {
          name: 'port',
          config: { ...config, url: 'ssh://git@127.0.0.1:1/notes.git' },
          kind: 'transient',
          says: /^the repository cannot be read: /,
        },
      ],
      close: () => server.close(),
    };
  });
});

describe('git of a folder', { skip: skipWithoutGit }, () => {
  testSource(git, async () => {
    const server = await openNotes();
    const url = server.file('team/notes');
    return {
      credentials: {},
      config: { url },
      wrong: [
        {
          name: 'repository',
          config: { url: server.file('team/nothing') },
          kind: 'config',
          says: /team\/nothing\.git does not exist$/,
        },
        { ...noBranch, config: { url, branch: 'atlantis' } },
      ],
      close: () => server.close(),
    };
  });
});
