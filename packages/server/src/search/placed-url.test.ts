import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placedUrl } from './placed-url.ts';

describe('the address of a passage', () => {
  for (const [url, place, placed] of [
    ['https://a.example/b.pdf', 'page 12', 'https://a.example/b.pdf#page=12'],
    ['https://a.example/B.PDF?v=2', 'page 1', 'https://a.example/B.PDF?v=2#page=1'],
    ['https://a.example/talk.mp4', 'time 00:12:04', 'https://a.example/talk.mp4#t=00:12:04'],
    ['https://a.example/b.pdf', null, 'https://a.example/b.pdf'],
    ['https://a.example/b.pdf#part', 'page 12', 'https://a.example/b.pdf#part'],
    ['https://a.example/b.docx', 'page 12', 'https://a.example/b.docx'],
    ['https://a.example/b.pdf', 'slide 3', 'https://a.example/b.pdf'],
    ['https://a.example/b.pdf', 'time 00:00:01', 'https://a.example/b.pdf'],
    ['https://a.example/b.pdf', 'page x', 'https://a.example/b.pdf'],
    ['https://a.example/b.mp4', 'page 2', 'https://a.example/b.mp4'],
    ['not an address.pdf', 'page 2', 'not an address.pdf'],
    ['', 'page 2', ''],
  ] as const)
    it(`of ${url} at ${place} is ${placed}`, () => assert.equal(placedUrl(url, place), placed));
});
