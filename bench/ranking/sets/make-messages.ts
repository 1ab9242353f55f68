/**
 * Makes the corpus of the judged set `messages` out of the history in two Debian 12 packages and of the chats among
 * the test fixtures: `node bench/ranking/sets/make-messages.ts`, which needs `apt-get` and `dpkg`. The queries and
 * judgements are written by hand, with the ids that this script gives to the messages.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

interface Message {
  readonly id: string;
  readonly text: string;
}

interface History {
  readonly prefix: string;
  readonly package: string;
  /** The history ends with this commit, so that a later version of the package is noticed. */
  readonly last: string;
  /** A shorter or longer message is left out; the limits are in characters. */
  readonly shortest: number;
  readonly longest: number;
  /** Only messages from the first to the last of these years are taken. */
  readonly years: readonly [number, number];
  /** Only one in this many of these messages is taken, beginning with the first. */
  readonly every: number;
}

const HISTORIES: readonly History[] = [
  {
    prefix: 'x',
    package: 'xserver-common',
    last: 'af9111ac7fa399a5a33fbfa145060e1850f41e0e',
    shortest: 240,
    longest: 1_300,
    years: [2009, 2022],
    every: 8,
  },
  {
    prefix: 's',
    package: 'openssh-client',
    last: '6dfb65de949cdd0a5d198edee9a118f265924f33',
    shortest: 110,
    longest: 1_300,
    years: [2021, 2023],
    every: 1,
  },
];

const HERE = import.meta.dirname;
const CHATS = join(HERE, '../../../packages/server/src/test/quality/fixtures/chatlogs.md');
/** These lines name authors and reviewers, and are not part of the message. */
const TRAILER = /^(?:signed-off-by|reviewed-by|acked-by|cc|openbsd-\w+-id|\(cherry picked).*$/gim;
const ADDRESS = / *<?[\w.+-]+@[\w-]+\.[\w.-]+>?/g;
/** Some authors write the @ as a word. */
const SPELT = / *[\w.+-]+ (?:at|AT) [\w.-]+\.(?:com|de|edu|im|net|org|uk)\b/g;

const messages = [...HISTORIES.flatMap(commits), ...chats()];
writeFileSync(
  join(HERE, 'messages', 'corpus.jsonl'),
  messages.map((one) => `${JSON.stringify({ ...one, title: '' })}\n`).join(''),
);
console.log(`${messages.length} messages`);

function commits(history: History): Message[] {
  const parts = changelog(history)
    .split(/^commit ([0-9a-f]{40})\n/m)
    .slice(1);
  if (parts[0] !== history.last) throw new Error(`${history.package} has another version`);
  const [from, to] = history.years;
  const texts: string[] = [];
  for (let i = 1; i < parts.length; i += 2) {
    const head = /^(?:Merge:.*\n)?Author:.*\nDate: +\w+ \w+ \d+ [\d:]+ (\d{4}).*\n\n/.exec(
      parts[i]!,
    );
    if (!head || Number(head[1]) < from || Number(head[1]) > to) continue;
    const text = prose(parts[i]!.slice(head[0].length));
    if (text.length >= history.shortest && text.length <= history.longest) texts.push(text);
  }
  return [...new Set(texts)]
    .filter((_, i) => i % history.every === 0)
    .map((text, i) => ({ id: `${history.prefix}${i + 1}`, text: text.replace(SPELT, '') }));
}

function changelog({ package: name }: History): string {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-messages-'));
  try {
    execFileSync('apt-get', ['download', '-q', name], { cwd: folder, stdio: 'ignore' });
    const [archive] = globSync('*.deb', { cwd: folder });
    execFileSync('dpkg', ['-x', join(folder, archive!), join(folder, 'files')]);
    const path = join(folder, 'files/usr/share/doc', name, 'changelog.gz');
    return gunzipSync(readFileSync(path)).toString('utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function prose(body: string): string {
  return body
    .replace(/^ {4}/gm, '')
    .replace(/^upstream: /, '')
    .replace(TRAILER, '')
    .replace(ADDRESS, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** A message is a turn of a chat; the file holds one conversation a line, as Python writes it. */
function chats(): Message[] {
  const turns = [
    ...readFileSync(CHATS, 'utf8').matchAll(/\{'content': (['"])([\s\S]*?)\1, 'role'/g),
  ];
  return turns
    .map((turn) =>
      turn[2]!
        .replaceAll('\\n', '\n')
        .replace(/\\(['"\\])/g, '$1')
        .trim(),
    )
    .filter((text) => text.length >= 60)
    .map((text, i) => ({ id: `c${i + 1}`, text }));
}
