/** The language of the page: the one chosen in this browser, that of the host, or the first of the browser that the console has. */
import { settings, storageKey } from './settings.ts';
import type { LANGUAGES, Texts } from './texts.ts';

type Translated = Exclude<(typeof LANGUAGES)[number], 'en'>;

/** The texts of languages other than English, loaded when they are shown. */
const TRANSLATIONS: Readonly<Record<Translated, () => Promise<Texts>>> = {
  de: async () => (await import('./german/german.ts')).german,
};

const primary = (tag: string): string => tag.replace(/-.*/, '');

const CHOICE = storageKey('language');

const matching = (tag: string): string | undefined =>
  settings.languages.find((each) => each === tag) ?? settings.languages.find((each) => primary(each) === primary(tag));

export const language =
  [localStorage.getItem(CHOICE) ?? '', settings.language ?? '', ...navigator.languages].map(matching).find((tag) => tag !== undefined) ??
  'en';

/** Shows the page in another language, also in the future. What people have entered is kept as a draft. */
export const chooseLanguage = (tag: string): void => {
  localStorage.setItem(CHOICE, tag);
  location.reload();
};

/** The texts of the language; undefined for those in English, and if they cannot be loaded. */
export const translation = async (): Promise<Texts | undefined> => TRANSLATIONS[primary(language) as Translated]?.().catch(() => undefined); // undefined for any other language
