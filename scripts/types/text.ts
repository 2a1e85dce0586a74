/** A TSDoc comment, wrapped at the maximum line width. */
export const commentOf = (paragraphs: readonly string[], indent: string): string => {
  const lines = paragraphs
    .filter((text) => text !== '')
    .flatMap((text, i) => [...(i > 0 && !text.startsWith('@') ? [''] : []), ...wrapped(text)]);
  if (lines.length === 0) return '';
  const [only = ''] = lines;
  if (lines.length === 1) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
};

const WIDTH = 120;

const wrapped = (text: string): readonly string[] => {
  if (text.startsWith('@example')) return [text];
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};

/** Converts a text to a sentence, with a capital and a full stop. Tags are not changed. */
export const sentence = (text: string): string => {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.startsWith('@')) return trimmed;
  return `${trimmed[0]?.toUpperCase()}${trimmed.slice(1)}${/[.:!?]$/.test(trimmed) ? '' : '.'}`;
};

export const capitalised = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;
