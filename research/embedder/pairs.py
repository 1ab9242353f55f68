#!/usr/bin/env python3
"""Make (query, passage) training pairs from unpacked Debian packages.

usage: pairs.py UNPACKED_DIR OUT.tsv
UNPACKED_DIR holds one folder per package (dpkg -x), only packages listed in packages.txt (permissive licences, see packages/server/models/licences.tsv).
Output: source <TAB> type <TAB> query <TAB> passage, one pair a line.
Types: T heading -> body, I sentence -> rest of its passage (inverse cloze), K keywords of a sentence -> rest,
       D term -> definition, S synonym pair, E gloss -> example, H word -> its broader term and both glosses, C docstring -> code, N function name words -> docstring.
Near duplicates are dropped by hashes of the pair and of the first 40 words of the passage.
"""
import re, os, gzip, sys, random, html, hashlib, ast, functools
from multiprocessing import Pool

X, OUT = sys.argv[1:3]
STOP = set("a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with from have has had were which what who when where how why do does did can could should would may might i you he she we his her its our your my me him them us been being than so very also about all any each more most other some only own same too just during before after above below up down out off over under again further once here both few nor".split())
TAG = re.compile(r'<[^>]+>', re.S)
JUNK = re.compile(r'(?is)<(script|style|nav|head|footer|svg|button|select|form)\b.*?</\1>')
words = str.split

def text(s):
    s = re.sub(r'(?i)</?(p|div|li|tr|br|dt|dd|pre|table|ul|ol|td|th|h\d)\b[^>]*>', ' \n ', s)
    s = html.unescape(TAG.sub('', s))
    return re.sub(r'[ \t\r\f\v\u00a0¶]+', ' ', re.sub(r'\s*\n\s*', '\n', s)).strip()

def sents(t):
    return [x.strip() for x in re.split(r'(?<=[.!?])\s+|\n+', t) if x.strip()]

def keywords(s, rng):
    w = [x for x in re.findall(r"[A-Za-z][\w'-]+", s) if x.lower() not in STOP]
    w = list(dict.fromkeys(w))
    if len(w) < 4: return None
    k = min(len(w), rng.randint(2, 7))
    ix = sorted(rng.sample(range(len(w)), k))
    return ' '.join(w[i] for i in ix)

def emit(src, title, head, body, out, rng):
    ss = [s for s in sents(body) if re.search('[a-zA-Z]{3}', s)]
    chunks, cur, n = [], [], 0
    for s in ss:                                  # pack sentences into passages of <= 120 words
        k = len(words(s))
        if k > 120: s = ' '.join(words(s)[:120]); k = 120
        if n + k > 120 and cur: chunks.append(cur); cur = []; n = 0
        cur.append(s); n += k
    if cur: chunks.append(cur)
    for i, c in enumerate(chunks[:8]):
        b = ' '.join(c); nb = len(words(b))
        if nb < 12: continue
        if i == 0 or (i < 3 and rng.random() < .3):
            h = head if head else title
            h2 = h if (rng.random() < .5 or not title or title == h) else title + ' ' + h
            if 1 <= len(words(h2)) <= 25: out.append((src, 'T', h2, b))
        good = [j for j, s in enumerate(c) if 5 <= len(words(s)) <= 35]
        if good and len(c) >= 3 and nb >= 40:
            j = rng.choice(good); rest = ' '.join(c[:j] + c[j+1:])
            r = rng.random()
            if r < .35:
                q = keywords(c[j], rng)
                if q: out.append((src, 'K', q, rest if rng.random() < .6 else b))
            else: out.append((src, 'I', c[j], rest if rng.random() < .9 else b))

def split_ident(s): return re.sub(r'_+', ' ', re.sub(r'([a-z0-9])([A-Z])', r'\1 \2', s)).strip()

