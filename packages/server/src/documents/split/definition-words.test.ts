/** Tests the words by which the first lines of definitions are recognized, each with a sample. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { must } from '../../util.ts';
import { definitionsIn } from './definitions.ts';
import { programLanguageOf } from './languages.ts';

const titles = (name: string, text: string): string[] =>
  definitionsIn(text, must(programLanguageOf(name))).map(({ title }) => title);
const outline = (name: string, text: string): string[] => {
  const line = (offset: number) => text.slice(0, offset).split('\n').length;
  return definitionsIn(text, must(programLanguageOf(name))).map(
    ({ title, start, end }) => `${title} ${line(start)}-${line(end - 1)}`,
  );
};

describe('a word before a definition', () => {
  for (const word of `export default declare public private protected internal fileprivate static abstract final
    sealed partial async pub unsafe open data inline override virtual const suspend local readonly companion tailrec
    operator infix external actual expect lazy extern friend explicit constexpr synchronized native strictfp new
    volatile my our typedef`.split(/\s+/))
    it(`may be ${word}`, () =>
      assert.deepEqual(titles('a.java', `${word} class Store {\n}\n`), ['Store']));
});

describe('a statement with a block', () => {
  for (const word of `if else for while switch case catch return throw new do try finally with await yield delete
    assert elif except raise import from package using use require include foreach until unless let var val print echo
    lock super this sizeof typeof goto go defer`.split(/\s+/))
    it(`that begins with ${word} defines nothing`, () => {
      assert.deepEqual(titles('a.js', `${word} (x) {\n}\n`), []);
      if (word !== 'new') assert.deepEqual(titles('A.java', `${word} call(x) {\n}\n`), []);
    });
});

describe('a definition', () => {
  it('goes on behind the conditions of its types', () => {
    const text =
      'impl<T> Drop for Pool<T>\nwhere\n    T: Clone,\n{\n    fn drop(&mut self) {\n    }\n}\n';
    assert.deepEqual(outline('a.rs', text), ['Drop for Pool<T> 1-7', 'drop 5-6']);
  });

  it('begins at the types of its template', () =>
    assert.deepEqual(outline('a.cpp', 'template <typename T, int N>\nvoid add(T value) {\n}\n'), [
      'add 1-3',
    ]));

  it('does not begin at a value or an empty statement above it', () => {
    assert.deepEqual(outline('a.ex', '%{a: 1}\ndef find(id) do\nend\n'), ['find 2-3']);
    assert.deepEqual(outline('a.js', ';\nfunction find() {\n}\n'), ['find 2-3']);
  });

  it('may be indented by tabs, each as wide as four blanks', () => {
    const text = 'class A:\n\tdef f(self):\n\t\tpass\n\tdef g(self):\n\t\tpass\n';
    assert.deepEqual(outline('a.py', text), ['A 1-5', 'f 2-3', 'g 4-5']);
    const mixed = 'class A:\n    def f(self):\n\t\tpass\n\tdef g(self):\n        pass\n';
    assert.deepEqual(outline('a.py', mixed), ['A 1-5', 'f 2-3', 'g 4-5']);
  });
});
