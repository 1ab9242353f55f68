import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mailFormOf } from './recognize.ts';

const MAIL =
  'Return-Path: <ann@example.org>\r\nReceived: from mx (mx [192.0.2.1])\r\n\tby imap; Mon, 3 Mar 2025\r\n' +
  'From: Ann <ann@example.org>\r\nSubject: Offer\r\nMIME-Version: 1.0\r\n\r\nSGVsbG8=\r\n';

describe('a file that is a message by its beginning', () => {
  for (const [what, beginning, form] of [
    ['a message', MAIL, 'message'],
    ['a message with other line breaks', MAIL.replaceAll('\r', ''), 'message'],
    ['a message behind blank lines', `\n\n${MAIL}`, 'message'],
    ['a box of mail', `From ann@example.org Mon Mar  3 10:00:00 2025\n${MAIL}`, 'mailbox'],
    ['a box of Google', `From 17@xxx Mon Mar 03 10:00:00 +0000 2025\r\n${MAIL}`, 'mailbox'],
    ['a box without a sender', `From Mon Mar  3 10:00 MET 2025\n${MAIL}`, 'mailbox'],
    ['a letter about a journey', `From Berlin we leave at 10:30 in May 2025\n${MAIL}`, null],
    [
      'a saved page',
      'From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/\r\n\r\n',
      'page',
    ],
    ['a note with fields', 'From: Ann\nTo: Ben\nSubject: Offer\nDate: today\n\nHello', null],
    ['a note about mail', `My provider adds\n${MAIL}`, null],
    ['one field of a message', 'Message-ID: 7\nStatus: open\n\nHello', null],
    [
      'a patch',
      `From ${'a1'.repeat(20)} Mon Sep 17 00:00:00 2001\nFrom: Ann\nMIME-Version: 1.0\n` +
        'Content-Transfer-Encoding: 8bit\nSubject: [PATCH] a\n\n---\n',
      null,
    ],
    ['a sentence', 'From today on, at 10:00 we meet', null],
    ['nothing', '', null],
  ] as const)
    it(`${form ? 'may be' : 'is not'} ${what}`, () => assert.equal(mailFormOf(beginning), form));
});