def pycode(src, d, out, rng):
    try: tree = ast.parse(d)
    except Exception: return
    lines = d.split('\n')
    for n in ast.walk(tree):
        if not isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)): continue
        doc = ast.get_docstring(n)
        if not doc: continue
        first = re.sub(r'\s+', ' ', re.split(r'\n\s*\n', doc)[0]).strip()
        if not 3 <= len(words(first)) <= 40 or not n.body: continue
        start = n.body[1].lineno - 1 if len(n.body) > 1 else None
        if isinstance(n, ast.ClassDef): continue
        sig = ' '.join(lines[n.lineno-1:n.body[0].lineno-1])
        if start is not None and n.end_lineno - start >= 2:
            code = sig + ' ' + ' '.join(lines[start:n.end_lineno])
            code = ' '.join(words(code)[:130])
            if len(words(code)) >= 10:
                if rng.random() < .4:
                    q = keywords(first, rng)
                    first2 = (('python ' if rng.random() < .2 else '') + q) if q else first
                else: first2 = first
                out.append((src, 'C', first2, code if rng.random() < .7 else sig + ' ' + ' '.join(words(doc)[len(words(first)):60]) + ' ' + code))
        nm = split_ident(n.name)
        if len(words(nm)) >= 2 and len(words(doc)) >= 8 and rng.random() < .5:
            out.append((src, 'N', nm, ' '.join(words(re.sub(r'\s+', ' ', doc))[:100])))

def rustgo(src, d, out, rng, mark):
    lines = d.split('\n'); i = 0
    while i < len(lines):
        if lines[i].lstrip().startswith(mark) and not lines[i].lstrip().startswith('//!'):
            j = i; doc = []
            while j < len(lines) and lines[j].lstrip().startswith(mark):
                doc.append(lines[j].lstrip()[len(mark):].strip()); j += 1
            code = []; k = j
            while k < len(lines) and k < j + 30 and lines[k].strip() and not (k > j and lines[k].lstrip().startswith(mark)):
                code.append(lines[k].strip()); k += 1
            t = re.sub(r'\s+', ' ', ' '.join(doc)).strip(); cd = ' '.join(words(' '.join(code))[:130])
            first = re.split(r'(?<=[.!?])\s', t)[0]
            if 4 <= len(words(first)) <= 40 and len(words(cd)) >= 8 and 'icense' not in t:
                q = keywords(first, rng) if rng.random() < .3 else None
                out.append((src, 'C', q or first, (cd if rng.random() < .6 else ' '.join(words(t[len(first):])[:60]) + ' ' + cd)))
            i = max(k, j)
        else: i += 1

def javadoc(src, d, out, rng):
    for m in re.finditer(r'/\*\*(.*?)\*/\s*((?:@\w+(?:\([^)]*\))?\s*)*(?:public|protected|private|static|final|abstract|\s)*[^;{]{5,300}\{)([^\0]{0,900})', d, re.S):
        t = re.sub(r'\{@\w+\s+([^}]*)\}', r'\1', re.sub(r'(?m)^\s*\*', '', m[1])); t = TAG.sub('', t)
        t = re.split(r'\s@\w+', t)[0]; t = re.sub(r'\s+', ' ', html.unescape(t)).strip()
        first = re.split(r'(?<=[.!?])\s', t)[0]
        body = re.split(r'\n\s*\n|/\*\*', m[3])[0]
        cd = ' '.join(words(m[2] + ' ' + body)[:110])
        if 4 <= len(words(first)) <= 40 and len(words(cd)) >= 8:
            out.append((src, 'C', first, cd))

