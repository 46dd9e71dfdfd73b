// Makes a release of a built page: one style sheet, a content security policy in every document, the list of the files
// that work without a connection, and a Brotli version beside each file for servers that send compressed files, a fifth
// smaller than gzip.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

process.chdir(process.argv[2]);

// One style sheet for the page: six requests fewer, and together they compress better.
const page = readFileSync('index.html', 'utf8');
const links = page.match(/<link [^>]*rel="?stylesheet\b[^>]*>/g);
const sheets = links.map(link => /href="?\.\/([^\s">]+)/.exec(link)[1]);
const styles = sheets.map(name => readFileSync(name, 'utf8')).join('\n');
const sheet = `fairlane-${createHash('sha256').update(styles).digest('hex').slice(0, 16)}.css`;
for (const name of sheets) rmSync(name);
writeFileSync(sheet, styles);
const [first, ...others] = links;
const linked = others.reduce((html, link) => html.replace(link, ''), page);
writeFileSync('index.html', linked.replace(first, `<link rel="stylesheet" href="./${sheet}">`));

const files = readdirSync('.', { recursive: true }).map(name => name.replaceAll('\\', '/'))
  .filter(name => statSync(name).isFile()).sort();
const sha256 = data => `sha256-${createHash('sha256').update(data).digest('base64')}`;

// No inline style sheet, no eval but WebAssembly's, and no inline script but those that Trunk (with
// assets/fairlane-rescue.js) and mdBook write, by their hashes. Positions in the charts, the alignment of tables and the
// height of demos are style attributes.
const SCRIPTS = "default-src 'none'; script-src 'self'";
const BOTH = "; style-src 'self'; style-src-attr 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'";
// Demos load scenarios from any address.
const PAGE = " 'wasm-unsafe-eval'; img-src 'self' data: blob:; connect-src 'self' https: http:; worker-src 'self'; \
manifest-src 'self'";
const GUIDE = "; img-src 'self' data:; font-src 'self'";
for (const name of files.filter(name => name.endsWith('.html'))) {
  const html = readFileSync(name, 'utf8');
  const inline = [...html.matchAll(/<script(?: type="?module"?)?>(.*?)<\/script>/gs)].map(([, script]) => ` '${sha256(script)}'`);
  const policy = SCRIPTS + [...new Set(inline)].join('') + (name === 'index.html' ? PAGE : GUIDE) + BOTH;
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  writeFileSync(name, html.replace(/<meta charset=[^>]*>/i, charset => charset + meta));
}

// Everything but the guide's pictures, the page that prints it, and the notices. A folder's index.html is requested by the folder's name.
const OFFLINE = 'fairlane-offline.js';
const kept = files.filter(name => name !== OFFLINE && !name.startsWith('guide/img/') && name !== 'guide/print.html'
  && name !== 'THIRD-PARTY.txt')
  .map(name => [`./${name.replace(/(^|\/)index\.html$/, '$1')}`, sha256(readFileSync(name))]);
const list = JSON.stringify(kept);
const unreleased = /^const VERSION = .*$/m;
writeFileSync(OFFLINE, readFileSync(OFFLINE, 'utf8').replace(unreleased, `const VERSION = '${sha256(list)}', FILES = ${list};`));

for (const name of files.filter(name => !name.endsWith('.png'))) {
  const bytes = readFileSync(name);
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync(`${name}.br`, brotliCompressSync(bytes, { params }));
}
