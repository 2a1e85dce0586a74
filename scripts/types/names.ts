import { REFERENCE, referenceTo, type Shape } from './shapes.ts';

type Shapes = ReadonlyMap<string, Shape>;

/** The shapes without those that are taken in the form in which they are given: references to the former lead to the latter. */
export const settled = (shapes: Shapes): { readonly shapes: Shapes; readonly settle: (text: string) => string } => {
  const differing = idsThatDiffer(shapes);
  const isDouble = (id: string, form: string): boolean => form === 'input' && shapes.has(referenceTo('output', id)) && !differing.has(id);
  const settle = (text: string): string =>
    text.replace(REFERENCE, (key, form, id) => (isDouble(id, form) ? referenceTo('output', id) : key));
  const kept = [...shapes].filter(([, { id, form }]) => !isDouble(id, form));
  return { shapes: new Map(kept.map(([key, shape]) => [key, { ...shape, text: settle(shape.text) }])), settle };
};

/**
 * The name of every shape by its reference: the id of its schema, without `Detail`. What is taken in another form than it is given has two names: `Tags` and `TagsInput`.
 * @throws TypeError when two shapes come to one name
 */
export const namesOf = (shapes: Shapes): ReadonlyMap<string, string> => {
  const names = new Map<string, string>();
  for (const [key, { id, form }] of shapes) {
    const plain = capitalisedWords(id.replace(/Detail$/, ''));
    const name = form === 'input' && shapes.has(referenceTo('output', id)) ? `${plain}Input` : plain;
    if ([...names.values()].includes(name)) throw new TypeError(`${id} is not the only type that would be called ${name}`);
    names.set(key, name);
  }
  return names;
};

/** `APISession` is `ApiSession`, as everywhere in the code. */
const capitalisedWords = (name: string): string =>
  name.replace(/[A-Z]{2,}(?=[A-Z][a-z]|$)/g, ([first = '', ...rest]) => first + rest.join('').toLowerCase());

/** Ids whose two forms differ, or refer to one of which that is so. */
const idsThatDiffer = (shapes: Shapes): ReadonlySet<string> => {
  const both = [...shapes.values()].filter(({ id, form }) => form === 'input' && shapes.has(referenceTo('output', id)));
  const textIn = (id: string, form: Shape['form']): string => shapes.get(referenceTo(form, id))?.text ?? '';
  const plain = (text: string): string => text.replace(REFERENCE, '$2');
  const differing = new Set(both.map(({ id }) => id).filter((id) => plain(textIn(id, 'input')) !== plain(textIn(id, 'output'))));
  for (let before = -1; before !== differing.size; ) {
    before = differing.size;
    for (const { id, text } of both) if ([...text.matchAll(REFERENCE)].some(([, , other = '']) => differing.has(other))) differing.add(id);
  }
  return differing;
};