def do(f):
    src, fn = f; out = []; rng = random.Random(fn)
    try: d = (gzip.open(fn) if fn.endswith('.gz') else open(fn, 'rb')).read(600000).decode('utf-8', 'ignore')
    except Exception: return out
    low = fn.lower().replace('.gz', '')
    if low.endswith('.py'): pycode(src, d, out, rng)
    elif low.endswith('.rs'): rustgo(src, d, out, rng, '///')
    elif low.endswith('.go'): rustgo(src, d, out, rng, '//')
    elif low.endswith('.java'): javadoc(src, d, out, rng)
    elif low.endswith(('.html', '.htm', '.page', '.xhp')):
        m = re.search(r'(?is)<title[^>]*>(.*?)</title>', d); title = text(m[1])[:160] if m else ''
        title = re.split(r' [—|–] | - |::', title)[0].strip()
        d = JUNK.sub(' ', d)
        H = r'(?is)<h[1-6][^>]*>(.*?)</h[1-6]>' if not low.endswith(('.page',)) else r'(?is)<title[^>]*>(.*?)</title>'
        parts = re.split(H, d)
        for i in range(1, len(parts) - 1, 2):
            h = re.sub(r'^[A-Z]?[\d.]+\s+', '', text(parts[i]).replace('\n', ' ')[:200])
            emit(src, title, h, text(parts[i+1]), out, rng)
        for m in re.finditer(r'(?is)<dt[^>]*>(.*?)</dt>\s*<dd[^>]*>(.*?)</dd>', d):
            a = text(m[1]).replace('\n', ' '); b = text(m[2]).replace('\n', ' ')
            if 1 <= len(words(a)) <= 20 and 8 <= len(words(b)): out.append((src, 'D', a, ' '.join(words(b)[:120])))
    elif re.search(r'/man/man\d/', fn):
        parts = re.split(r'(?m)^\.S[HShs] "?(.*?)"?$', d); name = os.path.basename(low).rsplit('.', 1)[0]; title = name
        for i in range(1, len(parts) - 1, 2):
            b = re.sub(r'(?m)^\.[A-Za-z\\"]+ ?', '', parts[i+1]); b = re.sub(r'\\f.|\\&|\\|"', '', b.replace('\\-', '-'))
            if parts[i] == 'NAME':
                title = re.sub(r'\s+', ' ', b).strip()[:120]; continue
            emit(src, title, parts[i].capitalize() if parts[i] != 'DESCRIPTION' else '', b, out, rng)
    else:
        parts = re.split(r'(?m)^(?:=head\d\s+(.+)|#{1,4}\s+(.+)|(.{3,100})\n[=\-~^"]{4,}\s*)$', d)
        title = ''; i = 1
        while i + 3 < len(parts):
            h = next((x for x in parts[i:i+3] if x), '').strip()
            if not title: title = h[:100]
            emit(src, title, h, re.sub(r'[`*|]+', '', parts[i+3]), out, rng); i += 4
    return out

EXT = ('.html', '.htm', '.page', '.rst', '.txt', '.md', '.adoc', '.pod', '.py', '.rs', '.go', '.java')
BAD = re.compile(r'/(tests?|testing|testdata|i18n|locale|_sources|searchindex|genindex|vendor|win32)[/_.]|/(de|fr|es|it|ja|ru|pt|zh|nl|pl|cs|ko|sv|da|pt_BR|zh_CN|ca|uk|hu|fi|el|nb|sl|ro|tr|he|gl|eu)/|\.(de|fr|es|ja|ru|tr|ko|zh-cn|pt-br|da)\.html|index-\d|allclasses|/src/bootstrap')

# files inside kept packages that are under another licence (MPL, GPL, LGPL, CC-BY-SA, CPL, unclear), as their copyright files say
EXCL = re.compile(r'/embedded-book/|/_vendor/(certifi|chardet)/|nltk/(stem/porter|lazyimport)\.py|ClassCompletionVerifier|htsjdk/samtools/(seekablestream/SeekableFTP|util/ftp)|containerd/(docs/|README)|clp(qr|q|r)\b|pattern_tools|flask_theme_support|support/unicode\.py|/(colored|fortanix-sgx-abi|mdbook|smallvec)[-/]|pyglet/(contrib|tools)/|(Makefile|config|aclocal)[^/]*$|third_party/')
CAP = {'derby-doc': 15000, 'scala-doc': 10000, 'libapache-poi-java-doc': 15000, 'fop-doc': 10000, 'golang-github-aws-aws-sdk-go-dev': 10000, 'golang-github-azure-azure-sdk-for-go-dev': 10000, 'golang-google-api-dev': 5000, 'opencv-doc': 20000, 'python3-azure': 10000, 'python3-kubernetes': 5000}

def filelist():
    files = []
    for pk in sorted(os.listdir(X)):
        fs = []
        for dp, _, fn in os.walk(os.path.join(X, pk)):
            for f in fn:
                p = os.path.join(dp, f); l = f.lower().replace('.gz', '')
                if os.path.islink(p) or BAD.search(p) or EXCL.search(p): continue
                if pk == 'rust-doc' and '/src/' in p: continue
                if l.endswith(EXT) or re.search(r'/man/man\d/', p): fs.append(p)
        random.shuffle(fs); files += [(pk, p) for p in fs[:5000]]
    return files

