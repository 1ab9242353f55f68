import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { headOf } from './help.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('help of the scripts', () => {
  it('is the comment at the head of the file', () => {
    assert.equal(
      headOf('/**\n * `npm run x` does y.\n *\n * It ends.\n */\nx();\n'),
      '`npm run x` does y.\n\nIt ends.',
    );
    assert.equal(headOf('/** One line. */\n'), 'One line.');
    assert.equal(headOf('x(); /** Later. */'), '');
  });

  it('every bench answers with how it is called', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const benches = Object.entries<string>(scripts).filter(([name]) => name.startsWith('bench'));
    assert.ok(benches.length > 0);
    for (const [name, command] of benches) {
      const file = /\S+\.ts$/.exec(command)?.[0] ?? '';
      const text = readFileSync(join(ROOT, file), 'utf8');
      assert.match(headOf(text), new RegExp(`^\`npm run ${name}[ \`]`), file);
      assert.match(text, /^answerHelp\(import\.meta\.filename\);$/m, file);
    }
  });

  it('CONTRIBUTING names every script of package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const unnamed = Object.keys(scripts)
      .filter((name) => !/:(all|install)$/.test(name))
      .filter((name) => !new RegExp(`npm (run )?${name}[ \`]`).test(text));
    assert.deepEqual(unnamed, []);
  });
});
