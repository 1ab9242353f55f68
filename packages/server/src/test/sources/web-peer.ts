/**
 * A website in memory, for the faults that a real server does not have. It has pages at two hosts, which are two names of
 * this machine, and files. Like a real server it answers conditional requests (RFC 9110, section 13), and it asks for a
 * user name and a password.
 */
import assert from 'node:assert/strict';
import { sha256 } from '../../model/hash.ts';
import { must } from '../../util.ts';
import { type CloudCompany, newWord } from './cloud-company.ts';
import { openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';

const CREDENTIALS = { username: 'ann', password: 'a secret of the website' };
const SIGNED = `Basic ${Buffer.from(Object.values(CREDENTIALS).join(':')).toString('base64')}`;
const METHODS = new Set(['GET']);

interface Page {
  word: string;
  readonly isFile: boolean;
}

/** Pages of the first host have no prefix; those of the second one lie below it. */
const SECOND = '/second';

export async function openWebsite(): Promise<CloudCompany> {
  const pages = new Map<string, Page>();
  const add = (path: string, isFile = false) => pages.set(path, { word: newWord(), isFile });
  let isSecondDown = false;
  let made = 0;
  for (let i = 0; i < 4; i++) add(`/guide/${i}`);
  for (let i = 0; i < 4; i++) add(`/news/${i}`);
  for (let i = 0; i < 2; i++) add(`${SECOND}/${i}`);
  for (let i = 0; i < 2; i++) add(`/files/${i}.txt`, true);
  add('/');

  const peer = await openCloudPeer((request) => answerOf(request));
  const { port } = new URL(peer.baseUrl);
  const second = `http://localhost:${port}`;
  const addressOf = (path: string) => (path.startsWith(SECOND) ? second : peer.baseUrl) + path;

  function answerOf({ method, url, headers }: PeerRequest): PeerAnswer {
    assert.ok(METHODS.has(method), method);
    const isSecond = url.hostname === 'localhost';
    if (isSecond && isSecondDown) return { status: 503, body: 'down' };
    if (url.pathname === '/robots.txt') return { status: 404, body: 'no rules' };
    assert.equal(headers.authorization, isSecond ? undefined : SIGNED, 'who is asked');
    assert.equal(url.search, '');
    const page = pages.get(url.pathname);
    if (!page || isSecond !== url.pathname.startsWith(SECOND))
      return { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not found</h1>' };
    return conditional(page.isFile ? fileOf(page) : pageOf(url.pathname, page), headers);
  }

  const pageOf = (path: string, { word }: Page) => ({
    'content-type': 'text/html; charset=utf-8',
    body: `<title>Page ${word}</title><p>It says ${word}.</p>${path === '/' ? links() : '<a href="/">Home</a>'}`,
  });
  const fileOf = ({ word }: Page) => ({ 'content-type': 'text/plain', body: `It says ${word}.` });
  const links = () =>
    [...pages.keys()].map((path) => `<a href="${addressOf(path)}#top">${path}</a>`).join('\n');

  const ofFirst = () => [...pages].filter(([path]) => path !== '/' && !path.startsWith(SECOND));
  const nextOf = (list: readonly [string, Page][]) => must(list[made++ % list.length]);
  return {
    peer,
    config: { start_urls: [peer.baseUrl], hosts: [`localhost:${port}`] },
    credentials: CREDENTIALS,
    refusals: {
      unauthorized: { status: 401, body: 'Unauthorized' },
      rateLimited: [
        { status: 429, headers: { 'retry-after': '3600' }, body: 'slower' },
        { status: 503, headers: { 'retry-after': '3600' }, body: 'slower' },
      ],
      serverError: { status: 500, body: 'broken' },
    },
    expected: () => new Map([...pages].map(([path, { word }]) => [addressOf(path), word])),
    edit() {
      const readable = [...pages].filter(([path]) => !(isSecondDown && path.startsWith(SECOND)));
      nextOf(readable.toReversed())[1].word = newWord();
    },
    add() {
      add(made++ % 2 ? `/guide/new-${made}` : `/files/new-${made}.txt`, made % 2 === 1);
    },
    remove: () => void pages.delete(nextOf(ofFirst())[0]),
    removeMany() {
      for (const [path] of ofFirst().slice(0, 4)) pages.delete(path);
    },
    removePart() {
      for (const path of pages.keys()) if (path.startsWith(SECOND)) pages.delete(path);
    },
    resync: {
      full: {
        perGrowth: 2,
        why: 'a website has no listing, so each page is asked whether it has changed',
      },
      incremental: { most: () => 2 * pages.size, perGrowth: 2, why: 'it is as a full one' },
      grow() {
        made++;
        add(`/guide/grown-${made}`);
        add(`/files/grown-${made}.txt`, true);
      },
    },
    forbidPart() {
      isSecondDown = true;
    },
  };
}

function conditional(
  { body, ...headers }: { readonly body: string; readonly 'content-type': string },
  asked: PeerRequest['headers'],
): PeerAnswer {
  const etag = `"${sha256(body).slice(0, 16)}"`;
  if (asked['if-none-match'] === etag) return { status: 304, headers: { etag }, body: '' };
  return { status: 200, headers: { ...headers, etag }, body };
}
