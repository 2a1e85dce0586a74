import { REFERENCE, referenceTo, type Shape } from './shapes.ts';

type Shapes = ReadonlyMap<string, Shape>;

/** Removes input shapes that are the same as the output shape, and redirects references to the output shape. */
export const settled = (shapes: Shapes): { readonly shapes: Shapes; readonly settle: (text: string) => string } => {
  const differing = idsThatDiffer(shapes);
  const isDuplicate = (id: string, form: string): boolean =>
    form === 'input' && shapes.has(referenceTo('output', id)) && !differing.has(id);
  const settle = (text: string): string =>
    text.replace(REFERENCE, (key, form, id) => (isDuplicate(id, form) ? referenceTo('output', id) : key));
  const remaining = [...shapes].filter(([, { id, form }]) => !isDuplicate(id, form));
  return { shapes: new Map(remaining.map(([key, shape]) => [key, { ...shape, text: settle(shape.text) }])), settle };
};

/**
 * The name of every shape by its reference: the id of its schema, without `Detail`. A shape whose input differs from its output has two
 * names: `Tags` and `TagsInput`.
 * @throws TypeError if two shapes would have the same name
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

/** Converts `APISession` to `ApiSession`, as in the rest of the code. */
const capitalisedWords = (name: string): string =>
  name.replace(/[A-Z]{2,}(?=[A-Z][a-z]|$)/g, ([first = '', ...rest]) => first + rest.join('').toLowerCase());

/** The ids of shapes whose input and output differ, directly or in a shape that they refer to. */
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
