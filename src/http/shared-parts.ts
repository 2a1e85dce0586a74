/** A parameter or an answer of an operation, and the name that it would have as a component. */
export interface NamedPart {
  readonly name: string;
  readonly value: object;
}

export interface SharedParts {
  /** The parts that several operations have, by name. */
  readonly components: Readonly<Record<string, object>>;
  /** @returns a reference to a component, or the part itself if it is none */
  refer(part: NamedPart): object;
}

/**
 * Describes what several operations have once: as components of the document. Of parts with the same name, the most frequent one becomes a component.
 * @param kind the member of `components` that contains them
 * @param parts those of all operations
 */
export const sharedParts = (kind: 'parameters' | 'responses', parts: readonly NamedPart[]): SharedParts => {
  const uses = new Map<string, number>();
  const usesOf = (value: object | undefined): number => uses.get(JSON.stringify(value)) ?? 0;
  for (const { value } of parts) uses.set(JSON.stringify(value), usesOf(value) + 1);
  const components: Record<string, object> = {};
  for (const { name, value } of parts) if (usesOf(value) > Math.max(1, usesOf(components[name]))) components[name] = value;
  const texts = new Map(Object.entries(components).map(([name, value]) => [name, JSON.stringify(value)]));
  return {
    components,
    refer: ({ name, value }) => (texts.get(name) === JSON.stringify(value) ? { $ref: `#/components/${kind}/${name}` } : value),
  };
};
