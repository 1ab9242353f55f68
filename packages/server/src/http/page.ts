/** When the caller gave no address, the browser shows this small page at the end of a sign-in. */
import { createHash } from 'node:crypto';

const STYLE = [
  ':root{color-scheme:light dark}',
  'body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;background:light-dark(#f4f4f2,#18181a)}',
  'main{box-sizing:border-box;width:min(28rem,100vw - 2rem);padding:2rem;border:1px solid light-dark(#dcdcd8,#38383c);border-radius:12px;background:light-dark(#fff,#222225)}',
  'header{font-weight:600;letter-spacing:.02em;color:light-dark(#6b6b66,#a3a3a8)}',
  'h1{font-size:1.375rem;line-height:1.3;margin:1.25rem 0 .5rem}',
  'p{margin:0;overflow-wrap:anywhere}',
].join('');
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The page may use its own style and nothing else. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export const pageOf = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapedHtml(title)}</title><style>${STYLE}</style></head>
<body><main><header>Quarry</header><h1>${escapedHtml(title)}</h1><p>${escapedHtml(text)}</p></main></body></html>
`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapedHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
