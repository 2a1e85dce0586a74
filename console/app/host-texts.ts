/** Puts the texts of the host in place of those of the console. `main.tsx` imports it first, before anything has read a text. */
import { settings } from './settings.ts';
import { texts } from './texts.ts';

const filled = (text: string, values: readonly unknown[]): string =>
  text.replaceAll(/\{(\d+)\}/g, (_, position: string) => String(values[Number(position) - 1] ?? ''));

for (const [name, text] of Object.entries(settings.texts)) {
  const path = name.split('.');
  const last = path.pop() ?? '';
  const part = path.reduce<object>((whole, key) => Reflect.get(whole, key), texts);
  const isTemplate = typeof Reflect.get(part, last) === 'function';
  Reflect.set(part, last, isTemplate ? (...values: readonly unknown[]) => filled(text, values) : text);
}
