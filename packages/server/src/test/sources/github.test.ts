/** Tests the source GitHub against a fake whose exchanges are compared with GitHub's OpenAPI document. */
import { github } from '../../sources/catalog/github.ts';
import { openGitHubCompany, TOKEN } from './github-company.ts';
import { testSource } from './harness.ts';

testSource(github, async () => {
  const company = await openGitHubCompany();
  const web = company.addRepository('acme/web', {
    files: { 'README.md': '# The heron', 'src/retry.ts': 'export function retry() {}' },
  });
  const issue = company.addIssue(web, { title: 'The weir leaks', body: 'Badly.' });
  company.comment(web, issue, { body: 'I have seen it.' });
  const pull = company.addIssue(web, { title: 'Mend the weir', isPull: true });
  company.comment(web, pull, { body: 'A stone is missing.', path: 'src/retry.ts' });
  company.addRepository('acme/empty', { isPrivate: true, collaborators: ['ann'] });
  const config = { base_url: company.peer.baseUrl, repositories: ['acme'] };
  return {
    config,
    credentials: { token: TOKEN },
    close: company.peer.close,
    wrong: [
      {
        name: 'token',
        credentials: { token: 'ghp_wrong' },
        kind: 'auth',
        says: /answered 401.*Bad credentials/,
      },
      {
        name: 'repository',
        config: { ...config, repositories: ['acme/web', 'acme/nothing'] },
        kind: 'config',
        says: /does not show 'acme\/nothing'/,
      },
      {
        name: 'owner',
        config: { ...config, repositories: ['nobody'] },
        kind: 'config',
        says: /'nobody'/,
      },
    ],
  };
});