def lexical(w):
    base = os.path.join(X, 'wordnet-base/usr/share/wordnet/')
    syn = {}
    for pos in ('noun', 'verb', 'adj', 'adv'):
        for l in open(base + 'data.' + pos, encoding='latin1'):
            if l.startswith('  '): continue
            head, _, gl = l.partition('| '); p = head.split(); cnt = int(p[3], 16)
            lem = [re.sub(r'\(.*?\)', '', p[4+2*i].replace('_', ' ')) for i in range(cnt)]
            d = gl.strip(); ex = re.findall(r'"([^"]+)"', d); de = re.sub(r'"[^"]+"', '', d).strip(' ;')
            r = p[4+2*cnt:]; up = [(r[k+2], r[k+1]) for k in range(1, len(r) - 3, 4) if r[k] in ('@', '@i')]
            syn[pos[0] if pos != 'adv' else 'r', p[0]] = (lem, de, up)
            w('wn', 'D', ', '.join(lem), de)
            for a, b in random.sample([(a, b) for a in lem for b in lem if a != b], min(3, len(lem) * (len(lem) - 1))): w('wn', 'S', a, b, 1)
            if ex: w('wn', 'E', de, ' '.join(ex))
    for lem, de, up in list(syn.values()):
        for u in up[:2]:
            if u in syn: w('wn', 'H', random.choice(lem), ', '.join(syn[u][0]) + ': ' + syn[u][1] + '; ' + de)
    B = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'; M = {c: i for i, c in enumerate(B)}
    dec = lambda s: functools.reduce(lambda a, c: a*64 + M[c], s, 0)
    for pk in ('dict-jargon', 'dict-devil', 'dict-elements'):
        path = os.path.join(X, pk, 'usr/share/dictd/')
        if not os.path.isdir(path): continue
        ix = [x for x in os.listdir(path) if x.endswith('.index')][0]; dz = [x for x in os.listdir(path) if x.endswith('.dict.dz')][0]
        data = gzip.open(path + dz).read()
        for l in open(path + ix, encoding='utf-8', errors='ignore'):
            h, a, b = l.rstrip('\n').split('\t')[:3]
            if h.startswith('00-'): continue
            t = data[dec(a):dec(a)+dec(b)].decode('utf-8', 'ignore'); t = t.split('\n', 1)[1] if '\n' in t else t
            w(pk, 'D', h, re.sub(r'\[[^\]]{0,40}\]|\{|\}|\\', '', t))

def main():
    random.seed(1); files = filelist(); print(len(files), 'files', file=sys.stderr)
    seen, cnt, o = set(), {}, open(OUT, 'w')
    def w(src, ty, a, b, minb=4):
        a = re.sub(r'\s+', ' ', a).strip(); b = re.sub(r'\s+', ' ', b).strip()
        if len(a) < 3 or len(b.split()) < minb: return
        b = ' '.join(b.split()[:130])
        nd = re.sub(r'[^a-z]+', ' ', b.lower()).split()[:40]
        k = hashlib.md5((a + '|' + b[:200]).encode()).digest()[:8]; kb = hashlib.md5((ty + ' '.join(nd)).encode()).digest()[:8]
        if k in seen or (minb > 1 and kb in seen): return
        seen.add(k); seen.add(kb); o.write(f'{src}\t{ty}\t{a}\t{b}\n'); cnt[(ty)] = cnt.get((ty), 0) + 1
        cs[src] = cs.get(src, 0) + 1
    cs = {}
    with Pool(2) as pool:
        for out in pool.imap_unordered(do, files, chunksize=40):
            for r in out:
                if cs.get(r[0], 0) < CAP.get(r[0], 40000): w(*r)
    lexical(w); o.close()
    print(cnt, sum(cnt.values()), file=sys.stderr)
    for k, v in sorted(cs.items(), key=lambda x: -x[1])[:300]: print(k, v, file=sys.stderr)
if __name__ == '__main__': main()
