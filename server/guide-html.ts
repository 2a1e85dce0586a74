/** The HTML of a document in Markdown, as far as the guides use Markdown: headings, paragraphs, lists, tables and code. */

/** The address that a link of a document leads to, or undefined if there is nothing at it: then its text remains. */
export type ResolveLink = (target: string) => string | undefined;

/** A document has one heading of the first level, which is its title. */
export const titleIn = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? '';

/** Turns the blocks of a document into HTML. Pictures become their descriptions. */
export const htmlOf = (markdown: string, resolve: ResolveLink): string =>
  blocksIn(markdown.replaceAll(/<!--[\s\S]*?-->\n?/g, ''))
    .map((block) => (block.code === undefined ? textBlock(block.lines, resolve) : `<pre><code>${escapeHtml(block.code)}</code></pre>`))
    .join('\n');

interface Block {
  readonly lines: readonly string[];
  /** The content of a fenced or indented block. */
  readonly code?: string;
}

const FENCE = /^ *```/;
const INDENT = '    ';

/** Blank lines and fences separate blocks. */
const blocksIn = (markdown: string): readonly Block[] => {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let isCode = false;
  const end = (): void => {
    if (isCode) blocks.push({ lines: [], code: lines.join('\n') });
    else if (lines[0]?.startsWith(INDENT)) blocks.push({ lines: [], code: lines.map((line) => line.slice(INDENT.length)).join('\n') });
    else if (lines.length > 0) blocks.push({ lines });
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    if (FENCE.test(line)) {
      end();
      isCode = !isCode;
    } else if (!isCode && line.trim() === '') end();
    else if (!isCode && /^#{1,6} /.test(line)) {
      end();
      lines = [line];
      end();
    } else lines.push(line);
  }
  end();
  return blocks;
};

const ITEM = /^ *(?:[-*]|\d+\.) +/;

const textBlock = (lines: readonly string[], resolve: ResolveLink): string => {
  const [first = ''] = lines;
  const heading = /^(#{1,6}) (.+)$/.exec(first);
  if (heading?.[1] && heading[2])
    return `<h${heading[1].length} id="${anchorOf(heading[2])}">${inline(heading[2], resolve)}</h${heading[1].length}>`;
  if (first.startsWith('|')) return table(lines, resolve);
  if (!ITEM.test(first)) return `<p>${inline(lines.join(' '), resolve)}</p>`;
  const tag = /^ *\d/.test(first) ? 'ol' : 'ul';
  const items = itemsIn(lines).map((item) => `<li>${inline(item, resolve)}</li>`);
  return `<${tag}>${items.join('')}</${tag}>`;
};

/** A line without a mark continues the item before it. */
const itemsIn = (lines: readonly string[]): readonly string[] => {
  const items: string[] = [];
  for (const line of lines) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return items;
};

/** The first row has the titles, the second one only lines. */
const table = ([head = '', , ...rows]: readonly string[], resolve: ResolveLink): string => {
  const row = (line: string, tag: 'th' | 'td'): string =>
    `<tr>${cellsIn(line)
      .map((cell) => `<${tag}>${inline(cell, resolve)}</${tag}>`)
      .join('')}</tr>`;
  return `<table><thead>${row(head, 'th')}</thead><tbody>${rows.map((line) => row(line, 'td')).join('')}</tbody></table>`;
};

const cellsIn = (line: string): readonly string[] =>
  line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

/** Code is put aside first: what looks like a mark within it is none. */
const inline = (text: string, resolve: ResolveLink): string => {
  const code: string[] = [];
  return escapeHtml(
    text.replaceAll(/(`+)(.+?)\1(?!`)/g, (_, _marks, content: string) => `${ASIDE}${code.push(content.trim()) - 1}${ASIDE}`),
  )
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/(?<![\w*])\*([^*\s][^*]*)\*/g, '<em>$1</em>')
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, '<em>$1</em>')
    .replaceAll(/\[([^\]]*)\]\(([^)\s]*)\)/g, (_, label: string, target: string) => {
      const address = resolve(target);
      return address === undefined ? label : `<a href="${address}">${label}</a>`;
    })
    .replaceAll(PUT_ASIDE, (_, at: string) => `<code>${escapeHtml(code[Number(at)] ?? '')}</code>`);
};

/** A character that no document has. */
const ASIDE = '\uE000';
const PUT_ASIDE = new RegExp(`${ASIDE}(\\d+)${ASIDE}`, 'g');

/** The anchor of a heading, as in links of the guides. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text without markup. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
