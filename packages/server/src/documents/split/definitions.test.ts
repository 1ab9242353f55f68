import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { takesAtMost } from '../../test/processor-time.ts';
import { must } from '../../util.ts';
import { definitionsIn } from './definitions.ts';
import { programLanguageOf } from './languages.ts';

/** Returns the definitions of a file, each as its title and its first and last lines, counted from 1. */
function outline(name: string, text: string): string[] {
  const language = programLanguageOf(name);
  assert.ok(language, name);
  const line = (offset: number) => text.slice(0, offset).split('\n').length;
  return definitionsIn(text, language).map(
    ({ title, start, end }) => `${title} ${line(start)}-${line(end - 1)}`,
  );
}
const titles = (name: string, text: string): string[] =>
  outline(name, text).map((one) => one.replace(/ \S+$/, ''));

describe('definitions', () => {
  it('of Python have their decorators and comments, and end with their indentation', () => {
    const text = `import os

# The router.
@final
class Router(Base):
    """Finds a route.

def not_a_definition():
    """

    def add(
        self,
        path,
    ):
        return path

    async def find(self): ...

def main() -> None:
    def inner():
        pass
    inner()
`;
    assert.deepEqual(outline('a.py', text), [
      'Router 3-17',
      'add 11-15',
      'find 17-17',
      'main 19-22',
      'inner 20-21',
    ]);
  });

  it('of JavaScript and TypeScript are classes, methods and functions, and no calls', () => {
    const text = `/**
 * A router.
 */
export default class Router<T = unknown> extends Base {
  #routes = [];

  constructor(options = {}) {
    super(options);
  }

  async match (request) {
    if (request) {
      describe('x', () => {
        run();
      });
    }
    outer: while (true) {
    }
  }

  async open (all) {
  }
  #reset (all) {
  }

  static get #size() {
    return 1;
  }
}

const later = async (x) => {
  await x;
};
export const handlers = makeHandlers({
  open: function () {},
});
exports.close = function close() {
};
interface Shape {
  area(): number;
}
type Of<T> = T;
export function typed<
  A = unknown,
>(a: A): A {
  return each<A>(() => a, 'b');
}
class Later {
  then<B>(f: (a: A) => B, name = 'x'): B {
    call((b) => {
      b
    })
    call((c) => {
    })
  }
}
export function* walk(tree: Tree): Iterator<Node> {
}
`;
    assert.deepEqual(titles('a.ts', text), [
      'Router',
      'constructor',
      'match',
      'open',
      '#reset',
      '#size',
      'later',
      'handlers',
      'open',
      'exports.close',
      'Shape',
      'Of',
      'typed',
      'Later',
      'then',
      'walk',
    ]);
    assert.equal(outline('a.ts', text)[0], 'Router 1-29');
  });

  it('of C may have their type on a line of their own, and directives within them', () => {
    const text = `struct point {
  int x;
};
struct point *used(struct point *a,
                   struct point *b);

/* Adds two numbers. */
static int
add(int a, int b)
{
#ifdef FAST
  struct point p = {0};
out:
#endif
  if (a) {
    call(a);
  }
  return a + b;
}
int declared(int a);
int last(void)
{
}
#define AFTER
`;
    assert.deepEqual(outline('a.c', text), ['point 1-3', 'add 7-19', 'last 21-23']);
  });

  it('of C++ are classes behind macros, constructors, destructors and operators', () => {
    const text = `class Foundation_API Path: public Base {
public:
  Path(): _name(0), _size(1)
  {
  }
  explicit Path(const std::string& name)
    : _name(name),
      _size(2)
  {
  }
  ~Path() {}
  bool operator==(const Path& other) const { return true; }
private:
  int _name;
};
template <typename T>
void Path::append(T value) {
  FOREACH(a, b) {
  }
}
`;
    assert.deepEqual(titles('a.cpp', text), [
      'Path',
      'Path',
      'Path',
      '~Path',
      'operator==',
      'Path::append',
    ]);
  });

  it('of Java and C# are types, methods and properties', () => {
    const java = `@Entity(name = "a")
public final class Store<K, V> implements Map<K, V> {
  @Override
  public static <T> Map<String, T> of(List<? super T> items) throws IOException {
    for (T item : items) {
      return new Store<>() {
      };
    }
  }

  @Deprecated @Fast(1) int one() {
  }

  abstract int size();
}
`;
    assert.deepEqual(outline('Store.java', java), ['Store 1-15', 'of 3-9', 'one 11-12']);
    const csharp = `namespace Shop
{
    public class Order : IOrder
    {
        public int Count { get; set; }
        public string Name
        {
            get { return name; }
        }
        void IOrder.Close(int code)
        {
        }
    }
}
`;
    assert.deepEqual(titles('Order.cs', csharp), ['Shop', 'Order', 'Name', 'IOrder.Close']);
  });

  const samples: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'a.go',
      'type Router struct {\n}\n\nfunc (r *Router[T]) Add(p string) error {\n\tf := func() {\n\t}\n}\nfunc New() *Router {\n}\n',
      ['Router', 'Router.Add', 'New'],
    ],
    [
      'a.rs',
      '#[derive(Debug)]\npub(crate) struct Pool<T> {\n}\nimpl<T: Clone> Drop for Pool<T> {\n    pub async fn get(&self) -> T {\n        match x {\n        }\n    }\n}\nmod tests;\nstruct Unit;\nunsafe impl Send for Unit where Unit: Sized {}\nmacro_rules! pool {\n}\n',
      ['Pool', 'Drop for Pool<T>', 'get', 'Unit', 'Send for Unit', 'pool'],
    ],
    [
      'a.rb',
      '=begin\nclass of things\n=end\nmodule Shop\n  class Order < Base\n    def self.find(id)\n    end\n    def total=(sum)\n    end\n    def ==(other)\n    end\n  end\nend\n',
      ['Shop', 'Order', 'self.find', 'total=', '=='],
    ],
    [
      'a.php',
      '<?php\nnamespace Shop;\n\nfinal class Order extends Base\n{\n    public static function find(int $id): ?self\n    {\n    }\n}\n',
      ['Order', 'find'],
    ],
    [
      'a.kt',
      'public open class Job(val id: Int) : Base() {\n    override suspend fun join() {\n    }\n}\n',
      ['Job', 'join'],
    ],
    [
      'a.pm',
      'package Shop;\n\n=head2 find\n\ntype of order\n\n=cut\n\nsub find {\n  my ($self) = @_;\n}\n',
      ['find'],
    ],
    [
      'a.lua',
      'local function add(a)\nend\nfunction M.sub(b)\nend\nM.mul = function(c)\nend\nreturn M\n',
      ['add', 'M.sub', 'M.mul'],
    ],
    [
      'a.sh',
      'function one {\n  echo\n}\ntwo() {\n  if test; then\n  fi\n}\n# f() {\n',
      ['one', 'two'],
    ],
    [
      'a.ex',
      'defmodule Shop.Order do\n  @doc """\n  def nothing\n  """\n  def find(id) do\n  end\n  defp sum, do: 1\nend\n',
      ['Shop.Order', 'find', 'sum'],
    ],
  ];
  for (const [name, text, expected] of samples)
    it(`of ${name}`, () => {
      assert.deepEqual(titles(name, text), expected);
    });

  it('go on behind type parameters on several lines', () => {
    assert.deepEqual(outline('a.ts', 'function f<\n  A,\n>(a: A) {\n  x();\n}\n'), ['f 1-5']);
  });

  it('are neither calls with a block nor types without a name', () => {
    assert.deepEqual(titles('a.ts', 'project.task(a) {\n}\n'), []);
    assert.deepEqual(titles('a.cpp', 'TEST_CASE("adds") {\n}\n'), []);
    assert.deepEqual(titles('a.c', 'typedef struct {\n  int x;\n} point;\n'), []);
  });

  it('begin at the comment directly above them, but not at one behind a blank line', () => {
    const text = '# Licence.\n\n# About f.\n# It runs.\ndef f():\n    pass\nx = 1\n';
    assert.deepEqual(outline('a.py', text), ['f 3-6']);
  });

  it('are found in a text without a line feed at its end, with carriage returns, and with nothing', () => {
    assert.deepEqual(outline('a.go', 'func a() {'), ['a 1-1']);
    assert.deepEqual(titles('a.py', 'def a():\r\n    pass\r\nclass B:\r\n    pass\r\n'), [
      'a',
      'B',
    ]);
    assert.deepEqual(outline('a.py', ''), []);
  });

  it('are found below what only looks like the beginning of a comment or a string', () => {
    const shell = 'case "$1" in\n  /*) link=$x ;;\nesac\nfind() {\n  ls\n}\n';
    assert.deepEqual(titles('a.sh', shell), ['find']);
    const python = '# use three quotes: """\nx = \'"""\'\ny = "\'\'\'"\ndef find():\n    pass\n';
    assert.deepEqual(titles('a.py', python), ['find']);
    const go = 'var x = `"""`\n\nfunc Find() {\n}\n';
    assert.deepEqual(titles('a.go', go), ['Find']);
    const perl = 'my $x\n  =undef;\nsub find {\n}\n';
    assert.deepEqual(titles('a.pl', perl), ['find']);
    const pod = '=head1 Names\n\nsub no_code {\n\n=cut\n\nsub find {\n}\n';
    assert.deepEqual(titles('a.pl', pod), ['find']);
    const block = '/*\nfunc No() {\n}\n*/\nfunc Find() {\n}\n';
    assert.deepEqual(titles('a.go', block), ['Find']);
  });

  it('end before a block at the margin, and contain labels of C and JavaScript', () => {
    const python = 'class A:\n    pass\ntry:\n    import b\nfinally:\n    pass\n# if more\n';
    assert.deepEqual(outline('a.py', python), ['A 1-2']);
    const c = 'int open(int a) {\n  goto out;\nout:\n#if X\n  return a;\n#endif\n}\n';
    assert.deepEqual(outline('a.c', c), ['open 1-7']);
    const js = 'function open(a) {\nout:\n  for (;;) break out;\n}\n';
    assert.deepEqual(outline('a.js', js), ['open 1-4']);
  });

  it('of a packed file are those of the file in it', () => {
    assert.deepEqual(titles('lib/router.ts.gz', 'class Router {\n  add() {\n  }\n}\n'), [
      'Router',
      'add',
    ]);
  });

  it('take linear time in hostile text', () => {
    const size = 400_000;
    const repeated = (part: string) => part.repeat(Math.ceil(size / part.length));
    const texts = {
      'one line': repeated('f('),
      'open brackets': repeated('f(\n'),
      'open types': repeated(`public a${'<a'.repeat(190)}\n`),
      annotations: repeated(`${'@a '.repeat(130)}\n`),
      assignments: repeated(`a: ${'<'.repeat(150)}= ${'('.repeat(190)}\n`),
      quotes: repeated('"""\n'),
      'ever deeper': Array.from({ length: 2_000 }, (_, i) => `${' '.repeat(i)}def f():`).join('\n'),
    };
    for (const [what, text] of Object.entries(texts))
      for (const name of ['a.py', 'a.c', 'a.js']) {
        const language = must(programLanguageOf(name));
        takesAtMost(1_000, () => definitionsIn(text, language), `${what}, ${name}`);
      }
  });
});
