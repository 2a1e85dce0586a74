/** The texts that a host has in place of those of the console, by their names. */
import { LANGUAGES, texts } from './app/texts.ts';

const MAX_LENGTH = 2000;
/** The labels of fields, which come from the API: any field may have one. */
const FIELD_LABEL = /^fields\.[A-Za-z][A-Za-z0-9]*$/;

/** The number of parameters of each text, by its name: `hints.offline`. */
export const parametersIn = (part: object, prefix = ''): readonly (readonly [string, number])[] =>
  Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
    if (isObject(value)) return parametersIn(value, `${prefix}${name}.`);
    return [[`${prefix}${name}`, typeof value === 'function' ? value.length : 0] as const];
  });

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

let known: ReadonlyMap<string, number> | undefined;

type TextsByName = Readonly<Record<string, string>>;

/**
 * The texts of a host, by language.
 * @param language that of the texts which are not below the tag of another one
 * @throws TypeError for an unknown name, a text that is none or too long, and a placeholder for a parameter that the text does not have
 */
export const checkTexts = (where: string, own: unknown, language = 'en'): Readonly<Record<string, TextsByName>> => {
  if (!isObject(own)) throw new TypeError(`${where} takes as texts an object of texts by name, got '${own}'`);
  const languages: readonly string[] = [...LANGUAGES, language];
  const entries: readonly (readonly [string, unknown])[] = Object.entries(own);
  const others = entries.filter(([name, text]) => languages.includes(name) && isObject(text));
  const plain = Object.fromEntries(entries.filter((each) => !others.includes(each)));
  return Object.fromEntries([...others, [language, plain] as const].map(([tag, each]) => [tag, checked(where, Object(each))]));
};

const checked = (where: string, own: object): TextsByName => {
  known ??= new Map(parametersIn(texts));
  for (const [name, text] of Object.entries(own) as readonly [string, unknown][]) {
    const parameters = known.get(name) ?? (FIELD_LABEL.test(name) ? 0 : undefined);
    if (parameters === undefined) throw new TypeError(`${where} has no text named '${name}'`);
    if (typeof text !== 'string' || text === '' || text.length > MAX_LENGTH)
      throw new TypeError(`${where} takes as text ${name} one of 1 to ${MAX_LENGTH} characters, got '${text}'`);
    const wrong = [...text.matchAll(/\{(\d+)\}/g)].find(([, position]) => Number(position) < 1 || Number(position) > parameters);
    if (wrong) throw new TypeError(`${where}: the text ${name} has ${parameters} parameters, got '${wrong[0]}'`);
  }
  return own as TextsByName; // checked above
};
