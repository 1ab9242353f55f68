import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted, convertedFile } from '../../test/documents/converted.ts';
import { convert } from './subtitles.ts';

const read = (text: string) => converted(convert, Buffer.from(text));
const clock = (seconds: number) =>
  `${String(Math.floor(seconds / 3600)).padStart(2, '0')}:${String(Math.floor(seconds / 60) % 60).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
const cue = (start: number, end: number, text: string) =>
  `${clock(start)}.000 --> ${clock(end)}.000\n${text}\n\n`;

describe('subtitles', () => {
  it('of SubRip become paragraphs with their times', async () => {
    const source =
      '1\r\n00:00:01,000 --> 00:00:04,000\r\nThe heron <i>waits</i>\r\nat the weir.\r\n\r\n' +
      '2\r\n00:00:05,500 --> 00:00:08,000 X1:10\r\n{\\an8}It is <b>grey</b> &amp; tall.\r\n\r\n' +
      '3\r\n00:12:04,000 --> 00:12:06,000\r\nIt flies.\r\n';
    assert.deepEqual(await read(source), {
      text: 'The heron waits at the weir. It is grey & tall.\n\nIt flies.',
      pages: [0, 49],
      places: ['time 00:00:01', 'time 00:12:04'],
    });
  });

  it('of WebVTT keep the names of speakers, and have no notes and styles', async () => {
    const source =
      'WEBVTT - Talk\nKind: captions\nLanguage: en-GB\n\nSTYLE\n::cue { color: red }\n\n' +
      'NOTE a comment\n\nintro\n00:01.000 --> 00:04.000 align:start position:0%\n' +
      '<v.loud Ann Lee>Who <c.yellow>waits</c>?</v>\n\n' +
      '00:05.000 --> 00:06.000\n<v Ann Lee>Tell me.\n<v Ben>The <00:05.500>heron.\n';
    assert.deepEqual(await read(source), {
      text: 'Ann Lee: Who waits? Tell me.\nBen: The heron.',
      pages: [0],
      places: ['time 00:00:01'],
      about: { language: 'en-GB' },
    });
  });

  it('of YouTube have a comma between the times', async () =>
    assert.deepEqual(await read('0:00:01.000,0:00:02.000\nOne\n\n1:00:03.000,1:00:04.000\nTwo'), {
      text: 'One\n\nTwo',
      pages: [0, 5],
      places: ['time 00:00:01', 'time 01:00:03'],
    }));

  it('have what each voice of a line says, and no voice where none is named', async () => {
    const { text } = await read(
      `WEBVTT\n\n${cue(1, 2, '<v Ann>Hi</v> <v Ben>Hello\nto you')}${cue(3, 4, 'Silence.')}` +
        `${cue(5, 6, '<v Ann>So</v> it is')}${cue(50, 51, '<v Ann>Yes.')}${cue(52, 53, '<v Ann>No.')}`,
    );
    assert.equal(text, 'Ann: Hi\nBen: Hello to you\nSilence.\nAnn: So\nit is\n\nAnn: Yes. No.');
  });

  it('have the characters to which HTML refers', async () => {
    const line =
      'Don&#39;t &quot;go&quot; &#x2014; AT&T &amp;lt; a &lt;b&gt; &lrm;5 < 6&nbsp;&hellip;';
    assert.equal((await read(cue(1, 2, line))).text, `Don't "go" — AT&T &lt; a <b> 5 < 6 …`);
  });

  it('have rolling lines once, and repeated words as often as they are said', async () => {
    const step = '00:00:02.000 --> 00:00:02.010\nso the heron\n\n';
    const { text } = await read(
      `WEBVTT\n\n${cue(0, 2, 'so the<00:00:01.000><c> heron</c>')}${step}` +
        `${cue(3, 5, 'so the heron\nwaits at the weir')}${cue(5, 7, 'waits at the weir\nand waits')}` +
        `${cue(15, 16, 'and waits')}`,
    );
    assert.equal(text, 'so the heron waits at the weir and waits and waits');
    assert.equal((await read(cue(1, 2, 'No.') + cue(2, 3, 'No.'))).text, 'No. No.');
    assert.equal((await read(cue(1, 2, 'No.') + cue(2, 3, 'No.\nYes.'))).text, 'No. Yes.');
  });

  it('have paragraphs of 30 to 60 seconds, which end with a sentence if they can', async () => {
    const at = (i: number) => cue(i * 5, i * 5 + 5, i === 7 ? `w${i}.` : `w${i}`);
    const { text, places } = await read(Array.from({ length: 30 }, (_, i) => at(i)).join(''));
    assert.deepEqual(places, ['time 00:00:00', 'time 00:00:40', 'time 00:01:40']);
    assert.ok(text.startsWith('w0 w1 w2 w3 w4 w5 w6 w7.\n\nw8'), text);
  });

  it('have a new paragraph behind a silence of more than 20 seconds', async () => {
    assert.equal((await read(cue(1, 2, 'One') + cue(22, 23, 'two'))).text, 'One two');
    assert.equal((await read(cue(1, 2, 'One') + cue(23, 24, 'two'))).text, 'One\n\ntwo');
  });

  it('may lack blank lines between cues', async () => {
    const source = '1\n00:00:01,000 --> 00:00:02,000\nOne\n2\n00:00:03,000 --> 00:00:04,000\nTwo\n';
    assert.equal((await read(source)).text, 'One Two');
  });

  it('of SubRip and YouTube may have blank lines and numbers in a cue', async () => {
    const srt = `1\n${cue(1, 2, 'One\n\ntwo\n \n3')}2\n${cue(3, 4, '42')}${cue(5, 6, 'Four')}`;
    assert.equal((await read(srt)).text, 'One two 3 42 Four');
    const sbv = '0:00:01.000,0:00:02.000\nOne\n\ntwo\n\n0:00:03.000,0:00:04.000\n3';
    assert.equal((await read(sbv)).text, 'One two 3');
  });

  it('are text, whatever marks of Markdown they have', async () => {
    const source = cue(1, 2, '# one') + cue(99, 100, '```') + cue(199, 200, '5 < 6 and 7 > 3');
    assert.equal((await read(source)).text, '\\# one\n\n\\```\n\n5 < 6 and 7 > 3');
  });

  for (const source of ['', 'WEBVTT\n\n', 'hello\nworld', cue(1, 2, '<i></i>')])
    it(`without text are left out: ${JSON.stringify(source)}`, async () =>
      assert.deepEqual(await convertedFile('subtitles', 'a.srt', Buffer.from(source)), {
        is: 'skip',
        omission: { reason: 'without text that can be read', detail: 'the subtitles have no text' },
      }));

  it('may have 100,000 cues at the same time, and lines of megabytes', async () => {
    const { text, pages, places } = await read(
      Array.from({ length: 100_000 }, (_, i) => cue(1, 1, `w${i}`)).join(''),
    );
    assert.ok(text.length > 600_000 && pages?.length === places?.length && pages!.length > 300);
    const long = await read(
      cue(1, 2, '<v '.repeat(3_000_000)) + cue(3, 4, '{\\'.repeat(2_000_000)),
    );
    assert.ok(long.text.length > 1_000_000);
  });

  it('may go back in time', async () => {
    const { places } = await read(cue(100, 101, 'b') + cue(5, 6, 'a'));
    assert.deepEqual(places, ['time 00:01:40', 'time 00:00:05']);
  });
});
