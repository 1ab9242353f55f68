import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { assignmentOf, fieldValue } from '../connect/fields.ts';
import { connectCommand } from './connect-command.ts';

const command = {
  name: 'Shop',
  short_name: 'github',
  readable_collection_id: 'shop',
  config: {},
};

/** Returns the arguments that a shell makes of the command. */
const argumentsOf = (text: string): string[] =>
  execFileSync('sh', ['-c', `set -- ${text}; printf '%s\\0' "$@"`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

describe('connectCommand', () => {
  it('gives a shell exactly the words that were meant, whatever they contain', () => {
    for (const name of [
      'Shop',
      "Ann's shop",
      '$(touch /tmp/x) `id` "$HOME"; rm -rf * & | > \\',
      '=ls',
      '~root',
      '!!',
      '-x',
      '名前',
    ]) {
      const text = connectCommand({ ...command, name, config: { branch: name } }, {});
      assert.deepEqual(
        argumentsOf(text),
        ['quarry', 'connect', 'github', '--name', name, '--collection', 'shop'].concat([
          '--set',
          `branch=${name}`,
        ]),
      );
      if (!/^[\w-]+$/.test(name)) assert.doesNotMatch(text, / [=~!]/);
    }
  });

  it('writes settings as --set reads them', () => {
    const config = {
      repositories: ['acme/shop', 'acme/web'],
      included_labels: ['a, b', '[c'],
      limit: 20,
      closed: false,
      rules: { depth: 1 },
    };
    const types = {
      repositories: 'array',
      included_labels: 'array',
      limit: 'number',
      closed: 'boolean',
      rules: 'object',
    };
    const words = argumentsOf(connectCommand({ ...command, config }, {}));
    const read = words.slice(words.indexOf('--set')).filter((word) => word !== '--set');
    const values = read.map((text) => {
      const [name, value] = assignmentOf('--set', text);
      const type = types[name as keyof typeof types];
      const field = { name, type, title: '', description: '', required: false };
      return [name, fieldValue(field, value)];
    });
    assert.deepEqual(Object.fromEntries(values), config);
  });

  it('says more only where there is more to say', () => {
    assert.equal(
      connectCommand(command, {}),
      'quarry connect github --name Shop --collection shop',
    );
    const where = { url: 'https://quarry.example.com', dataDir: '/srv/my data' };
    assert.equal(
      connectCommand({ ...command, description: 'All of it', cron: '0 4 * * *' }, where),
      "quarry connect github --name Shop --collection shop --description 'All of it' --cron '0 4 * * *' --url https://quarry.example.com --data-dir '/srv/my data'",
    );
  });
});
