/** The language of the page: the one chosen in this browser, that of the host, or the first of the browser that the console has. */
import { settings, storageKey } from './settings.ts';
import { LANGUAGES, type Texts } from './texts.ts';

/** The texts of languages other than English, loaded when they are shown. */
const TRANSLATIONS: Readonly<Record<Exclude<(typeof LANGUAGES)[number], 'en'>, () => Promise<Texts>>> = {
  de: async () => (await import('./german/german.ts')).german,
};

const primary = (tag: string): string => tag.split('-', 1)[0] ?? '';

const ofHost = settings.language === undefined ? [] : [settings.language];

/** The languages to choose from. That of the host is one of them, whether the console has texts in it or the host. */
export const languages: readonly string[] = [...ofHost, ...LANGUAGES.filter((own) => !ofHost.map(primary).includes(own))];

const CHOICE = storageKey('language');

const chosen = (): readonly string[] => {
  try {
    return [localStorage.getItem(CHOICE) ?? ''];
  } catch {
    return []; // the storage is turned off
  }
};

const firstOf = (wanted: readonly string[]): string | undefined => {
  for (const tag of wanted) {
    const found = languages.find((each) => each === tag) ?? languages.find((each) => primary(each) === primary(tag));
    if (found !== undefined) return found;
  }
  return undefined;
};

export const language = firstOf([...chosen(), ...ofHost, ...navigator.languages]) ?? 'en';

/** Shows the page in another language, also in the future. What people have entered is kept as a draft. */
export const chooseLanguage = (tag: string): void => {
  try {
    localStorage.setItem(CHOICE, tag);
  } catch {
    // The storage is full or turned off: the language stays as it is.
  }
  location.reload();
};

/** The texts of the language; undefined for those in English, and if they cannot be loaded. */
export const translation = async (): Promise<Texts | undefined> => {
  const [, load] = Object.entries(TRANSLATIONS).find(([tag]) => tag === primary(language)) ?? [];
  return load?.().catch(() => undefined);
};
