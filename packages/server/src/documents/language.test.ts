import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { SENTENCES, sentencesOf } from '../test/documents/sentences.ts';
import { languageOf } from './language.ts';

describe('the language of a text', () => {
  for (const language of Object.keys(SENTENCES))
    it(`is found for ${language}`, () => {
      const sentences = sentencesOf(language);
      assert.equal(sentences.length, 30);
      assert.equal(languageOf(sentences.join(' ')), language);
      assert.equal(languageOf(`# Title\n\n${sentences.slice(10, 16).join('\n\n')}`), language);
    });

  it('is found in other scripts', () => {
    for (const [language, sentence] of Object.entries({
      ja: 'サギは堰のそばに立って、魚が十分に近づくまで待っている。毎朝、パン屋は私たちの通りの小さな店に新しいパンを運ぶ。',
      zh: '苍鹭站在堰边，等着鱼游到足够近的地方。每天早上，面包师把新鲜的面包送到我们街上的小店里。',
      ko: '왜가리는 보 옆에 서서 물고기가 충분히 가까이 올 때까지 기다린다. 매일 아침 제빵사는 우리 거리의 작은 가게에 빵을 나른다.',
      ar: 'يقف مالك الحزين عند السد وينتظر حتى تقترب سمكة بما يكفي. كل صباح يحمل الخباز الخبز الطازج إلى المتاجر الصغيرة في شارعنا. قررت اللجنة تأجيل التصويت.',
      el: 'Ο ερωδιός στέκεται δίπλα στο φράγμα και περιμένει μέχρι να πλησιάσει ένα ψάρι. Κάθε πρωί ο φούρναρης φέρνει φρέσκο ψωμί στα μικρά μαγαζιά του δρόμου μας.',
      he: 'האנפה עומדת ליד הסכר ומחכה עד שדג יתקרב מספיק. בכל בוקר האופה מביא לחם טרי לחנויות הקטנות ברחוב שלנו. הוועדה החליטה לדחות את ההצבעה עד שכולם יקראו את הדוח.',
    }))
      assert.equal(languageOf(sentence.repeat(2)), language, language);
  });

  it('is never wrong for a few sentences, and unknown for a text in two languages', () => {
    const wrong: string[] = [];
    let found = 0;
    for (const language of Object.keys(SENTENCES)) {
      const sentences = sentencesOf(language);
      for (let i = 0; i + 3 <= sentences.length; i++) {
        const tag = languageOf(sentences.slice(i, i + 3).join(' '));
        if (tag !== undefined) found++;
        if (tag !== undefined && tag !== language) wrong.push(`${language} ${tag} ${i}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(found > 250, `${found} of 420`);
    const [english, german] = [sentencesOf('en').join(' '), sentencesOf('de').join(' ')];
    assert.equal(languageOf(`${english} ${german}`), undefined);
  });

  it('is unknown for code, tables, numbers and short texts', () => {
    const code = readFileSync(new URL('./language.ts', import.meta.url), 'utf8');
    const table = `| a | b |\n| --- | --- |\n${'| The heron stands at the weir | and waits |\n'.repeat(50)}`;
    for (const text of [
      '',
      'Hello world',
      code.slice(code.indexOf('export function')),
      `\`\`\`\n${sentencesOf('en').join('\n')}\n\`\`\``,
      table,
      'public void setCustomerName(String customerName) { this.customerName = customerName; } '.repeat(
        9,
      ),
      '1,234.50 2,345.60 17.8 %\n'.repeat(200),
      'lorem_ipsum-17 x86_64 ABC-123 '.repeat(50),
      'https://example.org/the/heron/stands/at/the/weir '.repeat(50),
    ])
      assert.equal(languageOf(text), undefined, text.slice(0, 50));
  });

  it('looks at the beginning of a large text only', () => {
    const text = sentencesOf('fr').join(' ').repeat(10);
    assert.equal(languageOf(text + sentencesOf('de').join(' ').repeat(5_000)), 'fr');
    for (const strange of ['```\n', ' ', '@', '`', 'a://', '~~~\n'])
      assert.equal(languageOf(strange.repeat(5_000_000)), undefined);
  });
});
