/**
 * Puts the texts of the language, and those of the host, in place of the texts in English. `main.tsx` imports it first, so that this has
 * happened before anything reads a text.
 */
import { language, translation } from './language.ts';
import { settings } from './settings.ts';
import { texts } from './texts.ts';

/** Replaces each text of a tree by that of another tree, if there is one. */
const translate = (part: object, translated: object): void => {
  for (const [name, text] of Object.entries(translated)) {
    const own: unknown = Reflect.get(part, name);
    if (typeof text === 'object' && typeof own === 'object' && own !== null && !Array.isArray(own)) translate(own, text);
    else Reflect.set(part, name, text);
  }
};

const filled = (text: string, values: readonly unknown[]): string =>
  text.replaceAll(/\{(\d+)\}/g, (_, position: string) => String(values[Number(position) - 1] ?? ''));

const replace = ([name, text]: readonly [string, string]): void => {
  const path = name.split('.');
  const last = path.pop() ?? '';
  const part = path.reduce<object>((whole, key) => Reflect.get(whole, key), texts);
  const isTemplate = typeof Reflect.get(part, last) === 'function';
  Reflect.set(part, last, isTemplate ? (...values: readonly unknown[]) => filled(text, values) : text);
};

translate(texts, (await translation()) ?? {});
for (const each of Object.entries(settings.texts[language] ?? {})) replace(each);
document.documentElement.lang = language;
